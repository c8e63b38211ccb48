--TEST--
E3: an error handler that throws at every warning loses nothing that a call gave or returned
--FILE--
<?php
require __DIR__ . '/../server.inc';

set_error_handler(fn ($level, $message) => str_starts_with($message, 'RLock:') ? throw new ErrorException($message) : false);

/* A call learns it that comes to a node for the first time, as after a slot has moved. */
$evicting = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
$cluster = new TestCluster(2);
[$from, $to] = $cluster->masters;
$to->client()('CONFIG', 'SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru');
$lock = new RLock($cluster->url('persistent=0'), ttl: 60.0);
$key = $cluster->keyOn(0);
ignore($lock->getLock($key));
$cluster->move(TestCluster::slot("lock@$key"), $from, $to);
$token = $lock->handOver($key);
try {
    unset($lock);
} catch (ErrorException $e) {
    say('told at the end', str_contains($e->getMessage(), (string) $to->port));
}
say('handed over', [$to->client()('GET', "lock@$key") === $token]);

/* Of each call that comes first to a server. */
$calls = [
    'getLock' => fn (RLock $lock) => $lock->getLock('a') && $lock->isLocking('a'),
    'getLocks' => fn (RLock $lock) => $lock->getLocks(['a', 'b']) && $lock->isLocking('a'),
    'synchronized' => fn (RLock $lock) => $lock->synchronized('a', fn () => 'result'),
    'adopt' => fn (RLock $lock) => $lock->adopt('foreign', 'rlock1:h:1:' . str_repeat('0', 32)) && $lock->isLocking('foreign'),
    'holder' => fn (RLock $lock) => $lock->holder('a'),
    'breakLock' => fn (RLock $lock) => $lock->breakLock('foreign'),
];
foreach ($calls as $name => $call) {
    $server = TestServer::start($evicting);
    $client = $server->client();
    $client('SET', 'lock@foreign', 'rlock1:h:1:' . str_repeat('0', 32), 'PX', 60000);
    $lock = new RLock($server->url());
    say($name, outcome(fn () => $call($lock)));
    say('told', [outcome(fn () => $lock->getLock('a')), outcome(fn () => $lock->getLock('a'))]);
    unset($lock);
    say('left', $client('EXISTS', 'lock@a', 'lock@b'));
}
?>
--EXPECT--
told at the end: true
handed over: [true]
getLock: true
told: ["ErrorException","true"]
left: 0
getLocks: true
told: ["ErrorException","true"]
left: 0
synchronized: "result"
told: ["ErrorException","true"]
left: 0
adopt: true
told: ["ErrorException","true"]
left: 0
holder: null
told: ["ErrorException","true"]
left: 0
breakLock: true
told: ["ErrorException","true"]
left: 0
