<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Psr\Log\LoggerInterface;
use RLock\Lease;
use RLock\Locker;
use RLock\RLockException;
use Symfony\Component\Lock\Exception\LockConflictedException;

/**
 * Makes calls under the lock of their #[Locked].
 *
 * @internal
 */
final class LockedCalls
{
    /** @var list<class-string> what is running, from the outermost on */
    private static array $running = [];

    /** @param Locker $locks renews what it holds */
    public function __construct(private readonly Locker $locks, private readonly ?LoggerInterface $logger = null)
    {
    }

    /** A class, or one that extends it, is. */
    public static function areRunning(string $class): bool
    {
        return array_filter(self::$running, static fn (string $running): bool => is_a($running, $class, true)) !== [];
    }

    /**
     * @param array<mixed>|object $arguments for the placeholders
     * @param class-string $class of what is called
     * @return Lease|null null: it is to be skipped
     * @throws LockConflictedException
     */
    public function begin(Locked $locked, array|object $arguments, string $class): ?Lease
    {
        $key = $locked->resourceFor($arguments);
        if ($this->locks->getLock($key, $locked->wait)) {
            self::$running[] = $class;
            return $this->locks->lease($key);
        }
        $fate = $locked->busy === Busy::Skip ? 'skipped' : 'not run';
        $this->logger?->info("{class} was $fate: its lock \"{resource}\" is " . Holders::describe($this->locks, $key), ['class' => $class, 'resource' => $key]);
        return $locked->busy === Busy::Skip ? null : throw new LockConflictedException("Another owner has the lock \"$key\" of $class");
    }

    /** What has been done is done, also if it was late. */
    public function end(Lease $lease): void
    {
        array_pop(self::$running);
        try {
            $this->locks->releaseLock($lease->key);
        } catch (RLockException $late) {
            $this->logger?->warning('The "{resource}" lock was not held to the end: ' . $late->getMessage(), ['resource' => $lease->key, 'exception' => $late]);
        }
    }
}
