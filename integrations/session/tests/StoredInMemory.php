<?php

declare(strict_types=1);

namespace RLock\Session\Tests;

/** Sessions in an array, and what was asked for. */
final class StoredInMemory implements \SessionHandlerInterface
{
    /** @var list<string> */
    public array $calls = [];

    /** @param array<string, string> $sessions */
    public function __construct(public array $sessions = [])
    {
    }

    public function open(string $path, string $name): bool
    {
        $this->calls[] = 'open';
        return true;
    }

    public function close(): bool
    {
        $this->calls[] = 'close';
        return true;
    }

    public function read(string $id): string
    {
        $this->calls[] = "read $id";
        return $this->sessions[$id] ?? '';
    }

    public function write(string $id, string $data): bool
    {
        $this->calls[] = "write $id";
        $this->sessions[$id] = $data;
        return true;
    }

    public function destroy(string $id): bool
    {
        $this->calls[] = "destroy $id";
        unset($this->sessions[$id]);
        return true;
    }

    public function gc(int $max_lifetime): int
    {
        return 17;
    }
}
