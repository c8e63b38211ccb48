--TEST--
rlock ls: all locks that match, for people and programs; --watch; what is asked blocks no server
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
function show(string $what, string ...$arguments): void
{
    [$status, $output, $errors] = rlock(...$arguments);
    // Columns are as wide as what is in them, and that is different each time.
    echo "$what: $status\n", preg_replace(['/^/m', '/ {2,}(?=\S)/'], ['    ', '  '], rtrim(steady("$output$errors", "\0"))), "\n";
}

show('nothing', 'ls');
show('nothing, JSON', 'ls', '--json');

$locks = new RLock($server->url());
ignore($locks->getLock('order-17', metadata: "two\nlines"));
ignore($locks->getLock('order-18'));
ignore($locks->getLock("odd\x1b[2J key"));
$locks->releaseLock('order-18', delayAfter: 60.0);
$other = new RLock($server->url(), prefix: 'other@');
ignore($other->getLock('order-19'));
$server->client()('SET', 'lock@foreign', 'secret');
show('all', 'ls', '--foreign');
show('without what is foreign', 'ls');
show('some', 'ls', 'order-*');
show('others', 'ls', '--prefix', 'other@');
$found = json_decode(rlock('ls', '--json', '--foreign')[1], true);
usort($found, fn (array $a, array $b) => $a['key'] <=> $b['key']);
foreach ($found as ['key' => $key, 'kind' => $kind, 'metadata' => $metadata, 'ttl' => $ttl]) {
    say($key === "odd\x1b[2J key" ? 'odd' : $key, [$kind, $metadata, $ttl === null]);
}
show('no server', 'ls', '--servers', nowhere());
show('no server, JSON', 'ls', '--json', '--servers', nowhere());

// Thousands, and as many other keys, in steps.
$client = $server->client();
$client('EVAL', 'for i = 1, 20000 do redis.call("SET", "lock@many:" .. i, "rlock1:" .. string.rep("a", 32) .. ":web1:5"); redis.call("SET", "else:" .. i, "x") end', 0);
$client('CONFIG', 'RESETSTAT');
say('many', substr_count(rlock('ls', 'many:*', '--json')[1], '"key":'));
say('in one step', str_contains($client('INFO', 'commandstats'), 'cmdstat_keys'));
preg_match('/cmdstat_scan:calls=(\d+)/', $client('INFO', 'commandstats'), $calls);
say('in small steps', $calls[1] > 300);
[$status, $output, $errors] = rlock('ls', 'many:*');
say('for people', [$status, substr_count($output, 'many:'), $errors]);
[$status, $output, $errors] = rlock('ls', 'many:*', '--limit', '50');
$keys = array_map(fn (string $line) => strtok($line, ' '), array_slice(explode("\n", trim($output)), 1));
$sorted = $keys;
sort($sorted, SORT_STRING);
say('fifty of them', [count($keys), $keys === $sorted, $errors]);
say('all of few', rlock('ls', 'order-*', '--limit', '2')[2]);
say('JSON, three of them', substr_count(rlock('ls', 'many:*', '--json', '--limit', '3')[1], '"key":'));

$locks->releaseAll(); // some may have ended by now
$other->releaseAll();
$locks = new RLock($server->url(), ttl: 600.0);
ignore($locks->getLock('order-17'));
$terminal = new Terminal();
$terminal->type("\$RLOCK ls 'order-*' --watch\n");
$terminal->await('/order-17/');
ignore($locks->getLock('order-20'));
$terminal->await('/KEY [^\x1b]*order-17[^\x1b]*order-20/'); // each time with its titles
$terminal->type("\x03");
say('watched until Ctrl-C', $terminal->status());

// It takes long: a terminal is told, until Ctrl-C or the end.
$proxy = new Proxy($server->socket);
$proxy->tell('late 200');
$terminal->type("\$RLOCK ls 'order-*' --servers " . escapeshellarg($proxy->url('timeout=30')) . "\n");
$terminal->await('/searching for \d s, \d+ found/');
$terminal->type("\x03");
say('Ctrl-C in a search', $terminal->status());
$terminal->type("\$RLOCK ls 'order-*' --servers " . escapeshellarg($proxy->url('timeout=30')) . "\n");
$terminal->await('/searching for \d s/');
$proxy->tell('late 0');
$terminal->await('/KEY .*order-17/s');
say('and its end', $terminal->status());

// How far it is stands in no line of what is for programs.
$proxy->tell('late 200');
$terminal->type("\$RLOCK ls 'many:*' --json --servers " . escapeshellarg($proxy->url('timeout=30')) . "\n");
$terminal->await('/searching for \d s, \d+ found\r\x1b\[K[^\r]*,\r\n/');
$terminal->type("\x03");
say('Ctrl-C among JSON', $terminal->status());

// What has been found is printed before the end.
$proxy->tell('late 20');
$terminal->type("\$RLOCK ls 'many:*' --limit 20000 --quiet --servers " . escapeshellarg($proxy->url('timeout=30')) . "\n");
$terminal->await('/KEY .*many:\d+ /s');
$terminal->type("\x03");
say('Ctrl-C beneath what has been found', $terminal->status());
?>
--EXPECT--
nothing: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  rlock: No lock with the prefix "lock@" matches "*"; --prefix tells another
nothing, JSON: 0
  [
  ]
all: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  foreign  -  foreign  -  for ever  no  -
  odd\x1b[2J key  HOST:PID  lease  TIME  N s  no  FENCE
  order-17  HOST:PID  lease  TIME  N s  no  FENCE  two\x0alines
  order-18  HOST:PID  cooldown  TIME  N s  no  FENCE
without what is foreign: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  odd\x1b[2J key  HOST:PID  lease  TIME  N s  no  FENCE
  order-17  HOST:PID  lease  TIME  N s  no  FENCE  two\x0alines
  order-18  HOST:PID  cooldown  TIME  N s  no  FENCE
some: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  order-17  HOST:PID  lease  TIME  N s  no  FENCE  two\x0alines
  order-18  HOST:PID  cooldown  TIME  N s  no  FENCE
others: 0
  KEY  OWNER  KIND  SINCE  LEFT  CONTENDED  FENCE  METADATA
  order-19  HOST:PID  lease  TIME  N s  no  FENCE
foreign: ["foreign",null,true]
odd: ["lease",null,false]
order-17: ["lease","two\nlines",false]
order-18: ["cooldown",null,false]
no server: 69
  rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
no server, JSON: 69
  [
  ]
  {"event":"error","key":"*","message":"Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory"}
many: 20000
in one step: false
in small steps: true
for people: [0,1000,"rlock: There are more than 1000; a pattern, or --limit N, shows others\n"]
fifty of them: [50,true,"rlock: There are more than 50; a pattern, or --limit N, shows others\n"]
all of few: 
JSON, three of them: 3
watched until Ctrl-C: 0
Ctrl-C in a search: 130
and its end: 0
Ctrl-C among JSON: 130
Ctrl-C beneath what has been found: 130
