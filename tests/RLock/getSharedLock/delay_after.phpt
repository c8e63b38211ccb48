--TEST--
delayAfter of a share: nobody enters before it is over; the shares that are held stay; the cooldown tells who gave back
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$one = new RLock(shared_url());
$two = new RLock(shared_url());
$third = new RLock(shared_url());

/* The only share. */
ignore($one->getSharedLock($key, ttl: 60.0, metadata: 'note: -~'));
ignore($one->getSharedLock($key));
$fence = $one->lease($key)->fence;
say('inner', [$one->releaseLock($key, delayAfter: 20.0), $two->getSharedLock($key), $two->releaseLock($key)]);
say('outermost', $one->releaseLock($key, delayAfter: 60.0));
say('nobody', [$one->getSharedLock($key), $two->getSharedLock($key), $two->getLock($key), $one->releaseLock($key)]);
$holder = $third->holder($key);
say('it tells who it was', [$holder->kind->name, $holder->metadata, $holder->fence >= $fence, $holder->shared]);
say('sharers', array_map(fn ($holder) => $holder->kind->name, $third->sharers($key)));
say('broken', $third->breakLock($key));
ignore($one->getSharedLock($key));
$took = seconds(function () use ($one, $two, $key) {
    $one->releaseLock($key, delayAfter: 0.8);
    say('after it', $two->getSharedLock($key, wait: 10.0));
});
say_took('it took', $took, 0.79, 3.0);
$two->releaseLock($key);

/* Beside another. A busy machine must be done within the delay. */
ignore([$one->getSharedLock($key, ttl: 60.0, metadata: 'first'), $two->getSharedLock($key, ttl: 60.0, metadata: 'second')]);
$fence = $one->lease($key)->fence;
say('given back', $one->releaseLock($key, delayAfter: 3.0));
say('the other stays', [$two->isLocking($key), $two->prolongate($key, 50.0), outcome(fn () => $two->check($key)), $two->getSharedLock($key)]);
say('nobody enters', [$one->getSharedLock($key), $third->getSharedLock($key, limit: 5), $third->getLock($key)]);
say('nor becomes exclusive', $two->getLock($key));
say('holders', array_map(fn ($holder) => $holder->metadata, $third->sharers($key)));
say('the other goes', [$two->releaseLock($key), $two->releaseLock($key)]);
$holder = $third->holder($key);
say('the delay remains', [$holder->kind->name, $holder->metadata, $holder->fence >= $fence, $third->getSharedLock($key)]);
say('after it', [$third->getLock($key, wait: 10.0), $third->releaseLock($key)]);

/* And if the other stays, shares enter when it is over. */
ignore([$one->getSharedLock($key, ttl: 60.0), $two->getSharedLock($key, ttl: 60.0)]);
$one->releaseLock($key, delayAfter: 0.5);
say('enters after it', [$third->getSharedLock($key, wait: 10.0), count($one->sharers($key))]);
say('given back', [$third->releaseLock($key), $two->releaseLock($key)]);

/* Broken. */
ignore($one->getSharedLock($key));
$fence = $one->lease($key)->fence;
$one->releaseLock($key, delayAfter: 600.0);
say('broken', [$two->breakLock($key, $fence), $two->getSharedLock($key)]);
$two->releaseLock($key);

/* Too late there is nothing to keep. */
take_briefly($one->getSharedLock(...), $key, ttl: 0.5);
await('its end', fn () => !$client('EXISTS', lock_key($key)));
say('late', [outcome(fn () => $one->releaseLock($key, delayAfter: 20.0)), $client('EXISTS', lock_key($key))]);
?>
--EXPECT--
inner: [true,true,true]
outermost: true
nobody: [false,false,false,false]
it tells who it was: ["Cooldown","note: -~",true,false]
sharers: ["Cooldown"]
broken: true
after it: true
it took: in time
given back: true
the other stays: [true,true,"null",true]
nobody enters: [false,false,false]
nor becomes exclusive: false
holders: ["second"]
the other goes: [true,true]
the delay remains: ["Cooldown","first",true,false]
after it: [true,true]
enters after it: [true,2]
given back: [true,true]
broken: [true,true]
late: ["RLock\\TimeoutException, held false, late",0]
