--TEST--
DetachedLock refuses bad arguments before any I/O, and a closed RLock
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(nowhere());
$detached = $lock->detached('key', 'name');
$calls = [
    'empty key' => fn () => $lock->detached('', 'name'),
    'key over 1 MiB' => fn () => $lock->detached(str_repeat('k', 1024 * 1024 + 1), 'name'),
    'empty name' => fn () => $lock->detached('key', ''),
    'name of 256 bytes' => fn () => $lock->detached('key', str_repeat('n', 256)),
    'array for name' => fn () => $lock->detached('key', []),
    'no name' => fn () => $lock->detached('key'),
    'getLock, wait NAN' => fn () => $detached->getLock(wait: NAN),
    'getLock, wait -1' => fn () => $detached->getLock(wait: -1.0),
    'getLock, ttl 0' => fn () => $detached->getLock(ttl: 0.0),
    'getLock, ttl INF' => fn () => $detached->getLock(ttl: INF),
    'getLock, policy 2' => fn () => $detached->getLock(policy: 2),
    'getLock, metadata over 64 KiB' => fn () => $detached->getLock(metadata: str_repeat('m', 65537)),
    'getLock, maxHold NAN' => fn () => $detached->getLock(autoRenew: true, maxHold: NAN),
    'getLock, maxHold INF' => fn () => $detached->getLock(autoRenew: true, maxHold: INF),
    'getLock, maxHold without autoRenew' => fn () => $detached->getLock(maxHold: 1.0),
    'getLock, too many' => fn () => $detached->getLock(0.0, null, 0, null, true, 1.0, 1),
    'prolongate, ttl NAN' => fn () => $detached->prolongate(NAN),
    'prolongate, ttl above 10^9' => fn () => $detached->prolongate(1.0e9 + 1),
    'releaseLock, delay -1' => fn () => $detached->releaseLock(-1.0),
    'releaseLock, delay INF' => fn () => $detached->releaseLock(INF),
    'isLocking, too many' => fn () => $detached->isLocking(1),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
$companion = (new RLock(nowhere(), prefix: ''))->detached('rlock:f:{x}:x', 'name');
foreach (['getLock', 'prolongate', 'releaseLock', 'isLocking', 'ttl', 'fence'] as $method) {
    say("a companion's key, $method", outcome(fn () => $companion->$method()));
}

/* And whoever is asked for nothing bad has nobody to ask. */
say('nobody there', array_map(fn ($method) => outcome(fn () => $detached->$method()),
    ['getLock', 'prolongate', 'releaseLock', 'isLocking', 'ttl', 'fence']));
try {
    ignore($detached->getLock());
} catch (RLock\ConnectionException $e) {
    say('about', [$e->key, str_contains($e->getMessage(), '"key"'), str_contains($e->getMessage(), 'name"')]);
}

$lock->close();
foreach (['getLock', 'prolongate', 'releaseLock', 'isLocking', 'ttl', 'fence'] as $method) {
    say("closed, $method", outcome(fn () => $detached->$method()));
}
say('closed, detached', outcome(fn () => $lock->detached('key', 'name')));
say('closed, a bad argument', outcome(fn () => $detached->getLock(wait: NAN)));
?>
--EXPECT--
empty key: ValueError
key over 1 MiB: ValueError
empty name: ValueError
name of 256 bytes: ValueError
array for name: TypeError
no name: ArgumentCountError
getLock, wait NAN: ValueError
getLock, wait -1: ValueError
getLock, ttl 0: ValueError
getLock, ttl INF: ValueError
getLock, policy 2: ValueError
getLock, metadata over 64 KiB: ValueError
getLock, maxHold NAN: ValueError
getLock, maxHold INF: ValueError
getLock, maxHold without autoRenew: ValueError
getLock, too many: ArgumentCountError
prolongate, ttl NAN: ValueError
prolongate, ttl above 10^9: ValueError
releaseLock, delay -1: ValueError
releaseLock, delay INF: ValueError
isLocking, too many: ArgumentCountError
a companion's key, getLock: ValueError
a companion's key, prolongate: ValueError
a companion's key, releaseLock: ValueError
a companion's key, isLocking: ValueError
a companion's key, ttl: ValueError
a companion's key, fence: ValueError
nobody there: ["RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException"]
about: ["key",true,false]
closed, getLock: RLock\RLockException
closed, prolongate: RLock\RLockException
closed, releaseLock: RLock\RLockException
closed, isLocking: RLock\RLockException
closed, ttl: RLock\RLockException
closed, fence: RLock\RLockException
closed, detached: RLock\RLockException
closed, a bad argument: ValueError
