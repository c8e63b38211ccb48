<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Held;
use RLock\Kind;

/**
 * One grant of a lock to one holder. Store and holder share it, as they share the clock.
 *
 * @internal
 */
final class Grant extends Held
{
    /** It is renewed by this length, in microseconds: until $endsAt, it has no more left than that. */
    public ?int $renewedBy = null;

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
        string $key,
        string $token,
        public readonly string $owner,
        int $fence,
        ?string $metadata,
        int $endsAt,
        public readonly Kind $kind = Kind::Lease,
        public readonly ?string $name = null,
        bool $isShared = false,
        public readonly ?int $limit = null,
    ) {
        parent::__construct($key, $token, $fence, $metadata, $endsAt, $isShared);
    }
}
