--TEST--
T3, T4: a slot's owner is killed: CLUSTERDOWN or a connection failure within the deadline; its replica takes over, and whoever waits goes on there
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster(replicas: 1, arguments: TestCluster::REPLACING);
[$a, $b] = $cluster->masters;
$url = $cluster->url('persistent=0');
$holder = new RLock($url, ttl: 60.0);
$key = $cluster->keyOn(0);
$elsewhere = $cluster->keyOn(1);
say('two locks', outcome(fn () => $holder->getLocks([$key, $elsewhere])));
await('replication', fn () => $cluster->replicas[0]->client()->info('master_repl_offset') >= $a->client()->info('master_repl_offset'));
$child = Child::start(<<<'PHP'
    $lock = new RLock($args[0]);
    $parent->say(outcome(fn () => $lock->getLock($args[1], wait: 30.0)));
    $parent->hear();
    $parent->say(outcome(fn () => $lock->releaseLock($args[1])));
    PHP, [$url, $key]);
$a->client()->awaitBlocked(1);

$a->kill();
$hurried = new RLock($cluster->url('persistent=0&timeout=0.2'));
$took = seconds(function () use ($hurried, $key) {
    say('at once', outcome(fn () => $hurried->getLock($key)));
});
say_took('in the deadline', $took, 0.0, 1.0);
await('the replica is master', fn () => str_contains($cluster->replicas[0]->client()('INFO', 'replication'), 'role:master'));
$cluster->awaitState('ok', [$b, $cluster->masters[2], $cluster->replicas[0]]);
say('still ours', outcome(fn () => $holder->isLocking($key)));
$cluster->replicas[0]->client()->awaitBlocked(1);
say('extended', outcome(fn () => $holder->prolongate($key, 60.0)));
say('given back', outcome(fn () => $holder->releaseLock($key)));
say('the waiter', $child->hear());
$child->say('give back');
say('it gives back', $child->hear());
say('the other', outcome(fn () => $holder->releaseLock($elsewhere)));
say('new ones', outcome(fn () => answered(fn () => $hurried->getLock($cluster->keyOn(0)) && $hurried->releaseAll())));

/* Without a replica: all slots are down, since one has no owner. */
$cluster->replicas[1]->kill();
$b->kill();
$cluster->awaitState('fail', [$cluster->masters[2], $cluster->replicas[0]]);
$took = seconds(function () use ($hurried, $cluster) {
    say('a slot that is there', outcome(fn () => answered(fn () => $hurried->getLock($cluster->keyOn(2)))));
});
say_took('in the deadline', $took, 0.1, 1.0);
say('one that is not', outcome(fn () => $hurried->getLock($cluster->keyOn(1))));
$hurried->close();

/* Nobody to ask, and no cluster at all. */
$hurried = new RLock($cluster->url('persistent=0&timeout=0.2', [$a]));
say('no node answers', outcome(fn () => $hurried->getLock('key')));
$single = TestServer::start(tcp: true);
$hurried = new RLock("cluster://127.0.0.1:$single->port?timeout=0.2");
say('no cluster', outcome(fn () => answered(fn () => $hurried->getLock('key'))));
?>
--EXPECT--
two locks: true
at once: RLock\ConnectionException
in the deadline: in time
still ours: true
extended: true
given back: true
the waiter: true
it gives back: true
the other: true
new ones: true
a slot that is there: RLock\ServerException, CLUSTERDOWN
in the deadline: in time
one that is not: RLock\ConnectionException
no node answers: RLock\ConnectionException
no cluster: RLock\ServerException, ERR
