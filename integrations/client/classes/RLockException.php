<?php

declare(strict_types=1);

namespace RLock;

class RLockException extends \Exception
{
    use Client\NotSerializable;

    public readonly ?string $key;

    public function __construct(string $message = "", ?string $key = null, ?\Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
        $this->key = $key;
    }
}
