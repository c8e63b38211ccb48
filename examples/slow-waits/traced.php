<?php
/*
 * The same for OpenTelemetry: a span for each getLock(), which is as long as the wait.
 */

declare(strict_types=1);

use OpenTelemetry\API\Trace\StatusCode;
use OpenTelemetry\API\Trace\TracerInterface;
use RLock\Locker;

function getLockTraced(Locker $locks, TracerInterface $tracer, string $key, float $wait = 0.0): bool
{
    $span = $tracer->spanBuilder('lock.acquire')->setAttribute('lock.key', $key)->startSpan();
    try {
        $acquired = $locks->getLock($key, wait: $wait);
        $span->setAttribute('lock.acquired', $acquired);
        if (!$acquired) {
            $span->setAttribute('lock.holder', $locks->holder($key)?->owner);
        }
        return $acquired;
    } catch (RLock\RLockException $failure) {
        $span->recordException($failure)->setStatus(StatusCode::STATUS_ERROR);
        throw $failure;
    } finally {
        $span->end();
    }
}
