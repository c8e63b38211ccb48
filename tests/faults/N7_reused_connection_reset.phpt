--TEST--
N7: reset or EOF on a reused connection: reconnect, AUTH, SELECT, once more
--FILE--
<?php
require __DIR__ . '/../server.inc';

ini_set('rlock.timeout', '10'); // of the addresses that say nothing of it: a busy machine takes its time
ini_set('rlock.connect_timeout', '10');
$server = TestServer::start(['--requirepass', 'secret'], tcp: true);
$client = $server->client();
$client('AUTH', 'secret');
$client('SELECT', 3);
$kill = function () use ($client) {
    $killed = 0;
    foreach (explode("\n", $client('CLIENT', 'LIST')) as $line) {
        if (str_contains($line, 'name=rlock') && preg_match('/id=(\d+)/', $line, $match)) {
            $client('CLIENT', 'KILL', 'ID', $match[1]);
            $killed++;
        }
    }
    return $killed;
};
foreach (["unix://$server->socket?password=secret&db=3", "redis://:secret@127.0.0.1:$server->port/3"] as $address) {
    $lock = new RLock($address);
    $other = new RLock($address);
    $calls = [
        'getLock' => fn () => $lock->getLock('key', ttl: 60.0),
        'getLock again' => fn () => $lock->getLock('key', ttl: 60.0),
        'isLocking' => fn () => $lock->isLocking('key'),
        'prolongate' => fn () => $lock->prolongate('key', 60.0),
        'holder' => fn () => $lock->holder('key'),
        'busy' => fn () => $other->getLock('key'),
        'releaseLock inner' => fn () => $lock->releaseLock('key'),
        'on database 3' => fn () => $client('EXISTS', 'lock@key'),
        'releaseLock' => fn () => $lock->releaseLock('key'),
    ];
    $other->isLocking('warm');
    foreach ($calls as $name => $call) {
        $kill();
        say($name, outcome($call));
    }
    say('left', $client('EXISTS', 'lock@key'));
    say('reconnects', $lock->stats()['reconnects'] > 0);
}
$lock->isLocking('key');
say('killed', $kill() > 0);
?>
--EXPECT--
getLock: true
getLock again: true
isLocking: true
prolongate: true
holder: RLock\Holder
busy: false
releaseLock inner: true
on database 3: 1
releaseLock: true
left: 0
reconnects: true
getLock: true
getLock again: true
isLocking: true
prolongate: true
holder: RLock\Holder
busy: false
releaseLock inner: true
on database 3: 1
releaseLock: true
left: 0
reconnects: true
killed: true
