<?php
/*
 * Locks with ReactPHP. integrations/run-tests runs it: react.php AUTOLOAD [ADDRESS]
 *
 * A timer goes on while the lock is waited for.
 */
declare(strict_types=1);

use React\EventLoop\Loop;
use React\Promise\Promise;
use React\Promise\PromiseInterface;

require $argv[1];

/** @return PromiseInterface<bool> */
function lock(RLock $locks, string $key, float $wait): PromiseInterface
{
    $pending = $locks->requestLock($key, $wait);
    $stream = $pending->stream();
    return new Promise(function ($resolve, $reject) use ($pending, $stream): void {
        Loop::addReadStream($stream, function () use ($pending, $stream, $resolve, $reject): void {
            try {
                $isOurs = $pending->poll();
            } catch (RLock\RLockException $e) {
                Loop::removeReadStream($stream);
                $reject($e);
                return;
            }
            if ($isOurs !== null) {
                Loop::removeReadStream($stream);
                $resolve($isOurs);
            }
        });
    }, function () use ($pending, $stream): void {
        Loop::removeReadStream($stream);
        $pending->cancel();
        throw new RuntimeException('The request was cancelled');
    });
}

$holder = new RLock($argv[2] ?? null);
$locks = new RLock($argv[2] ?? null);
$holder->getLock('order:17') || exit("busy\n");
$ticks = 0;
$timer = Loop::addPeriodicTimer(0.01, function () use (&$ticks): void {
    $ticks++;
});
Loop::addTimer(0.2, fn () => $holder->releaseLock('order:17'));
$first = lock($locks, 'order:17', 10.0)->then(function (bool $isOurs) use ($holder, $locks): PromiseInterface {
    echo 'ours: ', var_export($isOurs, true), "\n";
    $other = lock($holder, 'order:17', 10.0);
    Loop::addTimer(0.1, fn () => $other->cancel());
    return $other;
});
$first->catch(function (RuntimeException $e) use ($timer, $locks, &$ticks): void {
    echo $e->getMessage(), "\n", $ticks >= 10 ? "the loop went on\n" : "the loop stood still\n";
    $locks->releaseLock('order:17');
    Loop::cancelTimer($timer);
});
Loop::run();
