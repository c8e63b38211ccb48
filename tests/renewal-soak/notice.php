<?php
/*
 * From the loss of a lock to the exception in a busy loop: at most the renewal interval and 50 ms.
 */
declare(strict_types=1);

require __DIR__ . '/../server.inc';

const TTL = 0.6;
const TIMES = 40;

$server = TestServer::start();
$client = $server->client();
$worker = Child::start('
    $lock = new RLock($args["url"], ttl: $args["ttl"], autoRenew: true, interrupt: true);
    while (true) {
        $key = $parent->hear();
        $lock->getLock($key) || exit(1);
        $parent->say("held");
        try {
            while (true) {
            }
        } catch (RLock\LostLockException $lost) {
            $parent->say([microtime(true), $lost->key]);
        }
    }
', ['url' => $server->url(), 'ttl' => TTL]);

$bound = TTL / 3 + 0.05;
$status = 0;
foreach (['deleted' => fn (string $key) => ['DEL', lock_key($key)], 'overwritten' => fn (string $key) => ['SET', lock_key($key), 'x', 'PX', 60000]] as $how => $command) {
    $took = [];
    for ($time = 0; $time < TIMES; $time++) {
        $worker->say("$how-$time");
        $worker->hear();
        usleep(random_int(0, (int) (2e6 * TTL / 3)));       // anywhere between two renewals
        $lost_at = microtime(true);
        $client(...$command("$how-$time"));
        [$told_at, $key] = $worker->hear();
        $took[] = $told_at - $lost_at;
        if ($key !== "$how-$time") {
            $status = 1;
            echo "$key was told, not $how-$time\n";
        }
    }
    sort($took);
    $late = count(array_filter($took, fn (float $seconds) => $seconds > $bound));
    printf("%s, told after: median %.0f ms, most %.0f ms; %d of %d later than the interval and 50 ms (%.0f ms)\n", $how,
        1000 * $took[intdiv(TIMES, 2)], 1000 * end($took), $late, TIMES, 1000 * $bound);
    $status = $late > 0 ? 1 : $status;
}
exit($status);
