<?php

declare(strict_types=1);

namespace RLock;

interface Pending
{
    public function key(): string;

    public function stream(): mixed;

    public function poll(): ?bool;

    public function cancel(): void;
}
