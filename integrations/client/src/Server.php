<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\ConnectionException;
use RLock\RLockException;
use RLock\ServerException;

/**
 * The one server, and how a script is asked of it: docs/protocol/, "Sending a script" and "Requests without an answer".
 *
 * @internal
 */
final class Server
{
    /** Stands in arguments for the end of the call, by the server's clock. */
    public const UNTIL = null;

    private const PAUSE = 10_000;

    /** What a server cannot do now and may do in a moment. */
    public const PASSES = ['BUSY', 'LOADING', 'NOREPLICAS', 'READONLY', 'MASTERDOWN'];

    /** Null also while it is in use. */
    private ?Line $line = null;

    /** The server's clock less ours; null: not known. */
    private ?int $ahead = null;

    /** @var array<int, array{Grant, list<string|int>}> releases that are owed, and their arguments */
    private array $owed = [];

    public function __construct(private readonly Address $address)
    {
    }

    /** When a call that begins now is over. */
    public function deadline(): int
    {
        return Clock::now() + $this->address->timeout;
    }

    public static function owner(): string
    {
        $host = preg_replace('/[^!-9;-~]/', '_', substr((string) gethostname(), 0, 64));
        return ($host ?: '_') . ':' . getmypid();
    }

    /**
     * One script, sent again where the protocol says so; but for a release behind what is owed.
     *
     * @param list<string|int|null> $arguments
     * @return ($script is 'acquire' ? array{int, int|null}
     *     : ($script is 'extend' ? array{int, int, int}
     *     : ($script is 'release' ? int : array{string|null, int, int|null, bool}))) what Answers makes of the reply
     */
    public function ask(string $script, Grant $lock, array $arguments, int $deadline): mixed
    {
        $script === 'release' || $this->payOwed($deadline);
        $lock->unanswered = [];
        $refusal = null;
        for ($isFirst = true;;) {
            $isKnown = $refusal?->error !== 'NOSCRIPT';
            try {
                $line = $this->lend($deadline);
                $mayBeDead = $line->wasUsed && $isFirst && $refusal === null;
                $until = $mayBeDead ? intdiv(Clock::now() + $deadline, 2) : $deadline;
                $reply = $this->overdue($script, $lock, 0) ?? $this->send($line, $script, $isKnown, $lock, $arguments, $until);
                [$line->wasUsed, $this->line] = [true, $line];
            } catch (ConnectionException $e) {
                if ($isFirst && Clock::now() < $deadline) {
                    $isFirst = false;
                    continue;
                }
                $reply = $this->overdue($script, $lock, $deadline) ?? throw $isKnown && $refusal !== null ? $refusal : $e;
            } catch (ServerException $reply) {
                // of the greeting
            }
            if (!$reply instanceof ServerException) {
                return $reply; // @phpstan-ignore return.type (it is what Answers says of that script)
            }
            ($isKnown && $reply->error === 'NOSCRIPT') || $this->bear($reply, $line->sentAt ?? 0, $deadline);
            $refusal = $reply;
        }
    }

    /** A release that is sent at each contact until somebody answers it. */
    public function owe(Grant $lock, int $delay = 0, ?string $token = null): void
    {
        $this->owed[] = [$lock, [$token ?? $lock->token, 0, $lock->baton, $delay]];
    }

    /** What a request may have been granted that nobody has answered is taken back behind it, and is owed, too. */
    public function undo(Grant $lock): void
    {
        foreach ($lock->unanswered as $line) {
            try {
                $words = ['EVAL', self::text('release'), 4, ...$lock->names, $lock->token, 0, $lock->baton, 0];
                $line->send($words, Clock::now() + self::PAUSE);
            } catch (ConnectionException) {
                continue;
            }
        }
        $lock->unanswered = [];
        $this->owe($lock);
    }

    /** What is not answered is owed on. */
    public function payOwed(int $deadline): void
    {
        foreach ($this->owed as $i => [$lock, $arguments]) {
            try {
                $this->ask('release', $lock, $arguments, $deadline);
                unset($this->owed[$i]);
            } catch (RLockException) {
                continue;
            }
        }
    }

