<?php
/*
 * A request of a session, from session_start() until it is written. The further argument says by what: `module`, rlock's
 * handler; `files`; `memcached`, in a server on RLOCK_BENCH_MEMCACHED, asking until it has the lock; otherwise phpredis' handler stores it, and that is how it is locked: `unlocked`; `rlock`, by the handler of integrations/session with the settings of
 * docs/sessions.md; `phpredis`, by its own locking, which by default asks ten times and then goes on without
 * the lock: here it asks until it has it.
 */

declare(strict_types=1);

require __DIR__ . '/turns.php';
foreach (['Request', 'SessionId', 'SessionLock', 'LockedSessionHandler'] as $class) {
    require dirname(__DIR__, 2) . "/integrations/session/src/$class.php";
}

[$address, $key] = place();
foreach ([
    'session.save_handler' => 'redis',
    'session.save_path' => ($address[0] === '/' ? "unix://$address" : "tcp://127.0.0.1:$address") . '?persistent=1',
    'session.use_cookies' => '0',
    'session.cache_limiter' => '',
    'session.gc_probability' => '0',
    'redis.session.locking_enabled' => in_array('phpredis', $argv, true) ? '1' : '0',
    'redis.session.lock_retries' => '-1',
] as $name => $value) {
    ini_set($name, $value);
}
if (in_array('module', $argv, true)) {
    ini_set('session.save_handler', 'rlock');
    ini_set('session.save_path', $address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address");
} elseif (in_array('files', $argv, true)) {
    ini_set('session.save_handler', 'files');
    ini_set('session.save_path', sys_get_temp_dir());
} elseif (in_array('memcached', $argv, true)) {
    ini_set('session.save_handler', 'memcached');
    ini_set('session.save_path', getenv('RLOCK_BENCH_MEMCACHED'));
    ini_set('memcached.sess_persistent', '1');
    ini_set('memcached.sess_lock_retries', '1000000');
}
session_id(preg_replace('/[^a-z]+/i', '-', $key));
if (in_array('rlock', $argv, true)) {
    $url = $address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address";
    session_set_save_handler(new RLock\Session\LockedSessionHandler(
        new SessionHandler(), new RLock($url, ttl: 5.0, autoRenew: true, maxHold: 120.0), WAIT));
}
turns(
    fn () => session_start() ?: throw new RuntimeException('still busy'),
    function () {
        $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
        session_write_close() || throw new RuntimeException('not written');
    },
);
