<?php

declare(strict_types=1);

namespace RLock;

final class Lease
{
    use Client\NotSerializable;

    public function __construct(
        public readonly string $key,
        #[\SensitiveParameter] public readonly string $token,
        public readonly ?int $fence = null,
        public readonly int $depth = 1,
        public readonly float $ttl = 0.0,
        public readonly ?string $metadata = null,
        public readonly bool $shared = false,
        public readonly float $waited = 0.0,
    ) {
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['token' => '(hidden)'] + get_object_vars($this);
    }
}
