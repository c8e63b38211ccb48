<?php
/*
 * Chance that can be had again: the same seed, the same rolls, in any version of PHP. Whatever may run between two steps
 * of the sequence, like a signal handler, rolls dice of its own, so that the sequence stays what its seed says.
 */
declare(strict_types=1);

final class Dice
{
    private int $state;

    public function __construct(int $seed)
    {
        $this->state = crc32("dice $seed") & 0x7fffffff;
    }

    /* 0 to $sides - 1. */
    public function roll(int $sides): int
    {
        $this->state = ($this->state * 1103515245 + 12345) & 0x7fffffff;
        return ($this->state >> 8) % $sides;
    }

    public function chance(int $percent): bool
    {
        return $this->roll(100) < $percent;
    }

    public function pick(array $from): mixed
    {
        return array_values($from)[$this->roll(count($from))];
    }

    /* A key of an array whose values are weights. */
    public function weigh(array $weights): string
    {
        $left = $this->roll(array_sum($weights));
        foreach ($weights as $name => $weight) {
            if (($left -= $weight) < 0) {
                break;
            }
        }
        return $name;
    }

    public function another(): self
    {
        return new self($this->roll(1 << 22));
    }
}
