<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * How often a request may have been done, and since when.
 *
 * @internal
 */
final class Sendings
{
    public int $count = 0;

    public ?int $first = null;

    public function add(int $at): void
    {
        $this->count++;
        $this->first ??= $at;
    }
}