    /**
     * Commands whose answers do not matter.
     *
     * @param list<string> ...$commands
     */
    public function tell(array ...$commands): void
    {
        $line = $this->lend($deadline = $this->deadline());
        $line->ask($deadline, ...$commands);
        $this->line = $line;
    }

    /** A parked waiter's own. */
    public function newLine(int $deadline): Line
    {
        $line = new Line($this->address, $deadline);
        $asked = Clock::now();
        $courtesies = [['CLIENT', 'SETNAME', 'rlock:' . self::owner()], ['CLIENT', 'ID'], ['INFO', 'server']];
        $replies = $line->ask($deadline, ...$this->address->greeting, ...$courtesies);
        [, $id, $info] = array_splice($replies, count($this->address->greeting));
        foreach ($replies as $reply) {
            $reply instanceof ServerException && throw $reply;
        }
        $line->id = is_int($id) ? $id : null;
        $this->ahead = is_string($info) && preg_match('/^server_time_usec:(\d{1,17})\r?$/m', $info, $match) ? (int) $match[1] - $asked : null;
        return $line;
    }

    /** The one for requests. Where nobody is there, it tries until the deadline. */
    private function lend(int $deadline): Line
    {
        [$line, $this->line] = [$this->line?->isDead() ? null : $this->line, null];
        while ($line === null) {
            try {
                $line = $this->newLine($deadline);
            } catch (ConnectionException $e) {
                Clock::now() + self::PAUSE < $deadline || throw $e;
                usleep(self::PAUSE);
            }
        }
        return $line;
    }

    /**
     * By its name, if the server has not just said that it does not know it.
     *
     * @param list<string|int|null> $arguments
     */
    private function send(Line $line, string $script, bool $isKnown, Grant $lock, array $arguments, int $until): mixed
    {
        $limit = $this->ahead === null ? 0 : $until + $this->ahead;
        $keys = $script === 'extend' ? array_slice($lock->names, 0, 2) : $lock->names;
        $text = self::text($script);
        $words = array_map(fn (string|int|null $word) => $word ?? $limit, [count($keys), ...$keys, ...$arguments]);
        $lock->unanswered[] = $line; // until it has answered
        $line->send([...$isKnown ? ['EVALSHA', sha1($text)] : ['EVAL', $text], ...$words], $until);
        $answer = $this->read($line, $until, $script, $lock);
        array_pop($lock->unanswered);
        return $answer;
    }

    private function read(Line $line, int $until, string $script, Grant $lock): mixed
    {
        $reply = $line->reply($until);
        $clock = $this->ahead === null ? 0 : Clock::now() + $this->ahead;
        $answer = $reply instanceof ServerException ? $reply : Answers::of($script, $reply, $clock);
        $lock->answered = $line->sentAt;
        return $answer ?? throw $line->breakOff('the answer is not one that the scripts give'); // the true one may come next
    }

    /** What a connection that was silent has answered after all; an error is none. */
    private function overdue(string $script, Grant $lock, int $until): mixed
    {
        foreach ($lock->unanswered as $line) {
            try {
                $answer = $this->read($line, $until, $script, $lock);
                if (!$answer instanceof ServerException) {
                    return $answer;
                }
            } catch (ConnectionException) {
                continue;
            }
        }
        return null;
    }

    private static function text(string $script): string
    {
        static $texts = [];
        return $texts[$script] ??= (string) file_get_contents(__DIR__ . "/../scripts/$script.lua");
    }

    /** A late request is sent again by the clock that it was told, and one to a busy server after a pause. */
    private function bear(ServerException $refusal, int $at, int $deadline): void
    {
        $now = Clock::now();
        $passes = in_array($refusal->error, self::PASSES, true) || str_contains($refusal->getMessage(), 'max number of clients');
        if (preg_match('/^(.*: )LATE (\d{1,17})$/D', $refusal->getMessage(), $match)) {
            $this->ahead = (int) $match[2] - $at;
            $now < $deadline || throw new ConnectionException("$match[1]the request came to it when the timeout was over: is it overloaded or frozen?");
        } elseif ($passes && $now + self::PAUSE < $deadline) {
            usleep(self::PAUSE);
        } else {
            throw $refusal;
        }
    }
}
