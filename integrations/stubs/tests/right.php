<?php

declare(strict_types=1);

namespace RLock\Stubs\Tests;

use RLock\Lease;
use RLock\Locker;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\Retry;
use RLock\TimeoutException;

use function PHPStan\Testing\assertType;

/** What PHPStan knows of it at its highest level. */
final class Report
{
    public function __construct(private readonly Locker $locks)
    {
    }

    /** @return array<string, int> */
    public function make(string $name): array
    {
        try {
            return $this->locks->synchronized("report:$name", function (Lease $lease) use ($name): array {
                assertType('int|null', $lease->fence);
                assertType('float', $lease->waited);
                return [$name => $lease->fence ?? 0];
            }, wait: 5.0, ttl: 60.0, metadata: $name);
        } catch (NotAcquiredException $busy) {
            assertType('RLock\Holder|null', $busy->holder);
            assertType('RLock\Kind|null', $busy->holder?->kind);
            return [$busy->holder->owner ?? 'nobody' => 0];
        } catch (LostLockException $lost) {
            assertType('float', $lost->lateBy);
            assertType('string|null', $lost->holder?->metadata);
            throw $lost;
        } catch (TimeoutException $late) {
            assertType('bool', $late->held);
            assertType('mixed', $late->result);
            return [];
        }
    }

    public function step(): void
    {
        if (!$this->locks->getLocks(['a', 7], wait: 1.0)) {
            return;
        }
        $this->locks->check('a');
        $token = $this->locks->handOver('a', 10.0);
        assertType('string', $token);
        if ($this->locks->adopt('a', $token)) {
            $this->locks->releaseAll();
        }
    }
}

$locks = new \RLock(
    ['redis://10.0.0.1', 'redis://10.0.0.2'],
    prefix: 'app@',
    autoRenew: true,
    maxHold: 60.0,
    retry: Retry::exponential(0.01, 1.0)->limit(5),
);
$length = $locks->synchronized('key', fn (Lease $lease): int => $lease->depth);
assertType('int', $length);
assertType('float', $locks->stats()['wait_seconds']);
assertType('int', $locks->stats()['requests']);
if ($locks->getLock('key', policy: \RLock::POLICY_FAIL_FAST)) {
    (new Report($locks))->step();
    $locks->breakLock('key', $locks->lease('key')?->fence);
}
if ($locks->getSharedLock('key', wait: 1.0, limit: 3)) {
    assertType('list<RLock\Holder>', $locks->sharers('key'));
    assertType('bool|null', $locks->lease('key')?->shared);
    assertType('bool', $locks->downgrade('key'));
}
$got = $locks->getSharedLock('key', 3.0) || $locks->getSharedLock('key', wait: 3) || $locks->getSharedLock('key', 3, limit: 2)
    || $locks->detached('key', 'name')->getSharedLock(3.0) || $locks->getLock('key', 3);
