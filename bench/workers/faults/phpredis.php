<?php
/* A lock by hand as Redis' documentation describes it: SET NX PX, asked for every 10 ms, and compare-and-delete. */

declare(strict_types=1);

require __DIR__ . '/section.php';

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

section(function () {
    $redis = phpredis();
    $token = bin2hex(random_bytes(16));
    while (!$redis->set(KEY, $token, ['nx', 'px' => (int) (LEASE * 1000)])) {
        usleep(10_000);
    }
    try {
        work();
    } finally {
        $redis->eval(RELEASE, [KEY, $token], 1) === 1 || throw new Lost('released: 0');
    }
});
