<?php

declare(strict_types=1);

namespace RLock;

final class Retry implements RetryStrategy
{
    use Client\NotSerializable;

    private ?float $min = null;
    private ?float $max = null;
    private int $limit = PHP_INT_MAX;

    private function __construct()
    {
    }

    public static function none(): Retry
    {
        return (new self())->limit(0);
    }

    public static function linear(float $delay): Retry
    {
        return self::between($delay, $delay);
    }

    public static function exponential(float $min, float $max): Retry
    {
        return self::between($min, $max);
    }

    public function limit(int $retries): Retry
    {
        if ($retries < 0) {
            throw new \ValueError('$retries must be 0 or more');
        }
        $limited = clone $this;
        $limited->limit = $retries;
        return $limited;
    }

    public function nextBackoff(int $attempt): ?float
    {
        if ($attempt < 1) {
            throw new \ValueError('$attempt must be 1 or more');
        }
        if ($this->min === null || $attempt > $this->limit) {
            return null;
        }
        return max($this->min, min($this->max, 0.001 * 2.0 ** min($attempt, 1000)));
    }

    private static function between(float $min, float $max): self
    {
        foreach ([$min, $max] as $seconds) {
            if (!($seconds >= 0.0) || is_infinite($seconds)) {
                throw new \ValueError('A delay must be a finite number of seconds, 0 or more');
            }
        }
        if ($max < $min) {
            throw new \ValueError('$max must not be less than $min');
        }
        $retry = new self();
        $retry->min = $min;
        $retry->max = $max;
        return $retry;
    }
}
