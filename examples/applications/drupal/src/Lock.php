<?php
namespace Drupal\rlock;

use Drupal\Core\Lock\LockBackendAbstract;
use RLock\TimeoutException;

final class Lock extends LockBackendAbstract
{
    public function __construct(private \RLock $rlock) {}

    public function acquire($name, $timeout = 30.0): bool
    {
        if ($this->rlock->lease($name) === null) {
            return $this->rlock->getLock($name, ttl: $timeout);
        }
        try {
            return $this->rlock->prolongate($name, $timeout);
        } catch (TimeoutException $late) {
            return $late->held;
        }
    }

    public function lockMayBeAvailable($name): bool
    {
        return $this->rlock->holder($name) === null;
    }

    /** True: it is still locked. */
    public function wait($name, $delay = 30): bool
    {
        return !$this->rlock->waitUntilFree($name, $delay);
    }

    public function release($name): void
    {
        try {
            $this->rlock->releaseLock($name);
        } catch (TimeoutException $late) {
            error_log($late->getMessage());
        }
    }

    public function releaseAll($lockId = null): void
    {
        $this->rlock->releaseAll();
    }
}
