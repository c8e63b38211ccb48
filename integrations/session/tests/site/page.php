<?php
/*
 * A page of one session, told by its query what to do:
 *
 * lock=rlock|phpredis|none  retries=N (phpredis')  store=files|redis|memcached  shutdown=0|1 (how the handler is registered)
 * do=count|look|kill|crash  work=SECONDS  until=FILE (goes on when that is there)  wait=SECONDS  ttl=SECONDS  renew=1  readonly=1
 */

declare(strict_types=1);

use RLock\Session\LockedSessionHandler;

require dirname(__DIR__) . '/app/vendor/autoload.php';

$option = fn (string $name, string $default): string => $_GET[$name] ?? $default;
$store = $option('store', 'redis');

ini_set('session.save_handler', $store);
ini_set('session.save_path', getenv('STORE_' . strtoupper($store)));
ini_set('redis.session.locking_enabled', $option('lock', 'rlock') === 'phpredis' ? '1' : '0');
ini_set('redis.session.lock_retries', $option('retries', '-1'));

if ($option('lock', 'rlock') === 'rlock') {
    session_set_save_handler(
        new LockedSessionHandler(
            new SessionHandler(),
            new RLock(
                ttl: (float) $option('ttl', '30'),
                autoRenew: $option('renew', '0') === '1',
                maxHold: $option('renew', '0') === '1' ? 60.0 : null,
            ),
            wait: (float) $option('wait', '30'),
            readOnlyIfBusy: $option('readonly', '0') === '1',
        ),
        $option('shutdown', '1') === '1',
    );
}

$asked = hrtime(true);
try {
    $started = session_start(['read_and_close' => $option('do', 'count') === 'look']);
} catch (RLock\NotAcquiredException $busy) {
    http_response_code(503);
    exit($busy->getMessage());
}
if (!$started) {
    http_response_code(500);
    exit('not started');
}
$had = hrtime(true);
$before = $_SESSION['count'] ?? 0;
usleep((int) (1e6 * (float) $option('work', '0')));
for ($end = microtime(true) + 20.0; isset($_GET['until']) && !file_exists($_GET['until']) && microtime(true) < $end; ) {
    usleep(1000);
    clearstatcache();
}
$_SESSION['count'] = $before + 1;

match ($option('do', 'count')) {
    'kill' => posix_kill(getmypid(), 9),
    'crash' => str_repeat('x', PHP_INT_MAX >> 8),
    default => null,
};
echo json_encode(['count' => $before + 1, 'asked' => $asked, 'had' => $had]);
