<?php
/* Symfony Lock with the factory and the store of integrations/symfony: a new lock for each turn. `shared`: to read. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
require getenv('RLOCK_BENCH_SYMFONY');
foreach (['Holders', 'Holding', 'KeyState', 'RLockStore', 'WatchedLock', 'RLockFactory'] as $class) {
    require dirname(__DIR__, 2) . "/integrations/symfony/src/$class.php";
}

[$address, $key, $lease] = place();
$url = $address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address";
$factory = $lock = null;
$acquire = in_array('shared', $argv, true) ? fn ($lock) => $lock->acquireRead(true) : fn ($lock) => $lock->acquire(true);
turns(
    function () use (&$factory, &$lock, $acquire, $url, $key, $lease) {
        $factory ??= new RLock\Symfony\RLockFactory(new RLock\Symfony\RLockStore(new RLock($url), $lease));
        $lock = $factory->createLock($key, $lease);
        $acquire($lock) || throw new RuntimeException('still busy');
    },
    function () use (&$lock) {
        $lock->release();
    },
);
