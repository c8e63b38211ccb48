--TEST--
A lease that nobody gives back ends a wait when it expires
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$client('SET', lock_key($key), 'a client that died', 'PX', 700);
$lock = new RLock(shared_url());
$result = $left = null;
$took = seconds(function () use ($client, $lock, $key, &$left, &$result) {
    $left = $client('PTTL', lock_key($key)) / 1000;
    $result = $lock->getLock($key, wait: 20.0);
});
say('taken', $result);
say_took('it took', $took, $left - 0.01, $left + 0.3);
?>
--EXPECT--
taken: true
it took: in time
