--TEST--
C11: SIGTERM without a handler: free after the lease
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$child = Child::start('
    $lock = new RLock($args["url"]);
    take_briefly($lock->getLock(...), $args["key"], ttl: 1.0);
    $parent->say(true);
    $parent->hear();
', ['url' => shared_url(), 'key' => $key]);
say('child', $child->hear());
$child->signal('TERM');
say('ended with', $child->wait());
$left = $client('PTTL', lock_key($key)) / 1000;
$lock = new RLock(shared_url());
say_took('it took', seconds(function () use ($lock, $key) { say('next', $lock->getLock($key, wait: 10.0)); }), 0, max($left, 0) + 0.25);
?>
--EXPECT--
child: true
ended with: signal 15
next: true
it took: in time
