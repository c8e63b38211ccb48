<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Kind;

/**
 * One grant of a lock to one holder. Store and holder share it, as they share the clock.
 *
 * @internal
 */
final class Grant
{
    /** How often the holder took it. */
    public int $depth = 1;

    /** It is renewed by this length, in microseconds: until $endsAt, it has no more left than that. */
    public ?int $renewedBy = null;

    /** How long taking it took, in microseconds. */
    public int $waited = 0;

    /**
     * @param string $token "" for a cooldown, which nobody holds
     * @param string $owner "host:pid"; "" for one that is handed over
     * @param int $fence what makes it a new grant raises it
     * @param int $endsAt in microseconds, by the store's clock
     * @param string|null $name the hash of the one that holds a detached lock
     * @param bool $isShared a share, which others may have beside it
     * @param int|null $limit the share was one of fewer than this many
     */
    public function __construct(
        public readonly string $key,
        public readonly string $token,
        public readonly string $owner,
        public int $fence,
        public readonly ?string $metadata,
        public int $endsAt,
        public readonly Kind $kind = Kind::Lease,
        public readonly ?string $name = null,
        public bool $isShared = false,
        public readonly ?int $limit = null,
    ) {
    }

    /** What is known of others if it is late and not lost. */
    public function verdictOnOthers(): string
    {
        return $this->isShared ? 'nobody else has had the lock exclusively' : 'nobody else has had the lock';
    }
}
