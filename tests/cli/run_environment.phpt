--TEST--
rlock run: the command's arguments, input, output and environment are its own; it finds the lock there
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
say('arguments', rlock('run', $key, '--', 'printf', '<%s>', 'a b', '$HOME', '*', '', '--')[1]);

$cat = Program::start('run', $key, '--', 'cat');
$cat->write("over stdin\n");
$cat->closeInput();
say('input', [$cat->wait(), $cat->output()]);

putenv('RLOCK_KEY=before');
putenv('RLOCK_FENCE=before');
putenv('KEPT=kept');
$print = ['sh', '-c', 'echo "$RLOCK_KEY|$RLOCK_FENCE|$RLOCK_SERVERS|$RLOCK_PREFIX|$KEPT"'];
$fences = [];
foreach ([1, 2] as $time) {
    [$k, $fences[], $servers, $prefix, $kept] = explode('|', trim(rlock('run', $key, '--', ...$print)[1]));
    say('variables', [$k === $key, $servers === getenv('RLOCK_SERVERS'), $prefix, $kept]);
}
say('fences rise', $fences[0] > 0 && $fences[1] > $fences[0]);

putenv('RLOCK_SERVERS=' . nowhere());
[, , $servers, $prefix] = explode('|', trim(rlock('run', $key, '--servers', shared_url(), '--prefix', 'other@', '--', ...$print)[1]));
say('of the options', [$servers === shared_url(), $prefix]);
putenv('RLOCK_SERVERS=' . shared_url('timeout=10'));

say('one within the other', rlock('run', $key, '--', program_path(), 'run', "$key-inner", '--', 'sh', '-c',
    'test "$RLOCK_KEY" = "$0" && echo inner', "$key-inner")[1]);
say('asks about its own lock', rlock('run', $key, '--prefix', 'other@', '--', 'sh', '-c',
    '"$0" who "$RLOCK_KEY" --json | grep -o "\"fence\":$RLOCK_FENCE" | tr -d 0-9', program_path())[1]);

$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
putenv('RLOCK_SERVERS=' . implode(' ', array_map(fn ($node) => $node->url(), $nodes)));
say('on a majority', rlock('run', $key, '--', 'sh', '-c', 'echo "${RLOCK_FENCE-none}"; echo $RLOCK_SERVERS | wc -w')[1]);
$list = ['sh', '-c', 'ls /proc/self/fd'];                // the test's own are among them
say('no descriptor of ours', rlock('run', $key, '--', ...$list) === (new Program($list))->finished());

// What whoever starts us has blocked, ignored or closed is the command's, and does not disturb us.
$inherited = fn (string ...$around) => (new Program(['env', '--block-signal=CHLD,TERM', '--ignore-signal=HUP,CHLD',
    ...$around, 'grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status']))->finished();
say_within('signals', seconds(fn () => say('signals', $inherited(program_path(), 'run', $key, '--') === $inherited())), 0.0, 10.0);
foreach (['<&-', '>&-', '2>&-', '<&- >&- 2>&-'] as $closed) {
    $file = temporary_folder() . '/descriptors';
    $list = escapeshellarg('for fd in 0 1 2; do [ ! -e /proc/$$/fd/$fd ] || echo $fd >>' . "$file; done; exit 3");
    touch($file);
    say("with $closed", (new Program(['sh', '-c', '"$0" run "$1" --verbose -- sh -c ' . "$list $closed", program_path(), $key]))->finished()[0]);
    say('the command has', trim(preg_replace('/\s+/', ' ', file_get_contents($file))));
    unlink($file);
}
?>
--EXPECT--
arguments: <a b><$HOME><*><><-->
input: [0,"over stdin\n"]
variables: [true,true,"lock@","kept"]
variables: [true,true,"lock@","kept"]
fences rise: true
of the options: [true,"other@"]
one within the other: inner

asks about its own lock: "fence":

on a majority: none
3

no descriptor of ours: true
signals: true
signals: in time
with <&-: 3
the command has: 1 2
with >&-: 3
the command has: 0 2
with 2>&-: 3
the command has: 0 1
with <&- >&- 2>&-: 3
the command has:
