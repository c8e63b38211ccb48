<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\ConnectionException;
use RLock\RLockException;
use RLock\ServerException;

/**
 * Takes a lock, and waits for it in the queue that all clients share: docs/protocol/, "Waiting".
 *
 * @internal
 */
final class Queue
{
    private const SECOND = 1_000_000;
    private const LONGEST_FLAG = 9_500;
    private const PAUSE = 20_000;

    /** A wait goes on while the server refuses so. */
    private const PASSES = [...Server::PASSES, 'OOM', 'MISCONF'];

    /** A sending was not answered. */
    private bool $inDoubt = false;

    private ?Line $place = null;

    /** It may not park, so it asks often, without a flag. */
    private bool $isBarred = false;

    /** What the place has brought and no ask has brought back. */
    private ?string $heard = null;

    /** For how many ms others have the lock, as the last answer said; below 0: it is not known, or there is no end. */
    private int $left = -1;

    /**
     * @param int $lease in ms
     * @param int $until when the wait is over; PHP_INT_MAX: never
     */
    public function __construct(
        private readonly Server $server,
        private readonly Grant $lock,
        private readonly int $lease,
        private readonly int $until,
        private readonly bool $failsFast,
    ) {
    }

    /** True: it is ours. Whatever happens, it leaves nothing behind. */
    public function take(bool $waits): bool
    {
        try {
            $taken = $this->ask($waits ? $this->flag() : 0);
            while (!$taken && $waits && !$this->gaveUp()) {
                $taken = $this->park() || $this->askPatiently($this->flag());
            }
        } catch (\Throwable $e) {
            $this->abandon();
            throw $e;
        }
        !$taken && $this->inDoubt && $this->undo();
        return $taken;
    }

    private function gaveUp(): bool
    {
        $left = $this->left < 0 ? PHP_INT_MAX : $this->left * 1000;
        return Clock::now() >= $this->until || ($this->failsFast && $left > $this->until - Clock::now());
    }

    /** For how long releases must know that we wait: beyond our next ask. */
    private function flag(): int
    {
        $left = intdiv($this->until - Clock::now(), 1000);
        return $left <= 0 || $this->isBarred ? 0 : min(self::LONGEST_FLAG, $left + 1500);
    }

    private function ask(int $flag): bool
    {
        $lock = $this->lock;
        $arguments = [$lock->value, $this->lease, Server::UNTIL, $flag, ...$this->heard === null ? [] : [$this->heard]];
        $wasInDoubt = $this->inDoubt;
        $this->inDoubt = true; // a signal's handler may throw between any two steps
        try {
            $answer = $this->server->ask('acquire', $lock, $arguments, $this->server->deadline());
        } catch (RLockException $e) {
            $this->inDoubt = $wasInDoubt || $lock->doubts() !== [];
            throw $e;
        }
        $this->heard = null;
        [$lock->fence, $left] = $answer;
        if ($lock->fence === 0) {
            $this->inDoubt = $wasInDoubt || $lock->doubts() !== [];
            $this->left = $left ?? -1;
            return false;
        }
        $lock->endsAt = $lock->safeSince($left ?? $this->lease);
        if (!$lock->isSafe()) {
            $this->undo();
            throw new ConnectionException('The lock was granted, but its lease had run out when the answer came', $lock->key);
        }
        return true;
    }

    /** As long as it is refused or not answered for a reason that may pass. */
    private function askPatiently(int $flag): bool
    {
        $deadline = $this->server->deadline();
        for ($pause = self::PAUSE;; $pause = min(2 * $pause, self::SECOND)) {
            try {
                return $this->ask($flag);
            } catch (ServerException $e) {
                (in_array($e->error, self::PASSES, true) && Clock::now() < $this->until) || throw $e;
            } catch (ConnectionException $e) {
                Clock::now() + $pause < $deadline || throw $e;
            }
            usleep($pause);
        }
    }

