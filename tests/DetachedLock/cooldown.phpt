--TEST--
DetachedLock: holder() is of Kind::Detached, a delayAfter tells who it was, and neither tells the name
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
$own = gethostname() . ':' . getmypid();
$detached = $lock->detached('key', 'a name: secret');
$told = function () use ($other, $own): array {
    $holder = $other->holder('key');
    $printed = var_export($holder, true);
    return [$holder->kind->name, $holder->owner === $own, $holder->metadata, str_contains($printed, 'secret'),
        str_contains($printed, bin2hex('secret'))];
};
say('taken', $detached->getLock(ttl: 60.0, metadata: 'note'));
$fence = $detached->fence();
say('holder', [...$told(), $other->holder('key')->fence === $fence]);
say('released', $detached->releaseLock(delayAfter: 60.0));
say('cooldown', [...$told(), $other->holder('key')->fence === $fence]);
say('its value has no name', [str_starts_with($client('GET', 'lock@key'), '-~'), str_contains($client('GET', 'lock@key'), bin2hex('secret'))]);
say('its owner neither', [$detached->isLocking(), $detached->getLock(), $detached->releaseLock()]);

/* By one that has found it. */
$client('FLUSHALL');
say('without metadata', $detached->getLock());
say('released by another', $other->detached('key', 'a name: secret')->releaseLock(delayAfter: 60.0));
say('cooldown', $told());
say('broken by its fence', $other->breakLock('key', $other->holder('key')->fence));
?>
--EXPECT--
taken: true
holder: ["Detached",true,"note",false,false,true]
released: true
cooldown: ["Cooldown",true,"note",false,false,true]
its value has no name: [true,false]
its owner neither: [false,false,false]
without metadata: true
released by another: true
cooldown: ["Cooldown",true,null,false,false]
broken by its fence: true
