<?php
namespace local_rlock;

use core\lock\lock;

final class lock_factory implements \core\lock\lock_factory
{
    /** @var array<string, \RLock> */
    private array $held = [];

    public function __construct(private $type) {}

    public function supports_timeout() {
        return true;
    }

    public function supports_auto_release() {
        return true;
    }

    public function is_available() {
        return extension_loaded('rlock');
    }

    public function get_lock($resource, $timeout, $maxlifetime = 86400) {
        $key = "moodle:{$this->type}:$resource";
        if (isset($this->held[$key])) {
            return false;
        }
        $rlock = new \RLock(ttl: 10.0, autoRenew: true, maxHold: $maxlifetime);
        if (!$rlock->getLock($key, wait: $timeout)) {
            return false;
        }
        $this->held[$key] = $rlock;
        return new lock($key, $this);
    }

    public function release_lock(lock $lock) {
        $key = $lock->get_key();
        $rlock = $this->held[$key] ?? null;
        unset($this->held[$key]);
        try {
            return $rlock !== null && $rlock->releaseLock($key);
        } catch (\RLock\TimeoutException $late) {
            debugging($late->getMessage());
            return false;
        }
    }
}
