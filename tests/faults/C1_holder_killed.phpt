--TEST--
C1: the holder is killed -9: the next has it when the lease ends
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
foreach ([0.8, 1.5] as $ttl) {
    $key = unique_key();
    $child = Child::start('
        $lock = new RLock($args["url"]);
        take_briefly($lock->getLock(...), $args["key"], ttl: $args["ttl"]);
        $parent->say(true);
        $parent->hear();
    ', ['url' => shared_url(), 'key' => $key, 'ttl' => $ttl]);
    say('child', $child->hear());
    $lock = new RLock(shared_url());
    $child->kill();
    $took = seconds(function () use ($client, $lock, $key, &$left) {
        $left = $client('PTTL', lock_key($key)) / 1000;
        say('next', $lock->getLock($key, wait: 10.0));
    });
    say_took('it took', $took, $left - 0.01, $left + 0.5);
}
?>
--EXPECT--
child: true
next: true
it took: in time
child: true
next: true
it took: in time
