--TEST--
adopt() by Lease::$token takes a running holder's lock over; it learns LostLockException, before its deadline and after
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$calls = [
    'releaseLock' => fn (RLock $user) => $user->releaseLock('key'),
    'prolongate' => fn (RLock $user) => $user->prolongate('key'),
    'getLock' => fn (RLock $user) => $user->getLock('key'),
    'handOver' => fn (RLock $user) => $user->handOver('key'),
];
foreach ([60.0, 0.6] as $ttl) {
    echo $ttl > 1 ? "before:\n" : "after:\n";
    foreach ($calls as $name => $call) {
        $user = new RLock($server->url());
        [$lease, $adopted] = done_within(0.4, function () use ($user, $lock, $ttl) {
            ignore($user->getLock('key', ttl: $ttl, metadata: 'note'));
            $lease = $user->lease('key');
            return [$lease, $lock->adopt('key', $lease->token, 60.0)];
        }, fn () => [$lock->breakLock('key'), outcome(fn () => $user->releaseAll()), outcome(fn () => $lock->releaseAll())]);
        $mine = $lock->lease('key');
        if (!$adopted || $mine->fence <= $lease->fence || $mine->metadata !== 'note' || $mine->ttl < 50.0) {
            say('adopt', [$adopted, $mine->fence > $lease->fence, $mine->metadata, $mine->ttl]);
        }
        if ($ttl < 1) {
            await('its deadline', fn () => $user->lease('key')->ttl === 0.0);
        }
        say($name, [outcome(fn () => $call($user)), $user->lease('key')]);
        if (!$lock->isLocking('key') || !$lock->releaseLock('key')) {
            say('unharmed', false);
        }
    }
}

echo "check:\n";
$user = new RLock($server->url());
$freed = fn () => [$lock->breakLock('key'), $lock->breakLock('other'), outcome(fn () => $user->releaseAll()), outcome(fn () => $lock->releaseAll())];
say('while it is surely safe by its clock', done_within(0.4, function () use ($user, $lock) {
    ignore($user->getLock('key', ttl: 0.6));
    ignore($lock->adopt('key', $user->lease('key')->token, 60.0));
    return outcome(fn () => $user->check('key'));
}, $freed));
await('its deadline', fn () => $user->lease('key')->ttl === 0.0);
say('after', outcome(fn () => $user->check('key')));
say('unharmed', $lock->isLocking('key'));

echo "given back since:\n";
done_within(0.4, function () use ($user, $lock) {
    ignore($user->getLock('other', ttl: 0.6));
    ignore($lock->adopt('other', $user->lease('other')->token));
    $lock->releaseLock('other');
}, $freed);
await('its deadline', fn () => $user->lease('other')->ttl === 0.0);
say('after', outcome(fn () => $user->releaseLock('other')));

echo "adopted, and adopted again:\n";
ignore($user->getLock('twice', ttl: 60.0));
$fence = $user->lease('twice')->fence;
$token = $user->lease('twice')->token;
say('first', $lock->adopt('twice', $token));
$second = $lock->lease('twice')->fence;
$third = new RLock($server->url());
say('the old token', $third->adopt('twice', $token));
say('the new one', $third->adopt('twice', $lock->lease('twice')->token));
say('fences', [$third->lease('twice')->fence > $second, $second > $fence]);
say('the first and the second user', [outcome(fn () => $user->releaseLock('twice')), outcome(fn () => $lock->releaseLock('twice'))]);
say('the last', [$third->releaseLock('twice'), $lock->getLock('twice'), $lock->lease('twice')->fence > $fence]);
?>
--EXPECT--
before:
releaseLock: ["RLock\\LostLockException, held false",null]
prolongate: ["RLock\\LostLockException, held false",null]
getLock: ["RLock\\LostLockException, held false",null]
handOver: ["RLock\\LostLockException, held false",null]
after:
releaseLock: ["RLock\\LostLockException, held false",null]
prolongate: ["RLock\\LostLockException, held false",null]
getLock: ["RLock\\LostLockException, held false",null]
handOver: ["RLock\\LostLockException, held false",null]
check:
while it is surely safe by its clock: null
after: RLock\LostLockException, held false
unharmed: true
given back since:
after: RLock\LostLockException, held false
adopted, and adopted again:
first: true
the old token: false
the new one: true
fences: [true,true]
the first and the second user: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
the last: [true,true,true]
