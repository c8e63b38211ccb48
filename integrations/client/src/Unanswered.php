<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * A request that got no answer. Where the server has taken a byte of it, it may have been done.
 *
 * @internal
 */
final class Unanswered extends \Exception
{
    public function __construct(string $why, public readonly bool $wasSent, public readonly bool $isSilent = false)
    {
        parent::__construct($why);
    }
}
