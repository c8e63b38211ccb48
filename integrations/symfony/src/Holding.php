<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\DetachedLock;

/**
 * What a store knows of a key without asking.
 *
 * @internal
 */
final class Holding
{
    /** Since when it has had its first lease, in nanoseconds, if nothing has been done to that lease yet. */
    public ?int $savedAt = null;

    /** How long that lease was, in seconds. */
    public float $savedTtl = 0.0;

    /** It has just been deleted, and exists() has not been called yet. */
    public bool $isDeleted = false;

    /** Whose it is. A child that the process forks has a copy, and none of its locks. */
    public readonly int $pid;

    /**
     * @param string $owner the name by which the key owns its lock
     * @param bool $isFree the key did not hold its lock when it was last used here
     */
    public function __construct(
        public readonly DetachedLock $lock,
        #[\SensitiveParameter] public readonly string $owner,
        public bool $isFree,
    ) {
        $this->pid = getmypid();
    }
}
