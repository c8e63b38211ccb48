--TEST--
rlock run: what runs under a lock and asks for it again is refused by name, and would not end otherwise
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
function nested(string $what, array $outer, array $inner): void
{
    global $key;
    [$status, $output, $errors] = rlock('run', $key, ...$outer, ...['--', program_path(), 'run', $key, ...$inner, '--', 'echo', 'ran']);
    say($what, [$status, $output, steady($errors, $key)]);
}
foreach (['0', '60', 'inf'] as $wait) {
    nested("waits for $wait s", [], ['--wait', $wait]);
}
nested('in JSON', [], ['--json', '--wait', 'inf']);
nested('a share in the lock', [], ['--shared', '--wait', '60']);
nested('the lock in a share', ['--shared'], ['--wait', '60']);
nested('one of one', ['--shared', '--limit', '1'], ['--shared', '--limit', '1', '--wait', '60']);
nested('two shares', ['--shared'], ['--shared']);
nested('of another prefix', [], ['--prefix', 'other@']);

// Who was left behind may ask for it when it is free, or another's.
$left = rlock('run', $key, '--', 'sh', '-c', '(until [ -n "$("$0" who "$RLOCK_KEY" --json 2>/dev/null | grep null)" ]; do sleep 0.02; done;'
    . ' "$0" run "$RLOCK_KEY" --wait 60 -- sleep 0; "$0" run "$RLOCK_KEY" -- echo ran >"$1") >/dev/null 2>&1 &', program_path(), $file = temporary_folder() . '/ran');
say('left behind', await('it ran', fn () => is_file($file) ? trim(file_get_contents($file)) ?: null : null));

$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
putenv('RLOCK_SERVERS=' . implode(' ', array_map(fn ($node) => $node->url(), $nodes)));
nested('on a majority', [], ['--wait', '60']);
?>
--EXPECT--
waits for 0 s: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
waits for 60 s: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
waits for inf s: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
in JSON: [64,"","{\"event\":\"error\",\"key\":\"KEY\",\"message\":\"\\\"KEY\\\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\"}\n"]
a share in the lock: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
the lock in a share: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
one of one: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]
two shares: [0,"ran\n",""]
of another prefix: [0,"ran\n",""]
left behind: ran
on a majority: [64,"","rlock: \"KEY\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end\n"]