<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * A lock that is asked for or held, and the requests about it: docs/protocol/, "Keys" and "The lease and its clocks".
 *
 * @internal
 */
final class Grant extends Held
{
    private const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    /** What L holds, and what a release passes on. */
    public readonly string $value, $baton;

    /** @var list<string> L, fence, waiting, wake */
    public readonly array $names;

    /** A shorter lease that was asked for and not answered yet, in ms. */
    public ?int $pending = null;

    /** When the last request was sent that was answered. */
    public int $answered = 0;

    /** @var list<Line> connections that owe an answer to the last request */
    public array $unanswered = [];

    public function __construct(string $key, string $lock, ?string $metadata = null)
    {
        $random = bin2hex(random_bytes(16));
        parent::__construct($key, "rlock1:$random:", 0, $metadata, 0);
        $this->baton = "~$random";
        $this->value = $this->token . Server::owner() . ($metadata === null ? '' : ":$metadata");
        $tag = self::tag($lock);
        $this->names = [$lock, "rlock:f:{{$tag}}:$lock", "rlock:w:{{$tag}}:$lock", "rlock:q:{{$tag}}:$lock"];
    }

    public static function isCompanion(string $lock): bool
    {
        return preg_match('/^rlock:[fwqshtr]:\{/', $lock) === 1;
    }

    /** What is in braces, by the rule of Redis Cluster; else what is as good, so that all are in one slot. */
    private static function tag(string $lock): string
    {
        if (preg_match('/^[^{]*\{([^}]+)\}/', $lock, $match)) {
            return $match[1];
        }
        if (!str_contains($lock, '}')) {
            return $lock;
        }
        $slot = self::slot($lock);
        for ($number = 0;; $number++) {
            $digits = [intdiv($number, 3844), intdiv($number, 62) % 62, $number % 62];
            $tag = implode('', array_map(fn (int $digit) => self::DIGITS[$digit], $digits));
            if (self::slot($tag) === $slot) {
                return $tag;
            }
        }
    }

    private static function slot(string $text): int
    {
        $crc = 0;
        foreach (str_split($text) as $byte) {
            $crc ^= ord($byte) << 8;
            for ($bit = 0; $bit < 8; $bit++) {
                $crc = (($crc << 1) ^ ($crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
            }
        }
        return $crc % 16384;
    }

    public function passableToken(): string
    {
        return self::passable($this->token, $this->metadata);
    }

    public static function passable(string $token, ?string $metadata): string
    {
        return "$token:" . ($metadata === null ? '' : ":$metadata");
    }

    /** A request that was first sent then has left it that many ms: until when that is safe. */
    public static function safeUntil(int $sent, int $left): int
    {
        $left = $left < 0 ? 10 ** 12 : min($left, 10 ** 12);
        return $sent + $left * 990 - 2000;
    }

    /** @return list<int> when the last request was sent without being answered, each time that may have been done */
    public function doubts(): array
    {
        return array_column(array_filter($this->unanswered, fn (Line $line) => $line->owes > 0), 'sentAt');
    }

    /** When the last request was first sent that may have been done. */
    public function since(): int
    {
        return min([$this->answered, ...$this->doubts()]);
    }

    /** Until when the answer to the last request makes it safe. */
    public function safeSince(int $left): int
    {
        return self::safeUntil($this->since(), $left);
    }

    public function isSafe(): bool
    {
        return Clock::now() < $this->endsAt;
    }
}
