--TEST--
confirm: false, and the server refuses for a moment: the next contact gives the lock back, with its delay
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
/* The answer has arrived when the server has had two turns since. */
$refused = function (callable $release) use ($client) {
    $client('CONFIG', 'SET', 'min-replicas-to-write', 1);
    $result = $release();
    $client('PING');
    $client('CONFIG', 'SET', 'min-replicas-to-write', 0);
    return $result;
};
$contacts = [
    'getLock' => fn ($lock) => $lock->getLock('another', ttl: 60.0),
    'getLock of the same' => fn ($lock) => $lock->getLock('key', ttl: 60.0),
    'getLock again' => fn ($lock) => $lock->getLock('held', ttl: 60.0),
    'releaseLock' => fn ($lock) => $lock->releaseLock('held'),
    'prolongate' => fn ($lock) => $lock->prolongate('held', 60.0),
    'isLocking' => fn ($lock) => $lock->isLocking('held'),
    'holder' => fn ($lock) => $lock->holder('key') === null,
    'handOver' => fn ($lock) => strlen($lock->handOver('held')) > 30,
    'adopt' => fn ($lock) => $lock->adopt('held', $lock->lease('held')->token),
    'breakLock' => fn ($lock) => $lock->breakLock('held'),
    'releaseAll' => fn ($lock) => $lock->releaseAll(),
];
foreach ($contacts as $name => $contact) {
    $lock = new RLock($server->url());
    ignore($lock->getLock('held', ttl: 60.0));
    ignore($lock->getLock('key', ttl: 60.0));
    $released = $refused(fn () => $lock->releaseLock('key', confirm: false));
    $there = $client('EXISTS', 'lock@key');
    $result = outcome(fn () => $contact($lock));
    $mine = $name === 'getLock of the same';
    if (!$released || $there !== 1 || $result !== 'true' || $client('EXISTS', 'lock@key') !== (int) $mine) {
        say($name, [$released, $there, $result, $client('EXISTS', 'lock@key')]);
    }
    @$lock->close();
    $client('DEL', 'lock@held', 'lock@another');
}

$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
say('release', $refused(fn () => $lock->releaseLock('key', confirm: false)));
say('still there', $client('EXISTS', 'lock@key'));
unset($lock);
say('after the end of the object', $client('EXISTS', 'lock@key'));

$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
say('release', $refused(fn () => $lock->releaseLock('key', delayAfter: 500.0, confirm: false)));
say('contact', $lock->getLock('held'));
say_within('kept for', $client('PTTL', 'lock@key') / 1000, 490, 500);
?>
--EXPECT--
release: true
still there: 1
after the end of the object: 0
release: true
contact: true
kept for: in time
