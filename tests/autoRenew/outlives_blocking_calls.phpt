--TEST--
autoRenew: a lease outlives calls that block the script for longer than it lasts
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
$other = new RLock(shared_url());
$silent = Child::start('$parent->hear(); usleep(3_500_000); $parent->say("at last"); $parent->hear();');

/* Ends with one call that lasts for so many seconds, whatever the machine. */
$compute = function (float $seconds) {
    for ($rounds = 20_000, $took = 0.0; $took < $seconds; $rounds = (int) ($rounds * min(100.0, 1.3 * $seconds / max($took, 0.001)))) {
        $took = seconds(fn () => hash_pbkdf2('sha512', 'password', 'salt', $rounds));
    }
};
$calls = [
    'sleep' => fn () => sleep(4),
    'usleep' => fn () => usleep(3_500_000),
    'time_nanosleep' => fn () => time_nanosleep(3, 500_000_000),
    'a stream that is slow' => function () use ($silent) { $silent->say('go'); $silent->hear(); },
    'a computation' => fn () => $compute(3.5),
    'a command' => fn () => exec('sleep 3.5'),
];
foreach ($calls as $name => $call) {
    $key = unique_key();
    take_briefly($lock->getLock(...), $key);
    $fence = $lock->lease($key)->fence;
    $call();
    say($name, [
        outcome(fn () => $lock->check($key)),
        $lock->isLocking($key),
        $lock->lease($key)->fence === $fence,
        $lock->lease($key)->ttl > 0.0 && $lock->lease($key)->ttl <= 3.0,
        $other->getLock($key),
        $lock->releaseLock($key),
        $client('EXISTS', lock_key($key)),
    ]);
}
say('renewals', $lock->stats()['renewals'] > 2 * count($calls));
say('late or lost', $lock->stats()['timeouts'] + $lock->stats()['lost']);
say('without it', (function () {
    $plain = new RLock(shared_url(), ttl: 0.6);
    take_briefly($plain->getLock(...), $key = unique_key());
    usleep(1_000_000);
    return outcome(fn () => $plain->check($key));
})());
?>
--EXPECT--
sleep: ["null",true,true,true,false,true,0]
usleep: ["null",true,true,true,false,true,0]
time_nanosleep: ["null",true,true,true,false,true,0]
a stream that is slow: ["null",true,true,true,false,true,0]
a computation: ["null",true,true,true,false,true,0]
a command: ["null",true,true,true,false,true,0]
renewals: true
late or lost: 0
without it: RLock\TimeoutException, held false, late
