--TEST--
M2: two objects, one key, one process: they exclude each other; a wait that can never end throws
--FILE--
<?php
require __DIR__ . '/../server.inc';

$key = unique_key();
$renewing = new RLock(shared_url(), ttl: 10.0, autoRenew: true);
$limited = new RLock(shared_url(), ttl: 0.6, autoRenew: true, maxHold: 0.5);
$plain = new RLock(shared_url(), ttl: 0.6);
$other = new RLock(shared_url(), ttl: 5.0);

foreach (['renewing' => $renewing, 'limited' => $limited, 'plain' => $plain] as $name => $holder) {
    say("$name, asked once", done_within(0.4, function () use ($holder, $other, $key) {
        ignore($holder->getLock($key));
        return outcome(fn () => $other->getLock($key));
    }, fn () => [outcome(fn () => $holder->releaseLock($key)), outcome(fn () => $other->releaseLock($key))]));
    say_took('a wait', seconds(function () use ($other, $key) { say('is', outcome(fn () => $other->getLock($key, wait: 10.0))); }), 0.0, 4.0);
    say('held by', [$holder->isLocking($key), $other->isLocking($key)]);
    outcome(fn () => $holder->releaseLock($key));
    $other->releaseLock($key);
}

take_briefly($renewing->getLock(...), $key);
say('for ever', outcome(fn () => $other->getLock($key, wait: INF)));
say('fail fast', outcome(fn () => $other->getLock($key, wait: 0.1, policy: RLock::POLICY_FAIL_FAST)));
say('several', outcome(fn () => $other->getLocks([unique_key(), $key], wait: INF)));
say('synchronized', outcome(fn () => $other->synchronized($key, fn () => 1, wait: INF)));
say('another key', [$other->getLock($free = unique_key(), wait: 1.0), $other->releaseLock($free)]);
say('another prefix', [($prefixed = new RLock(shared_url(), prefix: 'p@'))->getLock($key, wait: 1.0), $prefixed->releaseLock($key)]);
$server = TestServer::start();
say('another server', [($elsewhere = new RLock($server->url()))->getLock($key, wait: 1.0), $elsewhere->releaseLock($key)]);
say('the same object', [$renewing->getLock($key, wait: 1.0), $renewing->releaseLock($key)]);
$renewing->releaseLock($key);
say('released', [$other->getLock($key, wait: 10.0), $other->releaseLock($key)]);

/* Held by another process, which renews it: a wait as any other. */
$child = Child::start('
    $lock = new RLock($args["url"], ttl: 3.0, autoRenew: true);
    take_briefly($lock->getLock(...), $args["key"]);
    $parent->say("held");
    $parent->hear();
', ['url' => shared_url(), 'key' => $key]);
$child->hear();
say('another process', outcome(fn () => $other->getLock($key, wait: 4.0)));
$child->say('end');
say('and its end', $other->getLock($key, wait: 10.0));
?>
--EXPECT--
renewing, asked once: false
is: RLock\RLockException
a wait: in time
held by: [true,false]
limited, asked once: false
is: true
a wait: in time
held by: [false,true]
plain, asked once: false
is: true
a wait: in time
held by: [false,true]
for ever: RLock\RLockException
fail fast: false
several: RLock\RLockException
synchronized: RLock\RLockException
another key: [true,true]
another prefix: [true,true]
another server: [true,true]
the same object: [true,true]
released: [true,true]
another process: false
and its end: true
