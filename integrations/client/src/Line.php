<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * One connection to the server: requests out, replies in, each by a moment of Clock's.
 *
 * @internal
 */
final class Line
{
    /** It has been answered before, so it may be dead without a sign. */
    public bool $wasUsed = false;

    /** By what `CLIENT UNBLOCK` knows it. */
    public ?int $id = null;

    /** @var resource */
    private $stream;

    private string $received = '';

    public function __construct(Address $address, int $until)
    {
        $seconds = max(0.001, min($address->connectTimeout, $until - Clock::now()) / 1e6);
        $context = stream_context_create(['ssl' => $address->tls, 'socket' => ['tcp_nodelay' => true]]);
        $flags = STREAM_CLIENT_CONNECT;
        $stream = @stream_socket_client($address->target, $code, $why, $seconds, $flags, $context);
        if ($stream === false) {
            throw new Unanswered($why ?: (error_get_last()['message'] ?? 'it cannot be connected to'), wasSent: false);
        }
        $this->stream = $stream;
        stream_set_blocking($stream, false);
    }

    public function isOpen(): bool
    {
        return is_resource($this->stream);
    }

    public function close(): void
    {
        $this->isOpen() && fclose($this->stream);
    }

    /** Closed by the server, or out of step; found out without waiting. */
    public function isDead(): bool
    {
        return !$this->isOpen() || $this->received !== '' || $this->receive() || feof($this->stream);
    }

    /** @param array<string|int> $words */
    public function send(array $words, int $until): void
    {
        $bytes = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $bytes .= '$' . strlen((string) $word) . "\r\n$word\r\n";
        }
        for ($wasSent = false; $bytes !== '';) {
            $written = @fwrite($this->stream, $bytes);
            if ($written === false || ($written === 0 && (feof($this->stream) || Clock::now() >= $until))) {
                throw new Unanswered('the connection broke', $wasSent);
            }
            $wasSent = $wasSent || $written > 0;
            $bytes = substr($bytes, $written);
            $bytes === '' || $this->await($until, writes: true);
        }
    }

    /** The next reply: int, string, null, array, or Refusal. */
    public function reply(int $until): mixed
    {
        while (($reply = $this->poll()) === null) {
            if (!$this->await($until) && !$this->receive()) {
                throw new Unanswered('it did not answer', wasSent: true, isSilent: true);
            }
        }
        return $reply[0];
    }

    /**
     * The next reply, in an array; null: not yet. Never waits.
     *
     * @return array{mixed}|null
     */
    public function poll(): ?array
    {
        do {
            $at = 0;
            $reply = $this->received === '' ? null : $this->parse($at);
            if ($reply !== null) {
                $this->received = substr($this->received, $at);
                return $reply;
            }
        } while ($this->receive());
        return feof($this->stream) ? throw new Unanswered('it closed the connection', wasSent: true) : null;
    }

    /** Until something comes, or that moment. False: nothing has. */
    public function await(int $until, bool $writes = false): bool
    {
        do {
            $left = max(0, $until - Clock::now());
            [$read, $write, $none] = [$writes ? [] : [$this->stream], $writes ? [$this->stream] : [], []];
            $ready = @stream_select($read, $write, $none, intdiv($left, 1_000_000), $left % 1_000_000);
        } while ($ready === false && $left > 0); // a signal came
        return (bool) $ready;
    }

    private function receive(): bool
    {
        $bytes = (string) @fread($this->stream, 65536);
        $this->received .= $bytes;
        return $bytes !== '';
    }

    /** @return array{mixed}|null */
    private function parse(int &$at): ?array
    {
        $end = strpos($this->received, "\r\n", $at);
        if ($end === false) {
            return null;
        }
        $kind = $this->received[$at] ?? '';
        $rest = substr($this->received, $at + 1, $end - $at - 1);
        $at = $end + 2;
        return match ($kind) {
            ':' => [(int) $rest],
            '+' => [$rest],
            '-' => [new Refusal($rest)],
            '$' => $rest === '-1' ? [null] : $this->bulk((int) $rest, $at),
            '*' => $rest === '-1' ? [null] : $this->members((int) $rest, $at),
            default => throw new Unanswered('it does not speak RESP 2', wasSent: true),
        };
    }

    /** @return array{string}|null */
    private function bulk(int $length, int &$at): ?array
    {
        $from = $at;
        $at += $length + 2;
        return strlen($this->received) < $at ? null : [substr($this->received, $from, $length)];
    }

    /** @return array{list<mixed>}|null */
    private function members(int $count, int &$at): ?array
    {
        $members = [];
        while (count($members) < $count) {
            $member = $this->parse($at);
            if ($member === null) {
                return null;
            }
            $members[] = $member[0];
        }
        return [$members];
    }
}
