--TEST--
T1: MOVED and ASK are followed, once for a slot and not for ever; who waits at the old place goes on at the new one
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster();
[$a, $b] = $cluster->masters;
$url = $cluster->url('persistent=0');
$holder = new RLock($url, ttl: 60.0);
$other = new RLock($url);

/* The slot has moved with the lock in it. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
ignore($holder->getLock($key));
$other->holder($key);
$cluster->move($slot, $a, $b);
say('busy', outcome(fn () => $other->getLock($key)));
say('extended', outcome(fn () => $holder->prolongate($key, 60.0)));
$holder->isLocking($key); // which loads the script there
$requests = $holder->stats()['requests'];
say('still ours', outcome(fn () => $holder->isLocking($key)));
say('requests once it has learnt', $holder->stats()['requests'] - $requests);
say('given back', outcome(fn () => $holder->releaseLock($key)));

/* Waiters are parked where the slot was. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
ignore($holder->getLock($key));
$child = Child::start(<<<'PHP'
    $lock = new RLock($args[0]);
    $parent->say(outcome(fn () => $lock->getLock($args[1], wait: 20.0)));
    $parent->hear();
    $parent->say(outcome(fn () => $lock->releaseLock($args[1])));
    PHP, [$url, $key]);
$a->client()->awaitBlocked(1);
$cluster->move($slot, $a, $b);
$b->client()->awaitBlocked(1);
say('the old place', $a->client()->info('blocked_clients'));
say('given back', outcome(fn () => $holder->releaseLock($key)));
say('the waiter', hear_passed_on($child, $b->client(), $key));
$child->say('give back');
say('it gives back', $child->hear());

/* Half moved: what is there stays there, what is not is asked for at the other place, this once. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
ignore($holder->getLock($key));
$cluster->beginMove($slot, $a, $b);
$cluster->moveKeys($slot, $a, $b);
say('given back by ASK', outcome(fn () => $holder->releaseLock($key)));
say('it is gone', $b->client()('CLUSTER', 'COUNTKEYSINSLOT', $slot));
$cluster->endMove($slot, $a, $b);
say('and after the move', outcome(fn () => $holder->getLock($key) && $holder->releaseLock($key)));

/* Two nodes that each say that the other has it. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
$hurried = new RLock($cluster->url('persistent=0&timeout=0.4'));
answered(fn () => $hurried->holder($key));
$a->client()('CLUSTER', 'SETSLOT', $slot, 'NODE', TestCluster::id($b));
$before = $a->client()->info('total_commands_processed') + $b->client()->info('total_commands_processed');
$took = seconds(function () use ($hurried, $key) {
    say('a loop', outcome(fn () => answered(fn () => $hurried->getLock($key))));
});
say_took('ends in time', $took, 0.3, 1.2);
say('and is no storm', $a->client()->info('total_commands_processed') + $b->client()->info('total_commands_processed') - $before < 400);
$a->client()('CLUSTER', 'SETSLOT', $slot, 'NODE', TestCluster::id($a));     // so that what may have been done can be undone
?>
--EXPECT--
busy: false
extended: true
still ours: true
requests once it has learnt: 1
given back: true
the old place: 0
given back: true
passed on: true
the waiter: true
it gives back: true
given back by ASK: true
it is gone: 1
and after the move: true
a loop: RLock\ServerException, MOVED
ends in time: in time
and is no storm: true
