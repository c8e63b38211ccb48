<?php
/*
 * What each thread of threads.c runs: every other one loses locks, one after the other, and must
 * be interrupted once for each; the others lose none, and must not be interrupted.
 */
declare(strict_types=1);

const ROUNDS = 15;

function spin(float $seconds): void
{
    $end = microtime(true) + $seconds;
    while (microtime(true) < $end) {
    }
}

function lose(mixed $redis, RLock $lock, string $key): string
{
    $lock->getLock($key) || exit(1);
    try {
        fwrite($redis, "DEL lock@$key\r\n");                // the answer is never read
        spin(5.0);
        return 'not interrupted';
    } catch (RLock\LostLockException $lost) {
        return (string) $lost->key;
    }
}

$url = 'unix://' . getenv('RLOCK_TEST_SOCKET');
$redis = stream_socket_client($url);
$kept = new RLock($url, ttl: 3.0, autoRenew: true, interrupt: true);
$lock = new RLock($url, ttl: 1.2, autoRenew: true, interrupt: true);
$wrong = [];
$kept->getLock("kept-$number") || exit(1);
try {
    if ($number % 2 === 0) {
        for ($round = 0; $round < ROUNDS; $round++) {
            $key = "lost-$number-$round";
            $told = lose($redis, $lock, $key);
            if ($told !== $key) {
                $wrong[] = "$key: $told";
            }
        }
    } else {
        for ($round = 0; $round < ROUNDS; $round++) {
            $lock->getLock("held-$number-$round") || exit(1);
            spin(0.5);
            $lock->releaseLock("held-$number-$round") || $wrong[] = "held-$number-$round";
        }
    }
} catch (RLock\RLockException $e) {
    $wrong[] = $e->getMessage();
}
if (!$kept->isLocking("kept-$number")) {
    $wrong[] = 'the kept one';
}
if ($number % 3 === 0) {
    $kept->releaseLock("kept-$number");             // the others end with the request
}
foreach ($wrong as $what) {
    echo "thread $number: $what\n";
}
return $wrong === [];
