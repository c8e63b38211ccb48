<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Psr\Log\LoggerInterface;
use RLock\Locker;
use RLock\RLockException;

/**
 * A call that is made under its lock. If an exception of a signal's handler keeps end() from being called, the lock ends
 * with this object.
 *
 * @internal
 */
final class LockedCall
{
    /** @var \WeakMap<self, class-string>|null of what */
    private static ?\WeakMap $running = null;

    public readonly ?int $fence;

    /** @param class-string $class of what is called */
    public function __construct(
        private readonly Locker $locks,
        private readonly string $key,
        string $class,
        private readonly ?LoggerInterface $logger,
    ) {
        $this->fence = $locks->lease($key)?->fence;
        self::$running ??= new \WeakMap();
        self::$running[$this] = $class;
    }

    /** One of this class, or of one that extends it. */
    public static function isRunning(string $class): bool
    {
        foreach (self::$running ?? [] as $running) {
            if (is_a($running, $class, true)) {
                return true;
            }
        }
        return false;
    }

    /** What has been done is done, also if it was late. */
    public function end(): void
    {
        unset(self::$running[$this]);
        try {
            $this->locks->releaseLock($this->key);
        } catch (RLockException $late) {
            $this->logger?->warning('The "{resource}" lock was not held to the end: ' . $late->getMessage(), ['resource' => $this->key, 'exception' => $late]);
        }
    }
}
