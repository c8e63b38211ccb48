<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * A lock that is asked for or held.
 *
 * @internal
 */
final class Held
{
    /** What L holds, and what it begins with. */
    public readonly string $value, $token;

    /** What a release of it passes on. */
    public readonly string $baton;

    /** @var list<string> */
    public readonly array $names;

    public int $fence = 0, $depth = 1, $waited = 0;

    /** Until when it is surely ours, in microseconds of Clock. */
    public int $safe = 0;

    /** A shorter lease that was asked for and not answered yet, in ms. */
    public ?int $pending = null;

    public function __construct(public readonly string $key, string $lock, public ?string $metadata)
    {
        $random = bin2hex(random_bytes(16));
        [$this->token, $this->baton] = ["rlock1:$random:", "~$random"];
        $this->value = $this->token . Server::owner() . ($metadata === null ? '' : ":$metadata");
        $this->names = Names::of($lock);
    }

    /** A request that was first sent then has left it that many ms: until when that is safe. */
    public static function safeUntil(int $sent, int $left): int
    {
        $left = $left < 0 ? 10 ** 12 : min($left, 10 ** 12);
        return $sent + $left * 990 - 2000;
    }

    public function isSafe(): bool
    {
        return Clock::now() < $this->safe;
    }

    public function left(): float
    {
        return Duration::seconds(max(0, $this->safe - Clock::now()));
    }

    public function lateBy(): float
    {
        return Duration::seconds(max(0, Clock::now() - $this->safe));
    }
}
