<?php

declare(strict_types=1);

namespace RLock;

class TimeoutException extends RLockException
{
    public readonly float $lateBy;

    public readonly bool $held;

    public function __construct(
        string $message = "",
        ?string $key = null,
        float $lateBy = 0.0,
        bool $held = false,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $key, $previous);
        $this->lateBy = $lateBy;
        $this->held = $held;
    }
}
