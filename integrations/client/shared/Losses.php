<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * The locks that were found late or lost, of which check() goes on telling.
 *
 * @internal
 */
final class Losses
{
    private const MOST = 1000;

    /** @var array<string, array{Fate, float}> what became of it, and how late it was found; the oldest first */
    private array $found = [];

    public function add(string $key, Fate $fate, float $lateBy): void
    {
        $this->forget($key);
        $this->found[$key] = [$fate, $lateBy];
        if (count($this->found) > self::MOST) {
            unset($this->found[array_key_first($this->found)]);
        }
    }

    public function forget(string $key): void
    {
        unset($this->found[$key]);
    }

    /** @return array{Fate, float}|null */
    public function find(string $key): ?array
    {
        return $this->found[$key] ?? null;
    }
}
