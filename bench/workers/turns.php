<?php
/*
 * What every worker does, whatever it locks with and whatever it is written in.
 *
 * Started with ADDRESS (a socket's path or a port of 127.0.0.1), KEY and LEASE_MS, it says
 * `ready` before it has connected. Then each line on its standard input is an order
 *
 *     COUNT UNTIL HOLD_US      take the lock COUNT times, but not again once the clock is past
 *                              UNTIL (0: no such end), and hold it for HOLD_US each time
 *
 * and is answered with a line for each turn, then `end`:
 *
 *     ASKED GRANTED RELEASING RELEASED
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, which all processes share. The first order finds
 * nothing connected. A worker ends with its input. Further arguments choose among what a worker can do.
 */

declare(strict_types=1);

const WAIT = 120.0;     // seconds: longer than any section keeps anybody waiting

/** @return array{string, string, float} address, key, lease in seconds */
function place(): array
{
    return [$_SERVER['argv'][1], $_SERVER['argv'][2], $_SERVER['argv'][3] / 1000];
}

/** How many may hold it at a time: of the argument `limit=N`. */
function limit(): ?int
{
    foreach ($_SERVER['argv'] as $argument) {
        if (str_starts_with($argument, 'limit=')) {
            return (int) substr($argument, strlen('limit='));
        }
    }
    return null;
}

function phpredis(string $address): Redis
{
    $redis = new Redis();
    $address[0] === '/' ? $redis->connect($address) : $redis->connect('127.0.0.1', (int) $address);
    return $redis;
}

function turns(callable $take, callable $give): void
{
    echo "ready\n";
    while (($order = fgets(STDIN)) !== false) {
        [$count, $until, $hold] = array_map(intval(...), explode(' ', $order));
        $turns = [];
        while ($count-- > 0 && ($until === 0 || hrtime(true) < $until)) {
            $asked = hrtime(true);
            $take();
            $granted = hrtime(true);
            if ($hold > 0) {
                usleep($hold);
            }
            $releasing = hrtime(true);
            $give();
            $turns[] = [$asked, $granted, $releasing, hrtime(true)];
        }
        $lines = '';
        foreach ($turns as $turn) {
            $lines .= implode(' ', $turn) . "\n";
        }
        echo $lines, "end\n";
    }
}
