<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\NotSerializable;
use RLock\Pending;

/**
 * What InMemoryLocker::requestLock() returns. It asks at each poll(), and time passes only when a test says so.
 *
 * @internal
 */
final class PendingRequest implements Pending
{
    use NotSerializable;

    private ?bool $result = null;

    /** @var resource|null */
    private $stream = null;

    /**
     * @param \Closure(): bool $ask true: the lock was had
     * @param int $until the end of the wait
     */
    public function __construct(
        private readonly string $key,
        private ?\Closure $ask,
        private readonly InMemoryStore $store,
        private readonly int $until,
    ) {
    }

    private function __clone()
    {
    }

    public function key(): string
    {
        return $this->key;
    }

    /** Always readable, since nothing tells when another object gives the lock back. */
    public function stream(): mixed
    {
        if ($this->stream === null) {
            [$this->stream, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP)
                ?: throw new \RuntimeException('The system has no descriptors');
            fclose($other);
        }
        return $this->stream;
    }

    public function poll(): ?bool
    {
        if ($this->ask === null) {
            return $this->result ?? false;
        }
        $isLast = $this->store->now() >= $this->until;
        try {
            $ask = $this->ask;
            $this->result = $ask() ? true : ($isLast ? false : null);
        } catch (\Throwable $e) {
            $this->cancel();
            throw $e;
        }
        if ($this->result !== null) {
            $this->cancel();
        }
        return $this->result;
    }

    public function cancel(): void
    {
        $this->ask = null;
    }

    /** @internal */
    public function isUndecided(): bool
    {
        return $this->ask !== null;
    }
}
