<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Arguments;

/**
 * How a lock is asked for: exclusively, or a share of it.
 *
 * @internal
 */
final class Want
{
    private function __construct(public readonly bool $isShared, public readonly ?int $limit)
    {
    }

    public static function exclusively(): self
    {
        return new self(false, null);
    }

    /** @param int|null $limit one of fewer than this many */
    public static function share(?int $limit): self
    {
        Arguments::checkLimit($limit);
        return new self(true, $limit);
    }
}
