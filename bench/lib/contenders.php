<?php
/*
 * Who takes part: the floors, rlock, and the peers that bench/peers has found. What a contender is
 * compared with is not part of it: the sections choose.
 */

declare(strict_types=1);

/** The floors of a pair and of a hand-over; `again` is the same once more: what differs between the two is noise. */
const FLOORS = [
    'ping' => 'ping', 'set' => 'set', 'set again' => 'set', 'scripts' => 'scripts',
    'scripts again' => 'scripts',
    'scripts, majority' => 'majority', 'wake' => 'wake', 'wake again' => 'wake', 'wake + check' => 'wake-check',
    'wake + trip' => 'wake-trip', 'wake + trip again' => 'wake-trip',
];
const PEERS = ['phpredis', 'Symfony', 'Laravel', 'cheprasov', 'redlock', 'redis-semaphore', 'redis-py'];

/** Shares, and places of which there are so many: whose it is, and the contender. */
const PLACES = 4;
const SHARES = ['rlock' => 'rlock, shared', 'Symfony on rlock' => 'Symfony on rlock, shared', 'Symfony' => 'Symfony, shared'];
const SEMAPHORES = ['rlock' => 'rlock, at most 4', 'Laravel on rlock' => 'Laravel on rlock, funnel', 'Laravel' => 'Laravel, funnel',
    'redis-semaphore' => 'redis-semaphore, at most 4'];

/** Who is compared with rlock, too. */
const BESIDE_RLOCK = ['rlock again', 'rlock, detached', 'rlock, shared', 'rlock, at most 4', 'Symfony on rlock', 'Symfony', 'Laravel on rlock', 'Laravel'];

/** @return list<string> the peers that are installed */
function peers(): array
{
    return array_values(array_intersect(PEERS, explode(' ', (string) getenv('RLOCK_BENCH_PEERS'))));
}

/** @param list<string> $with what workers/rlock.php takes */
function contender(string $name, string $address, string $key, int $lease_ms = 30_000, array $with = [], ?int $cpu = null): Worker
{
    $workers = dirname(__DIR__) . '/workers';
    $php = fn (string $file, string ...$with) => [PHP_BINARY, ...$with, "$workers/$file.php"];
    $extension = ['-d', 'extension=' . getenv('RLOCK_SO')];
    $command = match ($name) {
        'rlock', 'rlock again', 'rlock, confirm: false', 'rlock, detached', 'rlock, shared', 'rlock, at most 4' => $php('rlock', ...$extension),
        'Symfony on rlock', 'Symfony on rlock, shared' => $php('symfony-rlock', ...$extension),
        'Laravel on rlock' => $php('laravel-rlock', ...$extension),
        'Laravel on rlock, funnel' => $php('laravel-rlock-funnel', ...$extension),
        'session, unlocked', 'session, module', 'session, files', 'session, rlock', 'session, phpredis', 'session, memcached' => $php('session', ...$extension),
        'phpredis', 'cheprasov' => $php($name),
        'Symfony', 'Symfony, shared' => $php('symfony'),
        'Laravel' => $php('laravel'),
        'Laravel, funnel' => $php('laravel-funnel'),
        'redlock' => ['node', "$workers/redlock.js"],
        'redis-semaphore', 'redis-semaphore, at most 4' => ['node', "$workers/redis-semaphore.js"],
        'redis-py' => ['/usr/bin/python3', "$workers/$name.py"],
        default => [getenv('RLOCK_BENCH_FLOOR'), FLOORS[$name]],
    };
    $options = match ($name) {
        'rlock, confirm: false' => ['unconfirmed'],
        'rlock, detached' => ['detached'],
        'rlock, shared', 'Symfony, shared', 'Symfony on rlock, shared' => ['shared'],
        'rlock, at most 4' => ['shared', 'limit=' . PLACES],
        'Laravel, funnel', 'Laravel on rlock, funnel', 'redis-semaphore, at most 4' => ['limit=' . PLACES],
        'session, unlocked', 'session, module', 'session, files', 'session, rlock', 'session, phpredis', 'session, memcached' => [explode(', ', $name)[1]],
        default => [],
    };
    array_push($options, ...(str_starts_with($name, 'rlock') ? $with : []));
    return new Worker([...$command, $address, $key, (string) $lease_ms, ...$options], $cpu);
}

/** @param array<string, string> $contenders by whose they are @return list<string> rlock's, and those of the peers that are installed */
function installed(array $contenders): array
{
    $is_there = fn (string $whose) => $whose === 'rlock' || in_array(explode(' ', $whose)[0], peers(), true);
    return array_values(array_filter($contenders, $is_there, ARRAY_FILTER_USE_KEY));
}

/** The CPU on which everything runs that is to be pinned: the first that we may use. */
function one_cpu(): int
{
    return allowed_cpus()[0];
}

/** One that is not that, if there is any. */
function another_cpu(): int
{
    return allowed_cpus()[1] ?? one_cpu();
}

/** @return list<int> */
function allowed_cpus(): array
{
    preg_match('/^Cpus_allowed_list:\s*(\S+)/m', file_get_contents('/proc/self/status'), $match);
    $cpus = [];
    foreach (explode(',', $match[1]) as $range) {
        [$first, $last] = [...explode('-', $range), $range];
        array_push($cpus, ...range((int) $first, (int) $last));
    }
    return $cpus;
}
