<?php

declare(strict_types=1);

namespace RLock;

final class Holder
{
    use Client\NotSerializable;

    public function __construct(
        public readonly string $key,
        public readonly string $owner,
        public readonly ?int $fence = null,
        public readonly ?float $ttl = null,
        public readonly ?string $metadata = null,
        public readonly bool $contended = false,
        public readonly Kind $kind = Kind::Lease,
        public readonly bool $shared = false,
    ) {
    }
}
