<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\ConnectionException;
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

    private ?Line $line = null;

    /** The server's clock less ours; null: not known. */
    private ?int $ahead = null;

    /** @var array<int, array{list<string>, list<string|int>}> releases that are owed: keys and arguments */
    private array $owed = [];

    /** @var array<string, string> */
    private static array $scripts = [];

    public function __construct(private readonly Address $address)
    {
    }

    /** When a call that begins now is over. */
    public function deadline(): int
    {
        return Clock::now() + $this->address->timeout;
    }

    /**
     * What an undo, or a release without an answer, has left to do: before the next request, or behind a release.
     *
     * @param list<string> $keys
     */
    public function owe(array $keys, string $token, string $baton, int $delay = 0): void
    {
        $this->owed[] = [$keys, [$token, '0', $baton, $delay]];
    }

    private function payOwed(int $deadline): void
    {
        [$owed, $this->owed] = [$this->owed, []];
        try {
            foreach ($owed as $i => [$keys, $arguments]) {
                try {
                    $this->ask('release', $keys, $arguments, $deadline, Answers::verdict(...));
                    unset($owed[$i]);
                } catch (ServerException) {
                    continue; // it is still owed
                }
            }
        } finally {
            $this->owed = [...$owed, ...$this->owed];
        }
    }

    /**
     * One script, sent again where the protocol says so.
     *
     * @template T
     * @param list<string> $keys
     * @param list<string|int|null> $arguments
     * @param callable(mixed): (T|null) $read what the answer says, of those in Answers
     * @param list<string|int>|null $undo release's arguments, sent behind a request that nobody answers
     * @return T
     */
    public function ask(
        string $script,
        array $keys,
        array $arguments,
        int $deadline,
        callable $read,
        Sendings $sendings = new Sendings(),
        ?array $undo = null,
    ): mixed {
        if ($script !== 'release') {
            $this->payOwed($deadline);
        }
        for ($isFirst = true;; ) {
            $line = $this->line($deadline);
            $mayBeDead = $line->wasUsed && $isFirst;
            $at = Clock::now();
            $until = $mayBeDead ? intdiv($at + $deadline, 2) : $deadline;
            try {
                $reply = $this->send($line, $script, $keys, $arguments, $until, $at);
            } catch (Unanswered $e) {
                $e->wasSent && $sendings->add($at);
                if ($e->isSilent && !$mayBeDead && $undo !== null) {
                    $this->leave($line, $keys, $undo);
                }
                $this->hangUp();
                if ($isFirst && (!$e->isSilent || $mayBeDead) && Clock::now() < $deadline) {
                    $isFirst = false;
                    continue;
                }
                throw $this->failure($e->getMessage());
            } catch (\Throwable $e) { // of a signal handler
                $sendings->add($at);
                $this->hangUp();
                throw $e;
            }
            $line->wasUsed = true;
            if ($reply instanceof Refusal) {
                $this->bear($reply, $at, $deadline);
                continue;
            }
            $sendings->add($at);
            $answer = $read($reply);
            if ($answer === null) {
                $this->hangUp();
                throw $this->failure('the answer is not one that the scripts give');
            }
            if ($script === 'release') {
                $this->payOwed($deadline);
            }
            return $answer;
        }
    }

    /**
     * Commands whose answers do not matter.
     *
     * @param list<list<string>> $commands
     */
    public function tell(array $commands): void
    {
        $line = $this->line($deadline = $this->deadline());
        try {
            array_map(fn (array $words) => $line->send($words, $deadline), $commands);
            array_map(fn () => $line->reply($deadline), $commands);
        } catch (\Throwable $e) {
            $this->hangUp(); // it owes answers
            throw $e;
        }
    }

    /** A parked waiter's own. */
    public function newLine(int $deadline): Line
    {
        $line = new Line($this->address, $deadline);
        $name = ['CLIENT', 'SETNAME', 'rlock:' . self::owner()];
        $greeting = [...$this->address->greeting, $name, ['CLIENT', 'ID'], ['INFO', 'server']];
        $asked = Clock::now();
        array_map(fn (array $words) => $line->send($words, $deadline), $greeting);
        foreach ($greeting as [$command, $what]) {
            $reply = $line->reply($deadline);
            if ($command === 'AUTH' || $command === 'SELECT') {
                $reply instanceof Refusal && throw $this->refusal($reply);
            } elseif ($what === 'ID') {
                $line->id = is_int($reply) ? $reply : null;
            } elseif ($what === 'server' && is_string($reply)) {
                $this->ahead = preg_match('/^server_time_usec:(\d+)/m', $reply, $match) ? (int) $match[1] - $asked : null;
            }
        }
        return $line;
    }

    /** The one for requests. Where nobody is there, it tries until the deadline. */
    public function line(int $deadline): Line
    {
        if ($this->line?->isDead()) {
            $this->hangUp();
        }
        while ($this->line === null) {
            try {
                $this->line = $this->newLine($deadline);
            } catch (Unanswered $e) {
                Clock::now() + self::PAUSE < $deadline || throw $this->failure($e->getMessage());
                usleep(self::PAUSE);
            }
        }
        return $this->line;
    }

    public function hangUp(): void
    {
        $this->line?->close();
        $this->line = null;
    }

    public static function owner(): string
    {
        $host = preg_replace('/[^!-9;-~]/', '_', substr((string) gethostname(), 0, 64));
        return ($host ?: '_') . ':' . getmypid();
    }

    /**
     * @param list<string> $keys
     * @param list<string|int|null> $arguments
     * @param int $at since when the script may have run
     */
    private function send(Line $line, string $script, array $keys, array $arguments, int $until, int &$at): mixed
    {
        $limit = $this->ahead === null ? 0 : $until + $this->ahead;
        $words = [count($keys), ...$keys, ...array_map(fn (string|int|null $word) => $word ?? $limit, $arguments)];
        $text = self::text($script);
        $line->send(['EVALSHA', sha1($text), ...$words], $until);
        $reply = $line->reply($until);
        if ($reply instanceof Refusal && $reply->code === 'NOSCRIPT') {
            $at = Clock::now();
            $line->send(['EVAL', $text, ...$words], $until);
            $reply = $line->reply($until);
        }
        return $reply;
    }

    /**
     * Nobody reads what this answers, so it goes by its text.
     *
     * @param list<string> $keys
     * @param list<string|int> $arguments
     */
    private function leave(Line $line, array $keys, array $arguments): void
    {
        try {
            $words = ['EVAL', self::text('release'), count($keys), ...$keys, ...$arguments];
            $line->send($words, Clock::now() + self::PAUSE);
        } catch (Unanswered) {
            // It is owed, too.
        }
    }

    private static function text(string $script): string
    {
        return self::$scripts[$script] ??= (string) file_get_contents(__DIR__ . "/../scripts/$script.lua");
    }

    /** A late request is sent again by the clock that it was told, and one to a busy server after a pause. */
    private function bear(Refusal $refusal, int $at, int $deadline): void
    {
        if (preg_match('/^LATE (\d+)/', $refusal->text, $match) && Clock::now() < $deadline) {
            $this->ahead = (int) $match[1] - $at;
        } elseif ($refusal->passes() && Clock::now() + self::PAUSE < $deadline) {
            usleep(self::PAUSE);
        } else {
            throw $this->refusal($refusal);
        }
    }

    public function failure(string $why): ConnectionException
    {
        return new ConnectionException("Redis at {$this->address->shown}: $why");
    }

    private function refusal(Refusal $refusal): ServerException
    {
        return new ServerException("Redis at {$this->address->shown}: $refusal->text", error: $refusal->code);
    }
}
