--TEST--
breakLock() of shares: all of them, or by its fence only that one; each holder learns that it is lost
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$admin = new RLock(shared_url());
$locks = array_map(fn () => new RLock(shared_url()), range(1, 3));
[$a, $b, $c] = $locks;
$take = fn (string $key) => array_map(fn ($lock) => $lock->getSharedLock($key, ttl: 300.0), $locks);
$fates = fn (string $key) => array_map(fn ($lock) => outcome(fn () => $lock->releaseLock($key)), $locks);

$key = unique_key();
say('three', $take($key));
say('one is broken', $admin->breakLock($key, $b->lease($key)->fence));
say('the others stay', [$a->isLocking($key), $b->isLocking($key), $c->isLocking($key), count($admin->sharers($key))]);
say('again', $admin->breakLock($key, $b->lease($key)->fence));
say('another grant', $admin->breakLock($key, $c->lease($key)->fence + 1));
say('exclusively', $admin->getLock($key));
say('what they learn', $fates($key));
say('nothing is there', $client('EXISTS', lock_key($key)));

$key = unique_key();
say('three', $take($key));
say('all are broken', [$admin->breakLock($key), $admin->breakLock($key), $admin->sharers($key)]);
say('free', [$admin->getLock($key), $admin->releaseLock($key)]);
say('what they learn', $fates($key));

/* A delay is not shown beside a share, and no fence breaks it then. */
$key = unique_key();
ignore([$a->getSharedLock($key, ttl: 300.0), $b->getSharedLock($key)]);
$fence = $b->lease($key)->fence;
ignore($b->releaseLock($key, delayAfter: 60.0));
say('a delay beside a share', $admin->breakLock($key, $fence));
ignore($a->releaseLock($key));
say('a delay alone', [$admin->holder($key)->fence === $fence, $admin->breakLock($key, $fence), $admin->holder($key)]);

/* Many at once: around what is broken at a time. */
foreach ([15, 16, 17, 32, 50] as $count) {
    $many = array_map(fn () => new RLock(shared_url()), range(1, $count));
    $key = unique_key();
    ignore(array_map(fn ($lock) => $lock->getSharedLock($key, ttl: 300.0), $many));
    say("$count are broken", [count($admin->sharers($key)), $admin->breakLock($key), $admin->sharers($key), $admin->breakLock($key), $admin->getLock($key, ttl: 300.0)]);
    say('they learn', array_count_values(array_map(fn ($lock) => outcome(fn () => $lock->releaseLock($key)), $many)));
}

/* The last one: a waiter has the lock at once. */
$server = TestServer::start();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore([$lock->getSharedLock('key', ttl: 300.0), $other->getSharedLock('key', ttl: 300.0)]);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 60.0));
    $parent->hear();
', ['url' => $server->url()]);
$server->client()->awaitBlocked(1);
say('the first', [$other->breakLock('key', $lock->lease('key')->fence), $child->silent(0.2)]);
say('the last', [$lock->breakLock('key', $other->lease('key')->fence), $child->hear()]);
say('what they learn', [outcome(fn () => $lock->releaseLock('key')), outcome(fn () => $other->check('key')), outcome(fn () => $other->releaseLock('key'))]);
$child->kill();
?>
--EXPECT--
three: [true,true,true]
one is broken: true
the others stay: [true,false,true,2]
again: false
another grant: false
exclusively: false
what they learn: ["true","RLock\\LostLockException, held false","true"]
nothing is there: 0
three: [true,true,true]
all are broken: [true,false,[]]
free: [true,true]
what they learn: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
a delay beside a share: false
a delay alone: [true,true,null]
15 are broken: [15,true,[],false,true]
they learn: {"RLock\\LostLockException, held false":15}
16 are broken: [16,true,[],false,true]
they learn: {"RLock\\LostLockException, held false":16}
17 are broken: [17,true,[],false,true]
they learn: {"RLock\\LostLockException, held false":17}
32 are broken: [32,true,[],false,true]
they learn: {"RLock\\LostLockException, held false":32}
50 are broken: [50,true,[],false,true]
they learn: {"RLock\\LostLockException, held false":50}
the first: [true,true]
the last: [true,true]
what they learn: ["RLock\\LostLockException, held false","null","RLock\\LostLockException, held false"]
