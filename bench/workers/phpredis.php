<?php
/* A lock written by hand with phpredis: SET NX PX, asked for every 10 ms, and compare-and-delete. */

declare(strict_types=1);

require __DIR__ . '/turns.php';

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

[$address, $key, $lease] = place();
$redis = $sha1 = $token = null;
turns(
    function () use (&$redis, &$sha1, &$token, $address, $key, $lease) {
        if (!$redis) {
            $redis = phpredis($address);
            $sha1 = $redis->script('load', RELEASE);
        }
        $token = bin2hex(random_bytes(16));
        while (!$redis->set($key, $token, ['nx', 'px' => (int) ($lease * 1000)])) {
            usleep(10_000);
        }
    },
    function () use (&$redis, &$sha1, &$token, $key) {
        $redis->evalSha($sha1, [$key, $token], 1) === 1 || throw new RuntimeException('lost');
    },
);
