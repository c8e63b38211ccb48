--TEST--
wait: INF waits for ever, and gets the lock at once when it is given back
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$client = shared_client();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
$child = Child::start('
    $lock = new RLock($args["url"], ttl: 20.0);
    $parent->say("waits");
    $parent->say($lock->getLock($args["key"], wait: INF));
    $parent->hear();
', ['url' => shared_url(), 'key' => $key]);
say('child', $child->hear());
say('it goes on waiting', $child->silent(2.5));
$lock->releaseLock($key);
say('child', hear_passed_on($child, $client, $key));
?>
--EXPECT--
child: waits
it goes on waiting: true
passed on: true
child: true
