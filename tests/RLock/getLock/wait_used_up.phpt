--TEST--
getLock() is false when the wait is used up, not before and not much later
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$holder = new RLock(shared_url());
ignore($holder->getLock($key));
$lock = new RLock(shared_url());
foreach ([0.001, 0.05, 0.4, 1.3] as $wait) {
    $result = null;
    $took = seconds(function () use ($lock, $key, $wait, &$result) {
        $result = $lock->getLock($key, wait: $wait);
    });
    say("wait of $wait s", $result);
    say_took('it took', $took, $wait, $wait + 0.5);
}
say("the holder's is unharmed", $holder->releaseLock($key));
say('free', $lock->getLock($key, wait: 10.0));
?>
--EXPECT--
wait of 0.001 s: false
it took: in time
wait of 0.05 s: false
it took: in time
wait of 0.4 s: false
it took: in time
wait of 1.3 s: false
it took: in time
the holder's is unharmed: true
free: true
