<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * An error that the server answered with.
 *
 * @internal
 */
final class Refusal
{
    public const PASSES = ['BUSY', 'LOADING', 'NOREPLICAS', 'READONLY', 'MASTERDOWN'];

    public readonly string $code;

    public function __construct(public readonly string $text)
    {
        $this->code = strtok($text, ' ') ?: '';
    }

    /** A server that could not do it now may do it in a moment. */
    public function passes(): bool
    {
        return in_array($this->code, self::PASSES, true) || str_contains($this->text, 'max number of clients reached');
    }
}
