<?php

declare(strict_types=1);

namespace RLock\Revolt;

use Revolt\EventLoop;
use RLock\Locker;
use RLock\Pending;

/**
 * Waits for locks without blocking the event loop: the fiber that asks is suspended, and the others go on.
 *
 * Fibers that share a Locker share its locks. Those that are to exclude each other have one each, which costs no
 * connection.
 */
final class AsyncLocker
{
    public function __construct(private readonly Locker $locks)
    {
    }

    /**
     * As Locker::getLock(). It is given back by that Locker's releaseLock(), which takes one round trip.
     *
     * @param float $wait seconds: 0.0 asks once, INF waits forever
     *
     * @return bool false: it stayed busy
     */
    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        ?string $metadata = null,
    ): bool {
        return self::await($this->locks->requestLock($key, $wait, $ttl, $metadata));
    }

    /** As Locker::getSharedLock(). */
    #[\NoDiscard]
    public function getSharedLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        return self::await($this->locks->requestLock($key, $wait, $ttl, $metadata, shared: true, limit: $limit));
    }

    /**
     * Suspends the fiber until it is decided. If it is ended meanwhile, so is the request.
     *
     * @return bool what poll() says at last
     */
    public static function await(Pending $pending): bool
    {
        $answer = $pending->poll();
        if ($answer !== null) {
            return $answer;
        }
        $suspension = EventLoop::getSuspension();
        $watcher = EventLoop::onReadable(
            $pending->stream(),
            static function (string $watcher) use ($pending, $suspension): void {
                try {
                    $answer = $pending->poll();
                } catch (\Throwable $e) {
                    EventLoop::cancel($watcher);
                    $suspension->throw($e);
                    return;
                }
                if ($answer !== null) {
                    EventLoop::cancel($watcher);
                    $suspension->resume($answer);
                }
            },
        );
        try {
            return $suspension->suspend();
        } finally {
            EventLoop::cancel($watcher);
            $pending->cancel();
        }
    }
}
