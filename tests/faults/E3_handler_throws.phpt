--TEST--
E3, X2: where an error handler throws at everything and the server may evict locks, each call still gives its result
--FILE--
<?php
require __DIR__ . '/../server.inc';

ini_set('error_log', temporary_folder() . '/log');

/* Of each call that comes first to a server. */
$calls = [
    'getLock' => fn (RLock $lock) => $lock->getLock('a') && $lock->isLocking('a'),
    'getSharedLock' => fn (RLock $lock) => $lock->getSharedLock('a') && $lock->isLocking('a'),
    'getLocks' => fn (RLock $lock) => $lock->getLocks(['a', 'b']) && $lock->isLocking('a'),
    'synchronized' => fn (RLock $lock) => $lock->synchronized('a', fn () => 'result'),
    'detached' => fn (RLock $lock) => $lock->detached('a', 'name')->getLock() && $lock->detached('a', 'name')->releaseLock(),
    'adopt' => fn (RLock $lock) => $lock->adopt('foreign', 'rlock1:' . str_repeat('0', 32) . ':h:1') && $lock->isLocking('foreign'),
    'holder' => fn (RLock $lock) => $lock->holder('a'),
    'breakLock' => fn (RLock $lock) => $lock->breakLock('foreign'),
];
foreach ($calls as $name => $call) {
    $server = TestServer::start(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
    $client = $server->client();
    $client('SET', 'lock@foreign', 'rlock1:' . str_repeat('0', 32) . ':h:1', 'PX', 60000);
    $lock = new RLock($server->url());
    set_error_handler(fn ($level, $message) => throw new ErrorException($message));
    say($name, [outcome(fn () => $call($lock)), outcome(fn () => $lock->getLock('a')), outcome(fn () => $lock->getLock('a'))]);
    unset($lock);
    restore_error_handler();
    say('left', $client('EXISTS', 'lock@a', 'lock@b'));
}

/* A call learns it that comes to a node for the first time, as after a slot has moved. */
$cluster = new TestCluster(2);
[$from, $to] = $cluster->masters;
$to->client()('CONFIG', 'SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru');
$lock = new RLock($cluster->url('persistent=0'), ttl: 60.0);
$key = $cluster->keyOn(0);
ignore($lock->getLock($key));
$cluster->move(TestCluster::slot("lock@$key"), $from, $to);
set_error_handler(fn ($level, $message) => throw new ErrorException($message));
$token = $lock->handOver($key);
unset($lock);
restore_error_handler();
say('handed over', [$to->client()('GET', "lock@$key") === $token]);
say('told', substr_count(file_get_contents(ini_get('error_log')), 'RLock: ') === count($calls) + 1);
?>
--EXPECT--
getLock: ["true","true","true"]
left: 0
getSharedLock: ["true","true","true"]
left: 0
getLocks: ["true","true","true"]
left: 0
synchronized: ["\"result\"","true","true"]
left: 0
detached: ["true","true","true"]
left: 0
adopt: ["true","true","true"]
left: 0
holder: ["null","true","true"]
left: 0
breakLock: ["true","true","true"]
left: 0
handed over: [true]
told: true
