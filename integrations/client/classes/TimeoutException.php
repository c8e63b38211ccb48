<?php

declare(strict_types=1);

namespace RLock;

class TimeoutException extends RLockException
{
    public readonly float $lateBy;

    public readonly bool $held;

    public readonly mixed $result;

    public function __construct(
        string $message = "",
        ?string $key = null,
        float $lateBy = 0.0,
        bool $held = false,
        mixed $result = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $key, $previous);
        $this->lateBy = $lateBy;
        $this->held = $held;
        $this->result = $result;
    }
}
