<?php
/*
 * Who takes part: the floors, rlock, and the peers that bench/peers has found. What a contender is
 * compared with is not part of it: the sections choose.
 */

declare(strict_types=1);

/** The floors of a pair and of a hand-over; `again` is the same once more: what differs between the two is noise. */
const FLOORS = [
    'ping' => 'ping', 'set' => 'set', 'set again' => 'set', 'scripts' => 'scripts', 'scripts again' => 'scripts',
    'scripts, majority' => 'majority', 'wake' => 'wake', 'wake again' => 'wake', 'wake + check' => 'wake-check',
    'wake + trip' => 'wake-trip',
];
const PEERS = ['phpredis', 'Symfony', 'Laravel', 'cheprasov', 'redlock', 'redis-semaphore', 'redis-py'];

/** Who is compared with rlock, too. */
const BESIDE_RLOCK = ['rlock, detached', 'Symfony on rlock', 'Symfony', 'Laravel on rlock', 'Laravel'];

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
    $command = match ($name) {
        'rlock', 'rlock, confirm: false', 'rlock, detached' => $php('rlock', '-d', 'extension=' . getenv('RLOCK_SO')),
        'Symfony on rlock' => $php('symfony-rlock', '-d', 'extension=' . getenv('RLOCK_SO')),
        'Laravel on rlock' => $php('laravel-rlock', '-d', 'extension=' . getenv('RLOCK_SO')),
        'phpredis', 'cheprasov' => $php($name),
        'Symfony', 'Laravel' => $php(strtolower($name)),
        'redlock', 'redis-semaphore' => ['node', "$workers/$name.js"],
        'redis-py' => ['/usr/bin/python3', "$workers/$name.py"],
        default => [getenv('RLOCK_BENCH_FLOOR'), FLOORS[$name]],
    };
    array_push($with, ...match ($name) {
        'rlock, confirm: false' => ['unconfirmed'],
        'rlock, detached' => ['detached'],
        default => [],
    });
    return new Worker([...$command, $address, $key, (string) $lease_ms, ...(str_starts_with($name, 'rlock') ? $with : [])], $cpu);
}

/** The CPU on which everything runs that is to be pinned: the first that we may use. */
function one_cpu(): int
{
    preg_match('/^Cpus_allowed_list:\s*(\d+)/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}
