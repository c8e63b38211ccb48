<?php

declare(strict_types=1);

namespace RLock;

class NotAcquiredException extends RLockException
{
    public readonly ?Holder $holder;

    public function __construct(
        string $message = "",
        ?string $key = null,
        ?Holder $holder = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $key, $previous);
        $this->holder = $holder;
    }
}
