--TEST--
A late share: TimeoutException if nobody has had the lock exclusively since, else LostLockException; so too one that went early
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$other = new RLock(shared_url());
$third = new RLock(shared_url());

/* Owners that have had shares of these keys, whose time is up. */
function expired(string ...$keys): array
{
    $locks = array_map(fn () => new RLock(shared_url()), $keys);
    foreach ($keys as $name => $key) {
        take_briefly($locks[$name]->getSharedLock(...), $key, ttl: 0.5);
    }
    foreach ($keys as $name => $key) {
        await('its end', fn () => !shared_client()('EXISTS', lock_key($key)));
    }
    return $locks;
}
$calls = [
    'releaseLock' => fn (RLock $lock, string $key) => $lock->releaseLock($key),
    'releaseLock without confirm' => fn (RLock $lock, string $key) => $lock->releaseLock($key, confirm: false),
    'check' => fn (RLock $lock, string $key) => $lock->check($key),
    'getSharedLock' => fn (RLock $lock, string $key) => $lock->getSharedLock($key),
    'getLock' => fn (RLock $lock, string $key) => $lock->getLock($key),
    'prolongate' => fn (RLock $lock, string $key) => $lock->prolongate($key),
];
$meanwhile = [
    'nothing' => fn (string $key) => null,
    'others came and went, shared' => fn (string $key) => [$other->getSharedLock($key), $other->releaseLock($key)],
    'another has a share' => fn (string $key) => $other->getSharedLock($key),
    'another has had it exclusively' => fn (string $key) => [$other->getLock($key), $other->releaseLock($key)],
    'and then a share' => fn (string $key) => [$other->getLock($key), $other->downgrade($key)],
    'and again a share' => fn (string $key) => [$other->getLock($key), $other->releaseLock($key), $other->getSharedLock($key)],
    'a share of another was upgraded' => fn (string $key) => [$other->getSharedLock($key), $other->getLock($key), $other->downgrade($key)],
    'another has it exclusively' => fn (string $key) => $other->getLock($key),
    'a foreign client has it' => fn (string $key) => $client('SET', lock_key($key), 'foreign', 'PX', 60000),
];
foreach ($meanwhile as $what => $happens) {
    echo "$what:\n";
    $keys = array_map(fn () => unique_key(), $calls);
    $locks = expired(...$keys);
    foreach ($calls as $name => $call) {
        $happens($keys[$name]);
        say("- $name", outcome(fn () => $call($locks[$name], $keys[$name])));
        $other->releaseAll();
        $locks[$name]->releaseAll();
    }
}

echo "what the message says:\n";
function said(callable $call): string
{
    try {
        return get_debug_type($call());
    } catch (RLock\TimeoutException $e) {
        return preg_replace('/.*(nobody else[^.,]*|within its lease: .*).*/s', '$1', $e->getMessage());
    }
}
foreach (['check', 'prolongate'] as $call) {
    [$lock] = expired($key = unique_key());
    say("- $call", said(fn () => $lock->$call($key)));
}
$lock = new RLock(shared_url());
ignore([$lock->getSharedLock($key = unique_key(), ttl: 60.0), $other->getSharedLock($key, ttl: 60.0)]);
ignore($third->breakLock($key, $lock->lease($key)->fence));
say('- broken', said(fn () => $lock->releaseLock($key)));
$other->releaseAll();

echo "afterwards:\n";
[$lock] = expired($key = unique_key());
say('told', outcome(fn () => $lock->releaseLock($key)));
say('once', [$lock->releaseLock($key), $lock->lease($key), outcome(fn () => $lock->check($key))]);
say('anew', [$lock->getSharedLock($key), outcome(fn () => $lock->check($key)), $lock->releaseLock($key)]);

echo "before their time:\n";
foreach (['deleted' => fn ($key) => $client('DEL', lock_key($key)), 'overwritten' => fn ($key) => $client('SET', lock_key($key), 'foreign', 'PX', 60000)] as $how => $happens) {
    $key = unique_key();
    $lock = new RLock(shared_url());
    say($how, [$lock->getSharedLock($key, ttl: 60.0), $other->getSharedLock($key, ttl: 60.0)]);
    $happens($key);
    say('both', [outcome(fn () => $lock->releaseLock($key)), outcome(fn () => $other->prolongate($key))]);
}

