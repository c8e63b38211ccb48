<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\ConnectionException;
use RLock\ServerException;

/**
 * One connection to the server: requests out, replies in, each by a moment of Clock's.
 *
 * @internal
 */
final class Line
{
    private const PAUSE = 1000;

    /** It has been answered before, so it may be dead without a sign. */
    public bool $wasUsed = false;

    /** How many requests have no answer yet, of which the system took a byte. */
    public int $owes = 0;

    /** When the last one was begun. */
    public int $sentAt = 0;

    /** By what `CLIENT UNBLOCK` knows it. */
    public ?int $id = null;

    /** @var resource */
    private $stream;

    private string $received = '';

    public function __construct(private readonly Address $address, int $until)
    {
        $seconds = max(1000, min($address->connectTimeout, $until - Clock::now())) / 1e6;
        $context = stream_context_create(['ssl' => $address->tls, 'socket' => ['tcp_nodelay' => true]]);
        $stream = @stream_socket_client($address->target, $code, $why, $seconds, STREAM_CLIENT_CONNECT, $context);
        $this->stream = $stream ?: throw $this->failure($why ?: error_get_last()['message'] ?? 'it cannot be connected to');
        stream_set_blocking($this->stream, false);
    }

    public function failure(string $why): ConnectionException
    {
        return new ConnectionException("Redis at {$this->address->shown}: $why");
    }

    /** What it has answered last counts as none. */
    public function breakOff(string $why): ConnectionException
    {
        is_resource($this->stream) && fclose($this->stream);
        [$this->received, $this->owes] = ['', $this->owes + 1];
        return $this->failure($why);
    }

    /** Closed by the server, or out of step; found out without waiting. */
    public function isDead(): bool
    {
        return $this->owes > 0 || $this->received !== '' || $this->receive() || feof($this->stream);
    }

    /** @param array<string|int> $words */
    public function send(array $words, int $until): void
    {
        $this->sentAt = Clock::now();
        $bytes = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $bytes .= '$' . strlen((string) $word) . "\r\n$word\r\n";
        }
        for ($isNew = true; $bytes !== ''; $bytes = substr($bytes, $written)) {
            $written = is_resource($this->stream) ? @fwrite($this->stream, $bytes) : false;
            if ($written === false || ($written === 0 && (feof($this->stream) || Clock::now() >= $until))) {
                throw $this->failure('the connection broke');
            }
            $this->owes += $isNew && $written > 0 ? 1 : 0;
            $isNew = $isNew && $written === 0;
            $written < strlen($bytes) && $this->await($until, writes: true);
        }
    }

    /**
     * @param list<string> ...$requests sent together
     * @return list<mixed> their replies
     */
    public function ask(int $until, array ...$requests): array
    {
        array_map(fn (array $words) => $this->send($words, $until), $requests);
        return array_map(fn () => $this->reply($until), array_values($requests));
    }

    /** The next reply: int, string, null, array, or an error that is not thrown. */
    public function reply(int $until): mixed
    {
        return ($this->poll($until) ?? throw $this->failure('it did not answer'))[0];
    }

    /**
     * The next reply, in an array; null: not by then.
     *
     * @return array{mixed}|null
     */
    public function poll(int $until): ?array
    {
        do {
            $at = 0;
            $reply = $this->parse($at);
            if ($reply !== null) {
                $this->received = substr($this->received, $at);
                $this->owes--;
                return $reply;
            }
            $hasMore = $this->receive();
            $hasMore || (is_resource($this->stream) && !feof($this->stream)) || throw $this->failure('it closed the connection');
        } while ($hasMore || $this->await($until));
        return null;
    }

    /** Until something may have come, or that moment. False: nothing has. */
    private function await(int $until, bool $writes = false): bool
    {
        $left = max(0, $until - Clock::now());
        [$read, $write, $none] = [$writes ? [] : [$this->stream], $writes ? [$this->stream] : [], []];
        $ready = @stream_select($read, $write, $none, intdiv($left, 1_000_000), $left % 1_000_000);
        if ($ready === false) { // a signal came; or PHP cannot select it, since it is behind the first 1024 descriptors
            usleep(min($left, self::PAUSE));
            return $left > 0;
        }
        return $ready > 0;
    }

    private function receive(): bool
    {
        $bytes = is_resource($this->stream) ? (string) @fread($this->stream, 65536) : '';
        $this->received .= $bytes;
        return $bytes !== '';
    }

    /** @return array{mixed}|null */
    private function parse(int &$at): ?array
    {
        if (!preg_match('/\G([-+:$*])([^\r]*)\r\n/', $this->received, $match, 0, $at)) {
            $isOne = $at >= strlen($this->received) || str_contains('-+:$*', $this->received[$at]);
            return $isOne ? null : throw $this->failure('it does not speak RESP 2');
        }
        [$line, $kind, $text] = $match;
        $at += strlen($line);
        if ($kind === ':' || $kind === '+' || $kind === '-') {
            $error = "Redis at {$this->address->shown}: $text";
            return [['+' => $text, ':' => (int) $text][$kind] ?? new ServerException($error, error: strtok($text, ' ') ?: '')];
        }
        if ($text === '-1') {
            return [null];
        }
        if ($kind === '$') {
            [$from, $at] = [$at, $at + (int) $text + 2];
            return strlen($this->received) < $at ? null : [substr($this->received, $from, (int) $text)];
        }
        for ($members = []; count($members) < (int) $text; $members[] = $member[0]) {
            $member = $this->parse($at);
            if ($member === null) {
                return null;
            }
        }
        return [$members];
    }
}
