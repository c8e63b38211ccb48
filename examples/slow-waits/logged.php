<?php
/*
 * Slow waits in the log: getLock() with a PSR-3 logger, to copy from. Write down when a wait was slow, and who had the
 * lock when it was in vain.
 */

declare(strict_types=1);

use Psr\Log\LoggerInterface;
use RLock\Locker;

const SLOW = 0.2; // seconds

function getLockLogged(Locker $locks, LoggerInterface $logger, string $key, float $wait = 0.0): bool
{
    if (!$locks->getLock($key, wait: $wait)) {
        $holder = $locks->holder($key);
        $logger->warning('{key} stayed busy for {wait} s; {owner} has it ({metadata})', [
            'key' => $key,
            'wait' => $wait,
            'owner' => $holder?->owner,
            'metadata' => $holder?->metadata,
        ]);
        return false;
    }
    $waited = $locks->lease($key)->waited;
    if ($waited > SLOW) {
        $logger->notice('{key} was waited for, {waited} s', ['key' => $key, 'waited' => round($waited, 3)]);
    }
    return true;
}
