--TEST--
autoRenew: a lease outlives calls that block the script for longer than it lasts
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Side by side, since they wait. */
$code = <<<'PHP'
    $lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
    $other = new RLock(shared_url());

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
        'a stream that is slow' => function () {
            $silent = Child::start('$parent->hear(); usleep(3_500_000); $parent->say("at last"); $parent->hear();');
            $silent->say('go');
            $silent->hear();
        },
        'a computation' => fn () => $compute(3.5),
        'a command' => fn () => exec('sleep 3.5'),
    ];
    $key = unique_key();
    take_briefly($lock->getLock(...), $key);
    $fence = $lock->lease($key)->fence;
    $calls[$args['call']]();
    $results = [
        outcome(fn () => $lock->check($key)),
        $lock->isLocking($key),
        $lock->lease($key)->fence === $fence,
        $lock->lease($key)->ttl > 0.0 && $lock->lease($key)->ttl <= 3.0,
        $other->getLock($key),
        $lock->releaseLock($key),
        shared_client()('EXISTS', lock_key($key)),
    ];
    $parent->say([$results, $lock->stats()]);
    PHP;
$children = [];
foreach (['sleep', 'usleep', 'time_nanosleep', 'a stream that is slow', 'a computation', 'a command'] as $call) {
    $children[$call] = Child::start($code, ['call' => $call]);
}
$stats = [];
foreach ($children as $call => $child) {
    [$results, $stats[]] = $child->hear();
    say($call, $results);
}
say('each was renewed', min(array_column($stats, 'renewals')) > 0);
say('late or lost', array_sum(array_column($stats, 'timeouts')) + array_sum(array_column($stats, 'lost')));
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
each was renewed: true
late or lost: 0
without it: RLock\TimeoutException, held false, late
