--TEST--
getLock() on another's key is false; two objects in one process exclude each other
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$first = new RLock(shared_url());
$second = new RLock(shared_url());
say('first', $first->getLock($key));
$token = $client('GET', lock_key($key));
say('second', $second->getLock($key));
say_took('asked once', seconds(fn () => $second->getLock($key, wait: 0.0)), 0, 0.5);
say('second is not the owner', [$second->isLocking($key), $second->releaseLock($key), $second->lease($key)]);
say('the lock is unharmed', $client('GET', lock_key($key)) === $token);
say('first is', $first->isLocking($key));
say('given back', $first->releaseLock($key));
say('second', $second->getLock($key));
say('first', $first->getLock($key));
?>
--EXPECT--
first: true
second: false
asked once: in time
second is not the owner: [false,false,null]
the lock is unharmed: true
first is: true
given back: true
second: true
first: false
