--TEST--
DetachedLock: it waits as any lock does, is woken by a release, and ends its wait when its own name has the lock
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$mine = $lock->detached('key', 'me');
$start = fn (string $name, float $wait, string $policy = 'WAIT') => Child::start('
    $lock = new RLock($args[0]);
    $detached = $lock->detached("key", $args[1]);
    $result = outcome(fn () => $detached->getLock(wait: $args[2], ttl: 60.0, policy: constant("RLock::POLICY_$args[3]")));
    $parent->say([$result, $lock->stats()["waits"]]);
', [$server->url(), $name, $wait, $policy]);

/* Woken: long before it would ask again by itself. */
ignore($lock->getLock('key', ttl: 60.0));
$child = $start('me', 20.0);
$client->awaitBlocked(1);
$took = seconds(function () use ($lock, $child) {
    $lock->releaseLock('key');
    say('woken', $child->hear());
});
say_took('at once', $took, 0.0, 0.9);
say('ended with', $child->wait());

/* Whether its claim has arrived or not, the name has it in all processes. */
say('held by the name', [$mine->isLocking(), $mine->ttl() > 50.0]);

/* A detached release wakes an attached waiter. */
$child = Child::start('$lock = new RLock($args[0]); $parent->say([$lock->getLock("key", wait: 20.0), $lock->releaseLock("key")]);',
    [$server->url()]);
$client->awaitBlocked(1);
say('released', [$mine->releaseLock(), $child->hear()]);
$child->wait();

/* Two that wait with one name: the first to be woken has it for both. */
ignore($lock->getLock('key', wait: 5.0, ttl: 60.0));
$children = [$start('me', 20.0), $start('me', 20.0)];
$client->awaitBlocked(2);
$lock->releaseLock('key');
say('both', [$children[0]->hear(), $children[1]->hear()]);
say('one release', [$mine->releaseLock(), $mine->isLocking()]);

/* And those that give up. */
ignore($lock->getLock('key', wait: 5.0, ttl: 60.0));
say('not in time', $start('me', 0.1)->hear());
say('at once', $start('me', 5.0, 'FAIL_FAST')->hear());
say('still held', [$lock->isLocking('key'), $lock->releaseLock('key')]);

/* A retry strategy has its say. */
$impatient = new RLock($server->url(), retry: RLock\Retry::linear(0.01)->limit(3));
ignore($lock->getLock('key', wait: 5.0, ttl: 60.0));
say('no more retries', [$impatient->detached('key', 'me')->getLock(wait: 20.0), $impatient->stats()['waits']]);
$lock->releaseLock('key');
say('free', [$mine->getLock(wait: 5.0), $mine->releaseLock()]);

/* Another object has released it, and another name has it: that the name has had it here does not end the wait. */
$elsewhere = new RLock($server->url());
ignore($mine->getLock());
say('released elsewhere', $elsewhere->detached('key', 'me')->releaseLock());
take_briefly($elsewhere->detached('key', 'another')->getLock(...), ttl: 0.5);
say('waited for', [$mine->getLock(wait: 20.0), $mine->releaseLock()]);

/* The same object may be what holds it, for ever. */
$renewing = new RLock($server->url(), autoRenew: true);
say('renewed', $renewing->getLock('key', wait: 5.0));
say('in vain', outcome(fn () => $renewing->detached('key', 'me')->getLock(wait: INF)));
?>
--EXPECT--
woken: ["true",1]
at once: in time
ended with: 0
held by the name: [true,true]
released: [true,[true,true]]
both: [["true",1],["true",1]]
one release: [true,false]
not in time: ["false",1]
at once: ["false",1]
still held: [true,true]
no more retries: [false,1]
free: [true,true]
released elsewhere: true
waited for: [true,true]
renewed: true
in vain: RLock\RLockException
