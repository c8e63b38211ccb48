--TEST--
S16: the lock key is evicted: lost
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 600.0));
$client('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
$client('CONFIG', 'SET', 'maxmemory', '3mb');
for ($i = 0; $i < 20000 && $client('EXISTS', 'lock@key'); $i++) {
    for ($j = 0; $j < 20; $j++) {
        $client->send('SET', "fill$i-$j", str_repeat('x', 200), 'PX', 600000);
    }
    for ($j = 0; $j < 20; $j++) {
        $client->read();
    }
}
say('evicted', $client('EXISTS', 'lock@key') === 0);
say('release', outcome(fn () => $lock->releaseLock('key')));
say('a new take', $lock->getLock('key'));
?>
--EXPECT--
evicted: true
release: RLock\LostLockException, held false
a new take: true
