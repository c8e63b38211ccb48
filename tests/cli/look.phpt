--TEST--
rlock who, break and wait
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
function show(string $what, string ...$arguments): void
{
    global $key;
    [$status, $output, $errors] = rlock(...$arguments);
    // Columns are as wide as what is in them, and that is different each time.
    echo "$what: $status\n", preg_replace(['/^/m', '/ {2,}(?=\S)/'], ['    ', '  '], rtrim(steady("$output$errors", $key))), "\n";
}

show('nobody', 'who', $key);
show('nobody, quiet', 'who', $key, '--quiet');
show('nobody, JSON', 'who', $key, '--json');
show('nothing to break', 'break', $key);
show('free', 'wait', $key);

$locks = new RLock(shared_url());
ignore($locks->getLock($key, metadata: "tab\tand\n\x1b[2J \"ü\" \xff"));
show('the extension has it', 'who', $key);
show('JSON', 'who', $key, '--json');
say('JSON can be read', json_decode(rlock('who', $key, '--json')[1])->metadata);
say('token shown', preg_match('/[0-9a-f]{32}/', implode(rlock('who', $key, '--json', '--verbose'))));
show('busy', 'wait', $key, '--wait', '0.1');

$waiter = Program::start('wait', $key, '--wait', '60');
$locks->releaseLock($key);
say('the waiter', $waiter->wait());
say('it took nothing', $locks->holder($key) === null);
$key = unique_key(); // that somebody has waited for the other is known for a while

ignore($locks->getLock($key));
$fence = $locks->lease($key)->fence;
show('another grant', 'break', $key, '--fence', (string) ($fence + 1));
show('broken', 'break', $key, '--fence', (string) $fence);
say('the holder', outcome(fn () => $locks->releaseLock($key)));

ignore($locks->getLock($key));
$locks->releaseLock($key, delayAfter: 60.0);
show('a cooldown', 'who', $key);
show('broken', 'break', $key, '--quiet');
$detached = (new RLock(shared_url()))->detached($key, 'a secret name');
ignore($detached->getLock(metadata: 'in a queue'));
show('a detached one', 'who', $key);
show('broken', 'break', $key, '--quiet');
shared_client()('SET', lock_key($key), 'secret of another');
show('a foreign one', 'who', $key);
show('JSON', 'who', $key, '--json');
$server = TestServer::start();
$server->client()('SET', lock_key($key), 'of another', 'PX', '9300000000000');
say('longer than can be counted in ns', rlock('wait', $key, '--wait', '1', '--servers', $server->url('timeout=10'))[0]);
preg_match('/cmdstat_evalsha:calls=(\d+)/', $server->client()('INFO', 'commandstats'), $match);
say_within('looks', (float) $match[1], 1, 6);
show('no server', 'who', $key, '--servers', nowhere());
show('no server, JSON', 'break', $key, '--servers', nowhere(), '--json');
show('no server', 'wait', $key, '--servers', nowhere());
?>
--EXPECT--
nobody: 1
  rlock: Nobody holds "KEY"
nobody, quiet: 1
    
nobody, JSON: 1
  null
nothing to break: 1
  rlock: Nobody holds "KEY"
free: 0
    
the extension has it: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  KEY  HOST:PID  lease  TIME  N s  no  FENCE  tab\x09and\x0a\x1b[2J "ü" \xff
JSON: 0
  {"key":"KEY","owner":"HOST:PID","kind":"lease","shared":false,"fence":N,"since":N,"ttl":N,"contended":false,"metadata":"tab\u0009and\u000a\u001b[2J \"ü\" \ufffd","waiters":[]}
JSON can be read: tab	and
[2J "ü" �
token shown: 0
busy: 75
  rlock: "KEY" is busy: held by HOST:PID since TIME, fence FENCE, N s left, "tab\x09and\x0a\x1b[2J "ü" \xff"
the waiter: 0
it took nothing: true
another grant: 1
  rlock: Nobody holds "KEY" under that fence
broken: 0
  rlock: Broke "KEY"; whoever held it will learn that the lock is lost
the holder: RLock\LostLockException, held false
a cooldown: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  KEY  HOST:PID  cooldown  TIME  N s  no  FENCE
broken: 0
    
a detached one: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  KEY  HOST:PID  detached  TIME  N s  no  FENCE  in a queue
broken: 0
    
a foreign one: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  KEY  -  foreign  -  for ever  no  -
JSON: 0
  {"key":"KEY","owner":"","kind":"foreign","shared":false,"fence":null,"since":null,"ttl":null,"contended":false,"metadata":null,"waiters":[]}
longer than can be counted in ns: 75
looks: in time
no server: 69
  rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
no server, JSON: 69
  {"event":"error","key":"KEY","message":"Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory"}
no server: 69
  rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
