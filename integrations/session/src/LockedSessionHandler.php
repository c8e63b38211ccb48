<?php

declare(strict_types=1);

namespace RLock\Session;

use RLock\Locker;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\RLockException;

/**
 * Gives each session a lock, from when it is read until it has been written, so that requests of one session do not
 * overwrite what others have written. It decorates the handler that stores them:
 *
 *     session_set_save_handler(new LockedSessionHandler(new SessionHandler(), new RLock()));
 *     session_start();
 *
 * `session_start(['read_and_close' => true])` takes no lock.
 */
final class LockedSessionHandler implements
    \SessionHandlerInterface,
    \SessionIdInterface,
    \SessionUpdateTimestampHandlerInterface
{
    private readonly SessionLock $lock;

    /** What was read of a session that stayed busy, by which a change is known. */
    private ?string $readOnly = null;

    /** @var array<string, string|false|RLockException> what reading came to where validateId() did it already, by id */
    private array $validated = [];

    /**
     * @param \SessionHandlerInterface $inner what stores sessions; `new SessionHandler()` is the one of
     *        session.save_handler
     * @param float $wait how long a request waits for a session that another one has, in seconds
     * @param float|null $ttl the lease in seconds; null: that of $locks
     * @param bool $readOnlyIfBusy after that wait, read it nevertheless, and write nothing. False: session_start()
     *        throws RLock\NotAcquiredException
     */
    public function __construct(
        private readonly \SessionHandlerInterface $inner,
        Locker $locks,
        float $wait = 30.0,
        ?float $ttl = null,
        private readonly bool $readOnlyIfBusy = false,
    ) {
        $this->lock = new SessionLock($locks, $wait, $ttl);
    }

    /** Whether the session stayed busy and was read all the same: then changes are not written. */
    public function isReadOnly(): bool
    {
        return $this->readOnly !== null;
    }

    public function open(string $path, string $name): bool
    {
        return $this->inner->open($path, $name);
    }

    /** @throws NotAcquiredException it stayed busy */
    public function read(string $id): string|false
    {
        $data = $this->validated[$id] ?? $this->readUnderLock($id);
        $this->validated = [];
        return $data instanceof RLockException ? throw $data : $data;
    }

    public function write(string $id, string $data): bool
    {
        return $this->store($id, $data, fn (): bool => $this->inner->write($id, $data));
    }

    /** Instead of write() for a session that was not changed. */
    public function updateTimestamp(string $id, string $data): bool
    {
        return $this->store($id, $data, fn (): bool => $this->inner instanceof \SessionUpdateTimestampHandlerInterface
            ? $this->inner->updateTimestamp($id, $data)
            : $this->inner->write($id, $data));
    }

    public function destroy(string $id): bool
    {
        return SessionId::isValid($id) && $this->lock->during($id, fn (): bool => $this->inner->destroy($id));
    }

    public function close(): bool
    {
        $this->readOnly = null;
        $this->validated = [];
        try {
            return $this->inner->close();
        } finally {
            $this->giveBack();
        }
    }

    public function gc(int $max_lifetime): int|false
    {
        return $this->inner->gc($max_lifetime);
    }

    public function create_sid(): string
    {
        return $this->inner instanceof \SessionIdInterface ? $this->inner->create_sid() : (string) session_create_id();
    }

    /** Whether there is such a session: session.use_strict_mode takes no others. */
    public function validateId(string $id): bool
    {
        if (!SessionId::isValid($id)) {
            return false;
        }
        if ($this->inner instanceof \SessionUpdateTimestampHandlerInterface) {
            return $this->inner->validateId($id);
        }
        if ($this->lock->isHeldFor($id)) {
            return true; // session_reset(), perhaps before it was ever written
        }
        if ($this->lock->isHeld()) {
            return (string) $this->inner->read($id) !== ''; // session_create_id(), and ours stays open
        }
        return $this->validateByReading($id);
    }

    /** PHP hides what is thrown here behind an Error of its own, so read() throws it. */
    private function validateByReading(string $id): bool
    {
        try {
            $data = $this->readUnderLock($id);
        } catch (RLockException $failure) {
            $data = $failure;
        }
        $this->validated = [$id => $data];
        return $data !== '' && $data !== false;
    }

    private function readUnderLock(string $id): string|false
    {
        $this->readOnly = null;
        if (!SessionId::isValid($id)) {
            self::warn('The id of a session has 1 to 256 letters, digits, "-" and ","');
            return false;
        }
        if (Request::readsAndCloses()) {
            return $this->inner->read($id);
        }
        $isOurs = $this->lock->take($id);
        if (!$isOurs && !$this->readOnlyIfBusy) {
            throw $this->lock->refusal($id);
        }
        $data = $this->readInner($id);
        $this->readOnly = $isOurs ? null : (string) $data;
        return $data;
    }

    /** PHP does not call close() after an exception. */
    private function readInner(string $id): string|false
    {
        try {
            return $this->inner->read($id);
        } catch (\Throwable $failure) {
            $this->giveBack();
            throw $failure;
        }
    }

    /** @param callable(): bool $write */
    private function store(string $id, string $data, callable $write): bool
    {
        if ($this->readOnly !== null) {
            if ($data !== $this->readOnly) {
                self::warn('The changes of this session are not written: another request had it, so it was opened to be read only');
            }
            return true;
        }
        if (!SessionId::isValid($id)) {
            return false;
        }
        try {
            $this->lock->prolongToWrite();
        } catch (LostLockException $lost) {
            self::warn("The changes of this session are not written, for another request has had it meanwhile. {$lost->getMessage()}");
            return false;
        }
        return $this->lock->during($id, $write);
    }

    /** The session has been written by now: that its lock is in trouble is no failure of it. */
    private function giveBack(): void
    {
        try {
            $this->lock->giveBack();
        } catch (RLockException $trouble) {
            self::warn($trouble->getMessage());
        }
    }

    private static function warn(string $message): void
    {
        trigger_error($message, E_USER_WARNING);
    }
}
