--TEST--
rlock run --shared: commands beside each other, one without it alone; --limit: so many at once; who shows each share
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
$client = $server->client();
$key = 'key';
$locks = new RLock($server->url());
/* A command that has a share, until its input ends. */
function sharer(string ...$options): Program
{
    $program = Program::start('run', 'key', '--shared', ...$options, ...['--', 'sh', '-c', 'echo "up $RLOCK_FENCE"; exec cat']);
    $program->awaitOutput('up');
    return $program;
}
function show(string $what, string ...$arguments): void
{
    [$status, $output, $errors] = rlock(...$arguments);
    echo "$what: $status\n", preg_replace(['/^/m', '/ {2,}(?=\S)/'], ['    ', '  '], rtrim(steady("$output$errors", "\0"))), "\n";
}

$one = sharer('--metadata', 'one', '--ttl', '40');
$two = sharer('--metadata', 'two', '--ttl', '50');
say('fences', said($one, 'up') < said($two, 'up'));
show('alone', 'run', $key, '--', 'echo', 'alone');
show('a third of two', 'run', $key, '--shared', '--limit', '2', '--', 'echo', 'beside');
show('a third of three', 'run', $key, '--shared', '--limit=3', '--', 'echo', 'beside');
show('the highest limit', 'run', $key, '--shared', '--limit', (string) PHP_INT_MAX, '--', 'echo', 'beside');
say('PHP', [$locks->getLock($key), $locks->getSharedLock($key), $locks->releaseLock($key)]);
show('who', 'who', $key);
show('who, JSON', 'who', $key, '--json');
show('ls', 'ls');
show('ls, JSON', 'ls', '--json');

/* They wait for a place, and for the last share. */
$place = Program::start('run', $key, '--shared', '--limit', '2', '--wait', 'inf', '--', 'echo', 'had a place');
$client->awaitBlocked(1);
$alone = Program::start('run', $key, '--wait', 'inf', '--', 'echo', 'was alone');
$client->awaitBlocked(2);
$one->closeInput();
say('one ends', [$one->wait(), ...$place->finished()]);
say('the other waits', $alone->output());
$two->closeInput();
say('two ends', [$two->wait(), ...$alone->finished()]);

/* A share that is broken ends its command, and that one only. */
$one = sharer('--ttl', '8', '--grace', '0.2');
$two = sharer('--ttl', '8', '--grace', '0.2');
show('one is broken', 'break', $key, '--fence', (string) said($one, 'up'));
say('its command', [$one->wait(), str_contains($one->errors(), 'lost')]);
$least = INF;
await('a renewal', function () use ($locks, $key, &$least) {
    $ttl = $locks->sharers($key)[0]->ttl;
    [$is_renewed, $least] = [$ttl > $least, min($least, $ttl)];
    return $is_renewed;
});
say('the other is renewed', [lives($two->pid), count($locks->sharers($key))]);
$two->closeInput();
say('the other', $two->wait());

show('at least', 'run', $key, '--shared', '--at-least', '60', '--', 'true');
show('nobody', 'run', $key, '--shared', '--', 'true');
show('nobody, quiet, for cron', 'run', $key, '--shared', '--quiet', '--busy-exit', '0', '--', 'false');

$servers = implode(' ', array_map(fn () => TestServer::start()->url(), range(1, 3)));
show('a majority', 'run', $key, '--shared', '--servers', $servers, '--', 'true');
?>
--EXPECT--
fences: true
alone: 75
  rlock: "key" is busy: shared by HOST:PID, perhaps with others, since TIME, fence FENCE, N s left, "two"
a third of two: 75
  rlock: "key" is busy: shared by HOST:PID, perhaps with others, since TIME, fence FENCE, N s left, "two"
a third of three: 0
  beside
the highest limit: 0
  beside
PHP: [false,true,true]
who: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  key  HOST:PID  shared lease  TIME  N s  no  FENCE  one
  key  HOST:PID  shared lease  TIME  N s  no  FENCE  two
who, JSON: 0
  {"key":"key","owner":"HOST:PID","kind":"lease","shared":true,"fence":N,"since":N,"ttl":N,"contended":false,"metadata":"one","waiters":[]}
  {"key":"key","owner":"HOST:PID","kind":"lease","shared":true,"fence":N,"since":N,"ttl":N,"contended":false,"metadata":"two","waiters":[]}
ls: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  key  HOST:PID  shared lease  TIME  N s  no  FENCE  two
ls, JSON: 0
  [
  {"key":"key","owner":"HOST:PID","kind":"lease","shared":true,"fence":N,"since":N,"ttl":N,"contended":false,"metadata":"two"}
  ]
one ends: [0,0,"had a place\n",""]
the other waits: 
two ends: [0,0,"was alone\n",""]
one is broken: 0
  rlock: Broke "key"; whoever held it will learn that the lock is lost
its command: [79,true]
the other is renewed: [true,1]
the other: 0
at least: 0
    
nobody: 75
  rlock: "key" is busy: nobody may have it now; HOST:PID had it since TIME, fence FENCE, N s left
nobody, quiet, for cron: 0
    
a majority: 69
  rlock: A majority of servers has no shared locks
