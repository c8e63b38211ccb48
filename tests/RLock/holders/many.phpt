--TEST--
holders() among many keys: each lock once, in steps of a hundred keys, ten looks at a time
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$fill = fn (string $name, int $count) => $client('EVAL', 'for i = 1, ARGV[2] do redis.call("SET", ARGV[1] .. i, "x", "PX", 600000) end', 0, $name, $count);
$fill('other', 50000);
$fill('lock@n', 3000);
$lock = new RLock($server->url());
$client('CONFIG', 'RESETSTAT');
$holders = $lock->holders('n*', 5000);
say('found', count($holders));
say('all', array_diff(array_map(fn ($i) => "n$i", range(1, 3000)), array_keys($holders)));
preg_match('/cmdstat_scan:calls=(\d+)/', $client('INFO', 'commandstats'), $steps);
say('steps', $steps[1] >= 500 && $steps[1] <= 1100);
preg_match('/cmdstat_evalsha:calls=(\d+)/', $client('INFO', 'commandstats'), $looks);
say('looks', $looks[1] >= 3000 && $looks[1] <= 3100); // the first ten again, since the server did not know the script
say('a limit ends it', count($lock->holders('n*', 10)));
preg_match('/cmdstat_scan:calls=(\d+)/', $client('INFO', 'commandstats'), $more);
say('early', $more[1] - $steps[1] < 10);
?>
--EXPECT--
found: 3000
all: []
steps: true
looks: true
a limit ends it: 10
early: true
