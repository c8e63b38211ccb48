--TEST--
interrupt: at the end of a call that was silenced by @, errors are reported again
--FILE--
<?php
require __DIR__ . '/../server.inc';

$deleter = start_deleter(0.15);
$lock = new RLock(shared_url(), ttl: 0.6, autoRenew: true, interrupt: true);
foreach ([
    'a call' => function () { @usleep(900_000); },
    'a call with a result' => function () { $x = @file_get_contents('/nonexistent') . @usleep(900_000); },
    'a function' => function () { @(function () { usleep(900_000); })(); },
    'a loop' => function () { while (true) { @strlen('x'); } },
    'within another' => function () { @array_map(fn () => @usleep(900_000), [1]); },
] as $name => $call) {
    for ($tries = 5; $tries > 0; $tries--) { // a busy machine may not renew it until it is lost
        take_briefly($lock->getLock(...), $key = unique_key());
        error_reporting(E_ALL);
        $deleter->say(lock_key($key));
        $outcome = outcome($call);
        if (!str_starts_with($outcome, 'RLock\TimeoutException')) {
            break;
        }
    }
    say($name, [$outcome, error_reporting() === E_ALL]);
}
?>
--EXPECT--
a call: ["RLock\\LostLockException, held false",true]
a call with a result: ["RLock\\LostLockException, held false",true]
a function: ["RLock\\LostLockException, held false",true]
a loop: ["RLock\\LostLockException, held false",true]
within another: ["RLock\\LostLockException, held false",true]
