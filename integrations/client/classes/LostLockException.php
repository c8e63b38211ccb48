<?php

declare(strict_types=1);

namespace RLock;

class LostLockException extends TimeoutException
{
    public readonly ?Holder $holder;

    public function __construct(
        string $message = "",
        ?string $key = null,
        float $lateBy = 0.0,
        bool $held = false,
        mixed $result = null,
        ?Holder $holder = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $key, $lateBy, $held, $result, $previous);
        $this->holder = $holder;
    }
}
