<?php

declare(strict_types=1);

namespace RLock;

interface RetryStrategy
{
    public function nextBackoff(int $attempt): ?float;
}
