--TEST--
releaseAll() on a server that does not know the script, or refuses for a moment, is not mistaken about what was lost
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
foreach (['first of all', 'after a flush'] as $name) {
    ignore($lock->getLocks(range(1, 300), ttl: 60.0));
    $client('DEL', 'lock@7');
    $client('SCRIPT', 'FLUSH');
    say($name, $lock->releaseAll());
    say('left', count($client('KEYS', 'lock@*')));
}
say('one was lost each time', $lock->stats()['lost']);
ignore($lock->getLocks(['a', 'b'], ttl: 60.0));
$client('SCRIPT', 'FLUSH');
say('none lost', $lock->releaseAll());
$lock = new RLock($server->url('timeout=2'));
ignore($lock->getLocks(['a', 'b', 'c'], ttl: 60.0));
$client('CONFIG', 'SET', 'min-replicas-to-write', 1);
say('refused', outcome(fn () => $lock->releaseAll()));
$client('CONFIG', 'SET', 'min-replicas-to-write', 0);
say('none held', [$lock->lease('a'), $lock->lease('b'), $lock->lease('c')]);
?>
--EXPECT--
first of all: false
left: 0
after a flush: false
left: 0
one was lost each time: 2
none lost: true
refused: RLock\ServerException, NOREPLICAS
none held: [null,null,null]
