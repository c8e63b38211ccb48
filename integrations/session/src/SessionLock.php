<?php

declare(strict_types=1);

namespace RLock\Session;

use RLock\Holder;
use RLock\Locker;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * The lock of the session that this request has open.
 *
 * @internal
 */
final class SessionLock
{
    /** A lease with less left is prolonged before the session is written. In seconds. */
    private const TIME_TO_WRITE = 1.0;

    /** The lock's key while we hold it. */
    private ?string $key = null;

    public function __construct(
        private readonly Locker $locks,
        private readonly float $wait,
        private readonly ?float $ttl,
    ) {
    }

    public function isHeld(): bool
    {
        return $this->key !== null;
    }

    public function isHeldFor(#[\SensitiveParameter] string $id): bool
    {
        return $this->key === SessionId::lockOf($id);
    }

    /** May not be called while a lock is held. False: the session stayed locked. */
    public function take(#[\SensitiveParameter] string $id): bool
    {
        $key = SessionId::lockOf($id);
        if (!$this->locks->getLock($key, $this->wait, $this->ttl, metadata: Request::describe())) {
            return false;
        }
        $this->key = $key;
        return true;
    }

    /**
     * Makes sure that there is time to write. False: the lock is not held any more, and nothing is known of why.
     *
     * @throws LostLockException another request has had the session since it was read, or that cannot be ruled out
     */
    public function prolongToWrite(): bool
    {
        if ($this->key === null || $this->locks->lease($this->key)?->ttl >= self::TIME_TO_WRITE) {
            return true;
        }
        try {
            $isOurs = $this->locks->prolongate($this->key, $this->ttl);
        } catch (LostLockException $lost) {
            $this->key = null;
            throw $lost;
        } catch (TimeoutException) {
            return true; // the lease ran out, but no other request has had the session since, and it is held again
        }
        if (!$isOurs) {
            $this->key = null;
        }
        return $isOurs;
    }

    /** @throws RLockException it was lost meanwhile, or the server cannot be reached */
    public function giveBack(): void
    {
        $key = $this->key;
        $this->key = null;
        if ($key === null) {
            return;
        }
        try {
            $this->locks->releaseLock($key);
        } catch (LostLockException $lost) {
            throw $lost;
        } catch (TimeoutException) {
            // The lease ran out, but no other request has had the session since.
        }
    }

    /** Runs the action under the lock of any session, open or not. */
    public function during(#[\SensitiveParameter] string $id, callable $action): bool
    {
        if ($this->isHeldFor($id)) {
            return $action();
        }
        return $this->locks->synchronized(SessionId::lockOf($id), fn (): bool => $action(), $this->wait, $this->ttl);
    }

    public function refusal(#[\SensitiveParameter] string $id): NotAcquiredException
    {
        $key = SessionId::lockOf($id);
        $holder = $this->locks->holder($key);
        return new NotAcquiredException(
            "The session is still locked after $this->wait s" . self::describe($holder),
            $key,
            $holder,
        );
    }

    private static function describe(?Holder $holder): string
    {
        if ($holder === null) {
            return ', but has been released since';
        }
        $owner = $holder->owner === '' ? 'another client' : $holder->owner;
        $request = $holder->metadata === null ? '' : " for \"$holder->metadata\"";
        $left = $holder->ttl === null ? '' : sprintf(', with %.1F s left on its lease', $holder->ttl);
        return ": $owner holds it$request$left";
    }
}
