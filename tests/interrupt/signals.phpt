--TEST--
interrupt: signal handlers run first, also when they throw; a storm of signals throws nothing
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

pcntl_async_signals(true);
$client = shared_client();
$lock = new RLock(shared_url(), ttl: 2.0, autoRenew: true, interrupt: true);

/* Both come in one call that blocks, and so at one safe point. */
$helper = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    while (true) {
        $key = $parent->hear();
        $redis("DEL", $key);
        usleep(1_200_000);
        send_signal($args["pid"], SIGUSR1);
        $parent->say("sent");
    }
', ['socket' => shared_socket(), 'pid' => getmypid()]);
/* The signal ends the call. */
foreach (['a handler' => function () { $GLOBALS['order'][] = 'handler'; }, 'a handler that throws' => function () {
    $GLOBALS['order'][] = 'handler';
    throw new DomainException();
}] as $name => $handler) {
    $order = [];
    pcntl_signal(SIGUSR1, $handler);
    take_briefly($lock->getLock(...), $key = unique_key());
    $helper->say(lock_key($key));
    for ($i = 0; $i < 2; $i++) {
        try {
            sleep(5);
            $i = 2;
            for ($end = microtime(true) + PATIENCE; microtime(true) < $end;) {
            }
        } catch (Exception $e) {
            $order[] = $e::class;
            if ($e instanceof RLock\LostLockException) {
                break;
            }
        }
    }
    $helper->hear();
    say($name, $order);
}

$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$handled) { $handled++; });
take_briefly($lock->getLock(...), $key = unique_key());
$storm = start_storm(1000);
for ($turns = 0, $end = microtime(true) + 2.2; microtime(true) < $end;) {
    $turns++;
}
end_storm($storm);
say('a storm', [$handled > 100, $turns > 1000, $lock->releaseLock($key)]);
?>
--EXPECT--
a handler: ["handler","RLock\\LostLockException"]
a handler that throws: ["handler","DomainException","RLock\\LostLockException"]
a storm: [true,true,true]
