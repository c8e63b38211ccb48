<?php
/*
 * A session in Redis under phpredis' own locking, which asks until it has the lock: by default it gives up, and goes on
 * without.
 */

declare(strict_types=1);

require __DIR__ . '/section.php';

foreach ([
    'session.save_handler' => 'redis',
    'session.save_path' => 'unix://' . ADDRESS,
    'session.use_cookies' => '0',
    'session.cache_limiter' => '',
    'session.gc_probability' => '0',
    'redis.session.locking_enabled' => '1',
    'redis.session.lock_expire' => (string) (int) LEASE,
    'redis.session.lock_wait_time' => '10000',
    'redis.session.lock_retries' => (string) (WAIT * 100),
] as $name => $value) {
    ini_set($name, $value);
}
section(function () {
    session_status() === PHP_SESSION_ACTIVE && session_abort();  // what a try before this one has left
    session_id(strtr(KEY, ':', '-'));
    session_start() ?: throw new RuntimeException('busy');
    work(after: function () {
        $_SESSION['writes'] = ($_SESSION['writes'] ?? 0) + 1;
    });
    try {
        session_write_close() || throw new Lost('not written');
    } catch (ErrorException $warning) {
        throw str_contains($warning->getMessage(), 'session lock') ? new Lost($warning->getMessage()) : $warning;
    }
});
