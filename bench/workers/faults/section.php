<?php
/*
 * One section under a lock, whatever the lock is and whatever language it is written in.
 *
 * Started with ADDRESS (a socket's path), KEY, LEASE_MS, WORK_MS, WAIT_S, NAME and RECORDER, the path of a
 * pipe that all write to. It writes there, one line each, `NAME WHAT CLOCK TEXT` (CLOCK_MONOTONIC, ns):
 *
 *     ready   before it has connected; then it waits for a line on its standard input
 *     asks    it is about to ask for the lock
 *     failed  something was thrown before it had the lock: TEXT. It asks again after AGAIN_MS, with everything made anew,
 *             as a job does that is tried again
 *     in      it has it
 *     step    a write to what the lock protects, one each STEP_MS, WORK_MS / STEP_MS of them
 *     out     it has done its work, and is about to release
 *     done    so it has, and the lock's own words were that all is well
 *     told    the lock said that it was lost or late: TEXT
 *     error   something else was thrown: TEXT
 *
 * Lines are shorter than what a pipe takes in one piece, so their order there is that in which they were
 * written.
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message): bool {
    return error_reporting() & $level ? throw new ErrorException($message, 0, $level) : false;
});

const STEP_MS = 50;
const AGAIN_MS = 100;

[, $address, $key, $lease_ms, $work_ms, $wait, $name, $recorder] = $argv;
define('ADDRESS', $address);
define('KEY', $key);
define('LEASE', $lease_ms / 1000);
define('WAIT', (int) $wait);
define('STEPS', intdiv((int) $work_ms, STEP_MS));
define('NAME', $name);
define('RECORDER', fopen($recorder, 'w'));

/** What a lock throws, by whatever name, to say that it was lost or late. */
final class Lost extends RuntimeException
{
}

function mark(string $what, string $text = ''): void
{
    fwrite(RECORDER, rtrim(substr(NAME . " $what " . hrtime(true) . ' ' . strtr($text, "\n", ' '), 0, 500)) . "\n");
}

/** The work: before each write and after it, what the lock's documentation wants done there. */
function work(?callable $before = null, ?callable $after = null): void
{
    global $is_in;
    $is_in = true;
    mark('in');
    for ($i = 0; $i < STEPS; $i++) {
        $before && $before();
        mark('step');
        usleep(STEP_MS * 1000);
        $after && $after();
    }
    mark('out');
}

/** @param callable(): void $hold takes the lock, calls work(), releases @param class-string ...$lost */
function section(callable $hold, string ...$lost): void
{
    mark('ready');
    fgets(STDIN) !== false || exit(1);
    mark('asks');
    while (!attempt($hold, $lost)) {
        usleep(AGAIN_MS * 1000);
    }
}

/** False if it had not got the lock. @param list<class-string> $lost */
function attempt(callable $hold, array $lost): bool
{
    global $is_in;
    $is_in = false;
    try {
        $hold();
        mark('done');
    } catch (Throwable $thrown) {
        mark(match (true) {
            !$is_in => 'failed',
            says_lost($thrown, [Lost::class, ...$lost]) => 'told',
            default => 'error',
        }, preg_replace('/^Lost: /', '', $thrown::class . ': ' . $thrown->getMessage()));
    }
    return $is_in;
}

/** Itself, or what it was thrown for. @param list<class-string> $lost */
function says_lost(?Throwable $thrown, array $lost): bool
{
    return $thrown !== null && (array_filter($lost, fn (string $class) => $thrown instanceof $class) !== []
        || says_lost($thrown->getPrevious(), $lost));
}

function phpredis(): Redis
{
    $redis = new Redis();
    $redis->connect(ADDRESS);
    return $redis;
}
