--TEST--
POLICY_FAIL_FAST gives up at once if the present lease outlasts the wait; POLICY_WAIT does not
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$result = null;
$try = function (string $key, float $wait, int $policy) use ($lock, &$result) {
    return seconds(function () use ($lock, $key, $wait, $policy, &$result) {
        $result = $lock->getLock($key, wait: $wait, policy: $policy);
    });
};

$key = unique_key();
$client('SET', lock_key($key), 'foreign', 'PX', 60000);
$took = $try($key, 5.0, RLock::POLICY_FAIL_FAST);
say('fail fast, lease longer than the wait', $result);
say_took('it took', $took, 0, 0.5);

$took = $try($key, 0.5, RLock::POLICY_WAIT);
say('wait, lease longer than the wait', $result);
say_took('it took', $took, 0.5, 1);

$key = unique_key();
$client('SET', lock_key($key), 'foreign', 'PX', 500);
$took = seconds(function () use ($client, $key, $try, &$left) {
    $left = $client('PTTL', lock_key($key)) / 1000;
    $try($key, 5.0, RLock::POLICY_FAIL_FAST);
});
say('fail fast, lease shorter than the wait', $result);
say_took('it took', $took, $left - 0.01, $left + 0.5);

$key = unique_key();
$client('SET', lock_key($key), 'foreign that never expires');
$took = $try($key, 5.0, RLock::POLICY_FAIL_FAST);
say('fail fast, no expiry', $result);
say_took('it took', $took, 0, 0.5);

$key = unique_key();
say('fail fast, free', $lock->getLock($key, wait: 5.0, policy: RLock::POLICY_FAIL_FAST));
?>
--EXPECT--
fail fast, lease longer than the wait: false
it took: in time
wait, lease longer than the wait: false
it took: in time
fail fast, lease shorter than the wait: true
it took: in time
fail fast, no expiry: false
it took: in time
fail fast, free: true
