<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Psr\Log\LoggerInterface;
use RLock\Locker;
use Symfony\Component\Lock\Exception\LockConflictedException;

/**
 * Begins calls under the lock of their #[Locked].
 *
 * @internal
 */
final class LockedCalls
{
    /** @param \Closure(): Locker $locks makes one that renews what it holds, and releases it at its own end */
    public function __construct(private readonly \Closure $locks, private readonly ?LoggerInterface $logger = null)
    {
    }

    /**
     * @param array<mixed>|object $arguments for the placeholders
     * @param class-string $class of what is called
     * @return LockedCall|null null: it is to be skipped
     * @throws LockConflictedException
     */
    public function begin(Locked $locked, array|object $arguments, string $class): ?LockedCall
    {
        $key = $locked->resourceFor($arguments);
        $locks = ($this->locks)();
        if ($locks->getLock($key, $locked->wait)) {
            return new LockedCall($locks, $key, $class, $this->logger);
        }
        $fate = $locked->busy === Busy::Skip ? 'skipped' : 'not run';
        $this->logger?->info("{class} was $fate: its lock \"{resource}\" is " . Holders::describe($locks, $key), ['class' => $class, 'resource' => $key]);
        return $locked->busy === Busy::Skip ? null : throw new LockConflictedException("Another owner has the lock \"$key\" of $class");
    }
}
