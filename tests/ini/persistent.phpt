--TEST--
Persistent connections are shared by objects and outlast them; others end with their object
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$connected = fn () => $client->info('connected_clients') - 1;
for ($i = 0; $i < 5; $i++) {
    $lock = new RLock($server->url('persistent=1'));
    ignore($lock->getLock("key$i"));
}
say('five objects, one after the other', $connected());
unset($lock);
say('and none', $connected());

$locks = [];
for ($i = 0; $i < 5; $i++) {
    $locks[$i] = new RLock($server->url('persistent=1'));
    ignore($locks[$i]->getLock("key$i"));
}
say('five objects at once', $connected());
foreach ($locks as $lock) {
    $lock->close();
}
unset($locks, $lock);

$before = $connected();
$lock = new RLock($server->url('persistent=0'));
ignore($lock->getLock('key'));
say('not persistent', $connected() - $before);
unset($lock);
await('closed', fn () => $connected() === $before);
say('ended with its object', true);

ini_set('rlock.persistent', '0');
$lock = new RLock($server->url());
ignore($lock->getLock('key'));
unset($lock);
await('closed', fn () => $connected() === $before);
say('by ini', true);
?>
--EXPECT--
five objects, one after the other: 1
and none: 1
five objects at once: 1
not persistent: 1
ended with its object: true
by ini: true