echo "from a server that has forgotten the last prolongation:\n";
$key = unique_key();
$lock_key = lock_key($key);
[$fence_key, $shares, $record] = array_map(fn (string $kind) => "rlock:$kind:{{$lock_key}}:$lock_key", ['f', 's', 'h']);
$lock = new RLock(shared_url());
take_briefly($lock->getSharedLock(...), $key, ttl: 60.0);
[$end, $known, $fence] = [$client('ZRANGE', $shares, '0', '0', 'WITHSCORES')[1], $client('HGETALL', $record), $client('GET', $fence_key)];
ignore($lock->prolongate($key, 0.5));
$later = $lock->lease($key)->fence;
ignore([$client('SET', $lock_key, '+shared', 'PXAT', $end), $client('SET', $fence_key, $fence, 'KEEPTTL'), $client('HSET', $record, ...$known),
    $client('ZADD', $shares, $end, $known[0]), $client('PEXPIREAT', $shares, $end)]);
await('its end', fn () => $lock->lease($key)->ttl <= 0.0);
say('prolongate', outcome(fn () => $lock->prolongate($key)));
say('the fence had risen, and rises again', [$later > (int) $fence, $lock->lease($key)->fence > $later]);
ignore($lock->releaseLock($key));

echo "a limit:\n";
$key = unique_key();
$lock = new RLock(shared_url());
take_briefly($lock->getSharedLock(...), $key, ttl: 0.5, limit: 1);
ignore($other->getSharedLock($key, wait: 20.0, ttl: 60.0, limit: 1));
say('its place is taken: prolongate', outcome(fn () => $lock->prolongate($key)));
say('who holds it', count($third->sharers($key)));
say("the other's", $other->releaseLock($key));
?>
--EXPECT--
nothing:
- releaseLock: RLock\TimeoutException, held false, late
- releaseLock without confirm: RLock\TimeoutException, held false, late
- check: RLock\TimeoutException, held false, late
- getSharedLock: RLock\TimeoutException, held false, late
- getLock: RLock\TimeoutException, held false, late
- prolongate: RLock\TimeoutException, held true, late
others came and went, shared:
- releaseLock: RLock\TimeoutException, held false, late
- releaseLock without confirm: RLock\TimeoutException, held false, late
- check: RLock\TimeoutException, held false, late
- getSharedLock: RLock\TimeoutException, held false, late
- getLock: RLock\TimeoutException, held false, late
- prolongate: RLock\TimeoutException, held true, late
another has a share:
- releaseLock: RLock\TimeoutException, held false, late
- releaseLock without confirm: RLock\TimeoutException, held false, late
- check: RLock\TimeoutException, held false, late
- getSharedLock: RLock\TimeoutException, held false, late
- getLock: RLock\TimeoutException, held false, late
- prolongate: RLock\TimeoutException, held true, late
another has had it exclusively:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
and then a share:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
and again a share:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
a share of another was upgraded:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
another has it exclusively:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
a foreign client has it:
- releaseLock: RLock\LostLockException, held false
- releaseLock without confirm: RLock\LostLockException, held false
- check: RLock\LostLockException, held false
- getSharedLock: RLock\LostLockException, held false
- getLock: RLock\LostLockException, held false
- prolongate: RLock\LostLockException, held false
what the message says:
- check: nobody else has had the lock exclusively
- prolongate: nobody else has had the lock exclusively
- broken: within its lease: it was broken, or another has it, or has had it
afterwards:
told: RLock\TimeoutException, held false, late
once: [false,null,"RLock\\TimeoutException, held false, late"]
anew: [true,"null",true]
before their time:
deleted: [true,true]
both: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
overwritten: [true,true]
both: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
from a server that has forgotten the last prolongation:
prolongate: RLock\TimeoutException, held true, late
the fence had risen, and rises again: [true,true]
a limit:
its place is taken: prolongate: RLock\TimeoutException, held false, late
who holds it: 1
the other's: true
