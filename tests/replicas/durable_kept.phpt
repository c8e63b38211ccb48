--TEST--
`durable`: what was granted is there after kill -9
--SKIPIF--
<?php
require __DIR__ . '/../server.inc';
try {
    TestServer::start()->client()('WAITAOF', 0, 0, 1);
} catch (RuntimeException) {
    exit('skip before Redis 7.2 there is no WAITAOF');
}
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

$start = fn (string $fsync) => TestServer::start(['--appendonly', 'yes', '--appendfsync', $fsync], tcp: true);
foreach (['always', 'everysec'] as $fsync) {
    $server = $start($fsync);
    $url = $server->url();
    /* Takes one lock after the other until the server dies. */
    $child = Child::start('
        $lock = new RLock($args[0], ttl: 600.0, durable: true);
        for ($i = 0; ; $i++) {
            ignore($lock->getLock("key$i"));
            $parent->say($i);
        }
    ', [$url]);
    while (($granted = $child->hear()) < ($fsync === 'always' ? 200 : 2)) {
    }
    $server->kill();
    $told = [];
    try {
        while (true) {
            $granted = $child->hear();
        }
    } catch (RuntimeException) {
    }
    $server = $server->restart();
    $client = $server->client();
    $lost = array_filter(range(0, $granted), fn (int $i) => $client('EXISTS', lock_key("key$i")) === 0);
    say("$fsync, lost", array_values($lost));
    $lock = new RLock($server->url(), durable: true);
    say('a pair', [$lock->getLock('mine'), $lock->prolongate('mine', 60.0), $lock->releaseLock('mine')]);
}

$master = $start('always');
$lock = new RLock($master->url('timeout=2'), replicas: 1, durable: true);
say('no replica', outcome(fn () => $lock->getLock('key')));
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port, '--appendonly', 'yes', '--appendfsync', 'always']);
await_replicas($master->client());
say('with a replica', [$lock->getLock('key'), $replica->client()('EXISTS', lock_key('key'))]);
?>
--EXPECT--
always, lost: []
a pair: [true,true,true]
everysec, lost: []
a pair: [true,true,true]
no replica: RLock\ServerException, NOREPLICAS
with a replica: [true,1]
