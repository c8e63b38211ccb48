--TEST--
A2, S5, S6: a release that is refused is no longer ours, and is made good at the next contact, or at the object's end
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('ACL', 'SETUSER', 'tom', 'on', '>secret', '~*', '+@all');
$url = $server->url('user=tom&password=secret&timeout=2');
$cases = [
    'NOPERM' => [['ACL', 'SETUSER', 'tom', 'resetkeys'], ['ACL', 'SETUSER', 'tom', '~*']],
    'READONLY' => [['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    'NOREPLICAS' => [['CONFIG', 'SET', 'min-replicas-to-write', '1'], ['CONFIG', 'SET', 'min-replicas-to-write', '0']],
];
foreach ($cases as $name => [$refuse, $accept]) {
    foreach (['the next call' => fn ($lock) => $lock->holder('other'), 'close' => fn ($lock) => $lock->close(), 'the end' => null] as $how => $contact) {
        $lock = new RLock($url);
        take_briefly($lock->getLock(...), 'key', ttl: 60.0);
        $client(...$refuse);
        $told = outcome(fn () => $lock->releaseLock('key'));
        $again = outcome(fn () => $lock->releaseLock('key'));
        $client(...$accept);
        $left = $client('EXISTS', lock_key('key'));
        $contact ? $contact($lock) : $lock = null;
        say("$name, $how", [$told, $again, $left, $client('EXISTS', lock_key('key'))]);
    }
}
?>
--EXPECT--
NOPERM, the next call: ["RLock\\ServerException, NOPERM","false",1,0]
NOPERM, close: ["RLock\\ServerException, NOPERM","false",1,0]
NOPERM, the end: ["RLock\\ServerException, NOPERM","false",1,0]
READONLY, the next call: ["RLock\\ServerException, READONLY","false",1,0]
READONLY, close: ["RLock\\ServerException, READONLY","false",1,0]
READONLY, the end: ["RLock\\ServerException, READONLY","false",1,0]
NOREPLICAS, the next call: ["RLock\\ServerException, NOREPLICAS","false",1,0]
NOREPLICAS, close: ["RLock\\ServerException, NOREPLICAS","false",1,0]
NOREPLICAS, the end: ["RLock\\ServerException, NOREPLICAS","false",1,0]