    /** Waits in its place until something comes, asking beside now and then. True: the lock was had meanwhile. */
    private function park(): bool
    {
        if ($this->isBarred) {
            usleep(mt_rand(50_000, 100_000));
            return false;
        }
        $left = $this->until === PHP_INT_MAX ? 0 : max(1, intdiv($this->until - Clock::now(), 1000)) / 1000;
        $end = $this->until === PHP_INT_MAX ? PHP_INT_MAX : $this->until + 1000;
        $parked = Clock::now();
        do {
            $ask = $this->nextAsk($parked);
            if ($this->awaits(['BLPOP', $this->lock->names[3], (string) $left], min($ask, $end))) {
                return false;
            }
            $isOver = Clock::now() >= $end;
            $taken = !$isOver && Clock::now() >= $ask && $this->askPatiently($this->flag());
        } while (!$taken && !$isOver && $this->lock->unanswered === []);
        if ($taken || $isOver) {
            $this->leave();
            $taken && $this->passOn();
        }
        $this->place = null; // if one connection was silent, and another was answered, it may be dead, too
        return $taken;
    }

    /**
     * True: that command has brought something, was refused, or its connection broke. False: not by then.
     *
     * @param list<string> $command
     */
    private function awaits(array $command, int $until): bool
    {
        try {
            $this->place ??= $this->server->newLine($this->server->deadline());
            $this->place->owes === 0 && $this->place->send($command, $this->server->deadline());
            $reply = $this->place->poll($until);
        } catch (RLockException) {
            $this->place = null; // the next one begins anew
            return true;
        }
        if ($reply !== null && $reply[0] instanceof ServerException) {
            $this->isBarred = $reply[0]->error === 'NOPERM';
            usleep(self::PAUSE);
        }
        $reply === null || $this->hear($reply[0]);
        return $reply !== null;
    }

    /** When the present lease ends; and after as long as it has been parked, which is 1 to 8 s. */
    private function nextAsk(int $parked): int
    {
        $now = Clock::now();
        $pause = max(self::SECOND, min(8 * self::SECOND, $now - $parked)) + mt_rand(0, 100_000);
        $ask = $this->left > 0 ? min($now + $pause, $now + ($this->left + 1) * 1000 + mt_rand(0, 3000)) : $now + $pause;
        $this->left = -1;
        return $ask;
    }

    private function hear(mixed $reply): void
    {
        $this->heard = is_array($reply) && is_string($reply[1] ?? null) ? $reply[1] : null;
    }

    /** Ends the BLPOP, and reads what came: it may be a baton. */
    private function leave(): void
    {
        // The first is refused, and held up by a CLIENT PAUSE, during which the end of a BLPOP crashes many a server.
        $refused = ['PEXPIRE', $this->lock->names[0], 'no number'];
        try {
            $this->server->tell($refused, ['CLIENT', 'UNBLOCK', (string) $this->place?->id]);
            $this->hear($this->place?->reply(Clock::now() + 100_000));
        } catch (RLockException) {
            $this->place = null; // a baton that was just coming ends by itself
        }
    }

    private function passOn(): void
    {
        if ($this->heard !== null && $this->heard[0] === '~') {
            try {
                $arguments = [$this->heard, 0, $this->lock->baton, 0];
                $this->server->ask('release', $this->lock, $arguments, $this->server->deadline());
            } catch (RLockException) {
                // A baton ends by itself.
            }
        }
        $this->heard = null;
    }

    /** What was coming to us goes to another. */
    private function abandon(): void
    {
        try {
            $this->place?->owes && $this->leave();
            if ($this->heard === '-') {
                $this->inDoubt = $this->ask(0) || $this->inDoubt;
            }
        } catch (RLockException) {
            $this->inDoubt = true;
        }
        $this->inDoubt && $this->server->undo($this->lock);
        $this->passOn();
    }

    private function undo(): void
    {
        $this->server->undo($this->lock);
        $this->server->payOwed($this->server->deadline());
        $this->inDoubt = false;
    }
}
