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

    /** The id that was already waited for, so that reading does not wait again after validateId(). */
    private ?string $busy = null;

    /** The data that was read without the lock, to tell whether it was changed; null: the session may be written. */
    private ?string $readOnly = null;

    /** @var array<string, string|false|RLockException> the result of reading by id, if validateId() has read already */
    private array $validated = [];

    /**
     * @param \SessionHandlerInterface $inner what stores sessions; `new SessionHandler()` is the one of
     *        session.save_handler
     * @param float $wait how long to wait for a session that another request holds, in seconds
     * @param float|null $ttl the lease in seconds; null: that of $locks
     * @param bool $readOnlyIfBusy when the wait is over: true reads the session all the same and never writes it,
     *        false makes session_start() throw RLock\NotAcquiredException
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

    /** Whether the session was read without its lock, because it stayed locked. Its changes are not written then. */
    public function isReadOnly(): bool
    {
        return $this->readOnly !== null;
    }

    public function open(string $path, string $name): bool
    {
        return $this->inner->open($path, $name);
    }

    /** @throws NotAcquiredException the session stayed locked */
    public function read(#[\SensitiveParameter] string $id): string|false
    {
        $data = $this->validated[$id] ?? $this->readUnderLock($id);
        $this->validated = [];
        $this->busy = null;
        return $data instanceof RLockException ? throw $data : $data;
    }

    public function write(#[\SensitiveParameter] string $id, #[\SensitiveParameter] string $data): bool
    {
        return $this->store($id, $data, fn (): bool => $this->inner->write($id, $data));
    }

    /** PHP calls this instead of write() for a session that was not changed. */
    public function updateTimestamp(#[\SensitiveParameter] string $id, #[\SensitiveParameter] string $data): bool
    {
        return $this->store($id, $data, fn (): bool => $this->inner instanceof \SessionUpdateTimestampHandlerInterface
            ? $this->inner->updateTimestamp($id, $data)
            : $this->inner->write($id, $data));
    }

    public function destroy(#[\SensitiveParameter] string $id): bool
    {
        return SessionId::isValid($id) && $this->lock->during($id, fn (): bool => $this->inner->destroy($id));
    }

    public function close(): bool
    {
        $this->readOnly = $this->busy = null;
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

    /** Whether there is such a session; session.use_strict_mode accepts no others. */
    public function validateId(#[\SensitiveParameter] string $id): bool
    {
        if (!SessionId::isValid($id)) {
            return false;
        }
        if ($this->lock->isHeld()) {
            // session_reset() asks about ours, which may never have been written; session_create_id() about a new one.
            return $this->lock->isHeldFor($id) || $this->isStored($id);
        }
        return $this->validateUnderLock($id);
    }

    /** PHP replaces an exception thrown here by an Error of its own, so read() throws it. */
    private function validateUnderLock(#[\SensitiveParameter] string $id): bool
    {
        try {
            if ($this->inner instanceof \SessionUpdateTimestampHandlerInterface) {
                $this->enter($id); // first: some handlers read now, and return that later
                return $this->orGiveBack(fn (): bool => $this->isStored($id));
            }
            $this->validated = [$id => $this->readUnderLock($id)];
            return (string) $this->validated[$id] !== '';
        } catch (RLockException $failure) {
            $this->validated = [$id => $failure];
            return true;
        }
    }

    private function isStored(#[\SensitiveParameter] string $id): bool
    {
        return $this->inner instanceof \SessionUpdateTimestampHandlerInterface
            ? $this->inner->validateId($id)
            : (string) $this->inner->read($id) !== '';
    }

    private function readUnderLock(#[\SensitiveParameter] string $id): string|false
    {
        $this->readOnly = null;
        if (!SessionId::isValid($id)) {
            self::warn('The session id is invalid: it must consist of 1 to 256 letters, digits, "-" and ","');
            return false;
        }
        $mayWrite = $this->enter($id);
        $data = $this->orGiveBack(fn (): string|false => $this->inner->read($id));
        $this->readOnly = $mayWrite ? null : (string) $data;
        return $data;
    }

    /**
     * Takes the lock, if the session is not only read. False: it stayed locked, and may be read all the same.
     *
     * @throws NotAcquiredException
     */
    private function enter(#[\SensitiveParameter] string $id): bool
    {
        if (Request::readsAndCloses()) {
            return true;
        }
        if ($this->lock->isHeldFor($id)) {
            return true;
        }
        $this->giveBack();
        if ($this->busy !== $id && $this->lock->take($id)) {
            return true;
        }
        if (!$this->readOnlyIfBusy) {
            throw $this->lock->refusal($id);
        }
        $this->busy = $id;
        return false;
    }

    /**
     * PHP does not call close() after an exception.
     *
     * @template T
     * @param callable(): T $action
     * @return T
     */
    private function orGiveBack(callable $action): mixed
    {
        try {
            return $action();
        } catch (\Throwable $failure) {
            $this->giveBack();
            throw $failure;
        }
    }

    /** @param callable(): bool $write */
    private function store(#[\SensitiveParameter] string $id, #[\SensitiveParameter] string $data, callable $write): bool
    {
        if ($this->readOnly !== null) {
            if ($data !== $this->readOnly) {
                self::warn('The session was not written: another request held it, so it was opened read-only');
            }
            return true;
        }
        if (!SessionId::isValid($id)) {
            return false;
        }
        try {
            $isOurs = $this->lock->prolongToWrite();
        } catch (LostLockException $lost) {
            self::warn(
                'The session was not written: another request has had it since it was read, or may have. '
                . $lost->getMessage(),
            );
            return false;
        }
        if (!$isOurs) {
            self::warn(
                'The session was not written: its lock is no longer held, so it cannot be known whether another request '
                . 'has had it',
            );
            return false;
        }
        return $this->orGiveBack(fn (): bool => $this->lock->during($id, $write));
    }

    /** Only warns: the session itself has been written by now. */
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
