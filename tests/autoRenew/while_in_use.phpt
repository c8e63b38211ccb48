--TEST--
autoRenew: leases are taken, looked at, prolonged, handed over and given back while the thread renews them
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
$other = new RLock(shared_url(), ttl: 3.0, autoRenew: true, interrupt: true);
$keys = array_map(fn () => unique_key(), range(1, 20));
$wrong = [];
$right = function (string $what, bool $is) use (&$wrong) {
    $is || $wrong[$what] = ($wrong[$what] ?? 0) + 1;
};
for ($round = 0; $round < 2; $round++) {
    $right('getLocks', $lock->getLocks($keys));
    for ($turn = 0; $turn < 6; $turn++) {
        usleep(200_000);                                    // a third of 3 s goes by in each round
        foreach ($keys as $i => $key) {
            $right('check', outcome(fn () => $lock->check($key)) === 'null');
            $right('lease', $lock->lease($key)->ttl > 0.0);
            $right('ttl', $i > 0 || $lock->ttl($key) > 0.0);
            $right('prolongate', $i % 5 > 0 || $lock->prolongate($key));
            $right('getLock', $i % 7 > 0 || ($lock->getLock($key) && $lock->releaseLock($key)));
        }
    }
    $right('renewals', $lock->stats()['renewals'] > 0);
    $right('adopt', $other->adopt($keys[0], $lock->handOver($keys[0])));
    $right('release', $other->releaseLock($keys[0]) && $lock->releaseLock($keys[1]));
    $right('releaseAll', $lock->releaseAll());
}
say('wrong', $wrong);
say('threads', await_threads(1));
?>
--EXPECT--
wrong: []
threads: 1
