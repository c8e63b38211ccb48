<?php

declare(strict_types=1);

namespace RLock;

class ServerException extends RLockException
{
    public readonly string $error;

    public function __construct(
        string $message = "",
        ?string $key = null,
        string $error = "",
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $key, $previous);
        $this->error = $error;
    }
}
