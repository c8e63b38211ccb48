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

/* Where there is no next contact, it is asked for until the timeout is over. */
$mend = '$client = new RawClient($args["address"]);
    await_refusal($client, "NOPERM", $args["before"]);
    $client("ACL", "SETUSER", "tom", "~*");';
$nothing = fn () => null;
$ends = [
    'close, of what was refused before' => [fn ($lock) => outcome(fn () => $lock->releaseLock('key')), fn ($lock) => $lock->close()],
    'close' => [$nothing, fn ($lock) => $lock->close()],
    'the end' => [$nothing, $nothing],
];
foreach (['mended' => $mend, 'not mended' => ''] as $then => $code) {
    foreach ($ends as $how => [$before, $end]) {
        $client('ACL', 'SETUSER', 'tom', '~*');
        $lock = new RLock($server->url('user=tom&password=secret&timeout=' . ($code ? 10 : 2)));
        take_briefly($lock->getLock(...), 'key', ttl: 60.0);
        $client('ACL', 'SETUSER', 'tom', 'resetkeys');
        $before($lock);
        $child = Child::start($code, ['address' => "unix://$server->socket", 'before' => refusals($client, 'NOPERM')]);
        set_error_handler(fn (int $level, string $message) => say('told', preg_replace('/ Redis at .*/', '', $message)));
        say("$then, $how", outcome(fn () => $end($lock)));
        $lock = null;
        restore_error_handler();
        $child->wait();
        say('left', $client('DEL', lock_key('key')));
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
mended, close, of what was refused before: null
left: 0
mended, close: null
left: 0
mended, the end: null
left: 0
not mended, close, of what was refused before: RLock\ServerException, NOPERM
left: 1
not mended, close: RLock\ServerException, NOPERM
left: 1
not mended, the end: null
told: RLock: 1 of 1 locks could not be given back at the end; the first: The release was refused for as long as the timeout: the lock stays taken until its lease ends.
left: 1
