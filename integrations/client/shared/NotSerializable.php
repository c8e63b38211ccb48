<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * As the extension's values and exceptions are.
 *
 * @internal
 */
trait NotSerializable
{
    /** @return array<never> */
    public function __serialize(): array
    {
        throw new \Exception("Serialization of '" . static::class . "' is not allowed");
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \Exception("Unserialization of '" . static::class . "' is not allowed");
    }
}
