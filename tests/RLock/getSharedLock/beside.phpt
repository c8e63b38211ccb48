--TEST--
Shares are held side by side, each with its own lease, fence and metadata; nobody has the lock exclusively meanwhile
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$one = new RLock(shared_url());
$two = new RLock(shared_url());
$third = new RLock(shared_url());
say('shares', [$one->getSharedLock($key, ttl: 20.0, metadata: 'first'), $two->getSharedLock($key, ttl: 60.0)]);
say('exclusively', [$third->getLock($key), $third->getLock($key, wait: 0.2)]);
say('by a foreign client', $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 1000));
say('held', [$one->isLocking($key), $two->isLocking($key), $third->isLocking($key)]);
say_within('ttl', $one->ttl($key), 10.0, 20.0);
say_within('ttl', $two->ttl($key), 50.0, 60.0);
[$first, $second] = [$one->lease($key), $two->lease($key)];
say('first', [$first->shared, $first->depth, $first->metadata, $first->waited < 5.0]);
say('second', [$second->shared, $second->depth, $second->metadata]);
say('fences rise', $first->fence < $second->fence);
say('tokens differ', $first->token !== $second->token);
$one->check($key);

say('prolonged', [$one->prolongate($key, 100.0), $two->prolongate($key, 5.0)]);
say_within('ttl', $one->ttl($key), 90.0, 100.0);
say_within('ttl', $two->ttl($key), 1.0, 5.0);
say('the same grant', $one->lease($key)->fence === $first->fence);

say('given back', [$one->releaseLock($key), $one->releaseLock($key), $one->isLocking($key), $one->lease($key)]);
say('still held', [$third->getLock($key), $two->isLocking($key)]);
say('given back', $two->releaseLock($key));
say('exclusively', [$third->getLock($key), $third->lease($key)->shared, $third->lease($key)->fence > $second->fence]);
say('no shares now', [$one->getSharedLock($key), $one->getSharedLock($key, wait: 0.2)]);
say('given back', $third->releaseLock($key));

/* A share that ends by its lease does not end the others'; the last one ends the lock. */
take_briefly($one->getSharedLock(...), $key, ttl: 0.5);
take_briefly($two->getSharedLock(...), $key, ttl: 1.5);
say('after them', $third->getLock($key, wait: 10.0));
say('what became of them', [outcome(fn () => $one->releaseLock($key)), outcome(fn () => $two->releaseLock($key))]);
say('counted', array_intersect_key($one->stats(), array_flip(['acquired', 'busy', 'waits', 'lost'])));

/* Many. */
$key = unique_key();
$many = array_map(fn () => new RLock(shared_url()), range(1, 50));
say('many', array_sum(array_map(fn ($lock) => (int) $lock->getSharedLock($key), $many)));
$fences = array_map(fn ($lock) => $lock->lease($key)->fence, $many);
say('each with a fence', count(array_unique($fences)) === 50 && $fences === array_values(array_unique($fences)));
$told = array_map(fn ($holder) => $holder->fence, $third->sharers($key));
sort($told);
say('all are told', $told === $fences);
say('given back', array_sum(array_map(fn ($lock) => (int) $lock->releaseLock($key), $many)));
say('nothing is there', $client('EXISTS', lock_key($key)));
?>
--EXPECT--
shares: [true,true]
exclusively: [false,false]
by a foreign client: null
held: [true,true,false]
ttl: in time
ttl: in time
first: [true,1,"first",true]
second: [true,1,null]
fences rise: true
tokens differ: true
prolonged: [true,true]
ttl: in time
ttl: in time
the same grant: true
given back: [true,false,false,null]
still held: [false,true]
given back: true
exclusively: [true,false,true]
no shares now: [false,false]
given back: true
after them: true
what became of them: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
counted: {"acquired":2,"busy":2,"waits":1,"lost":1}
many: 50
each with a fence: true
all are told: true
given back: 50
nothing is there: 0
