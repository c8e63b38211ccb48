<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;

/**
 * What a Key takes along: how its lock was created, and, in this process only, what the stores know of it.
 *
 * A lock is renewed for as long as its Key is in this process. That the Key is being serialized shows by this being so:
 * then others may have it, and the lock lasts for the rest of its time. So it does if the Key ends and the lock is to stay.
 *
 * @internal
 */
final class KeyState implements \JsonSerializable
{
    private const NAME = RLockStore::class . '.ttl';

    public bool $isAutoReleased = false;

    /** @var \SplObjectStorage<RLockStore, Holding> */
    public \SplObjectStorage $holdings;

    private function __construct(public ?float $ttl, public bool $isHandedOver)
    {
        $this->holdings = new \SplObjectStorage();
    }

    public static function of(Key $key): self
    {
        $state = $key->hasState(self::NAME) ? $key->getState(self::NAME) : null;
        if (!$state instanceof self) { // as JSON it is only the ttl, and if that is null, nothing
            $state = new self(is_numeric($state) ? (float) $state : null, $key->hasState(RLockStore::class));
            $key->setState(self::NAME, $state);
        }
        return $state;
    }

    public function isLost(): bool
    {
        foreach ($this->holdings as $store) {
            if ($this->holdings[$store]->isLost()) {
                return true;
            }
        }
        return false;
    }

    /** @return array{?float} */
    public function __serialize(): array
    {
        return [$this->jsonSerialize()];
    }

    /** @param array{?float} $data */
    public function __unserialize(array $data): void
    {
        $this->__construct($data[0], true);
    }

    public function jsonSerialize(): ?float
    {
        $this->handOver();
        return $this->ttl;
    }

    public function __destruct()
    {
        try {
            $this->isAutoReleased || $this->handOver();
        } catch (LockStorageException) { // it lasts for its lease
        }
    }

    private function handOver(): void
    {
        foreach ($this->holdings as $store) {
            $this->holdings[$store]->leave();
        }
        $this->isHandedOver = true;
        $this->holdings = new \SplObjectStorage(); // renewal ends with what was there
    }
}
