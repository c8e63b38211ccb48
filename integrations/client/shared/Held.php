<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * A grant, as its owner has it.
 *
 * @internal
 */
abstract class Held
{
    /** How often it was taken. */
    public int $depth = 1;

    /** How long taking it took, in microseconds. */
    public int $waited = 0;

    /** @param int $endsAt until when it is surely ours, in microseconds of its owner's clock */
    public function __construct(
        public readonly string $key,
        public readonly string $token,
        public int $fence,
        public ?string $metadata,
        public int $endsAt,
        public bool $isShared = false,
    ) {
    }

    /** What adopt() takes. */
    public function passableToken(): string
    {
        return $this->token;
    }

    /** What is known of others if it is late and not lost. */
    public function verdictOnOthers(): string
    {
        return $this->isShared ? 'nobody else has had the lock exclusively' : 'nobody else has had the lock';
    }
}
