<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\ConnectionException;
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
    private const PASSES = [...Refusal::PASSES, 'OOM', 'MISCONF'];

    /** A sending was not answered. */
    private bool $inDoubt = false;

    private ?Line $place = null;

    private bool $isParked = false;

    /** What the place has brought and no ask has brought back. */
    private ?string $heard = null;

    /** For how many ms others have the lock, as the last answer said; below 0: it is not known, or there is no end. */
    private int $left = -1;

    /** @param int $until when the wait is over; PHP_INT_MAX: never */
    public function __construct(
        private readonly Server $server,
        private readonly Held $lock,
        private readonly int $lease,
        private readonly int $until,
        private readonly bool $failsFast,
    ) {
    }

    /** True: it is ours. Whatever happens, it leaves nothing behind. */
    public function take(bool $waits): bool
    {
        try {
            $undo = [$this->lock->token, 0, $this->lock->baton, 0];
            $taken = $this->ask($waits ? $this->flag() : 0, $undo);
            while (!$taken && $waits && !$this->gaveUp()) {
                $taken = $this->park() || $this->askPatiently($this->flag());
            }
            if (!$taken && $this->inDoubt) {
                $this->undo();
            }
            return $taken;
        } catch (\Throwable $e) {
            $this->abandon();
            throw $e;
        } finally {
            $this->place?->close();
        }
    }

    private function gaveUp(): bool
    {
        return Clock::now() >= $this->until
            || ($this->failsFast && ($this->left < 0 || Clock::now() + $this->left * 1000 > $this->until));
    }

    /** For how long releases must know that we wait: beyond our next ask. */
    private function flag(): int
    {
        $left = intdiv($this->until - Clock::now(), 1000);
        return $left <= 0 ? 0 : min(self::LONGEST_FLAG, $left + 1500);
    }

    /** @param list<string|int>|null $undo sent behind it, if it is the last with this token where nobody answers */
    private function ask(int $flag, ?array $undo = null): bool
    {
        [$lock, $sendings, $deadline] = [$this->lock, new Sendings(), $this->server->deadline()];
        $arguments = [$lock->value, $this->lease, Server::UNTIL, $flag, ...$this->heard === null ? [] : [$this->heard]];
        try {
            $read = Answers::acquired(...);
            $answer = $this->server->ask('acquire', $lock->names, $arguments, $deadline, $read, $sendings, $undo);
        } finally {
            $this->inDoubt = $this->inDoubt || $sendings->count > (isset($answer) ? 1 : 0);
        }
        $this->heard = null;
        [$lock->fence, $left] = $answer;
        if ($lock->fence === 0) {
            $this->left = $left ?? -1;
            return false;
        }
        $lock->safe = Held::safeUntil($sendings->first ?? 0, $left ?? $this->lease);
        if (!$lock->isSafe()) {
            $this->undo();
            throw $this->server->failure('it granted the lock, but the lease had run out when the answer came');
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
        $left = $this->until === PHP_INT_MAX ? 0 : max(1, intdiv($this->until - Clock::now(), 1000)) / 1000;
        try {
            $this->place ??= $this->server->newLine($this->server->deadline());
            $this->place->send(['BLPOP', $this->lock->names[3], (string) $left], $this->server->deadline());
            $this->isParked = true;
            $parked = Clock::now();
            do {
                $ask = $this->nextAsk($parked);
                $end = $this->until === PHP_INT_MAX ? PHP_INT_MAX : $this->until + 1000;
                $reply = $this->place->poll() ?? ($this->place->await(min($ask, $end)) ? $this->place->poll() : null);
                if ($reply !== null) {
                    return $this->isBarred($reply[0]);
                }
                if (Clock::now() >= $end) {
                    $this->leave();
                    return false;
                }
            } while (Clock::now() < $ask || !$this->askPatiently($this->flag()));
            $this->leave();
            $this->passOn();
            return true;
        } catch (Unanswered) {
            $this->place?->close();
            [$this->place, $this->isParked] = [null, false]; // the next one begins anew
            return false;
        }
    }

    /** What the BLPOP brought. Who may not park asks often, without a flag. True: the lock was had so. */
    private function isBarred(mixed $reply): bool
    {
        $this->isParked = false;
        $this->hear($reply);
        if (!$reply instanceof Refusal) {
            return false;
        }
        if ($reply->code !== 'NOPERM') {
            usleep(self::PAUSE);
            return false;
        }
        do {
            usleep(mt_rand(50_000, 100_000));
        } while (!($taken = $this->askPatiently(0)) && Clock::now() < $this->until);
        return $taken;
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

    /** Ends the BLPOP, and reads what came: it may be a baton. */
    private function leave(): void
    {
        // The first is refused, and held up by a CLIENT PAUSE, during which the end of a BLPOP crashes many a server.
        $refused = ['PEXPIRE', $this->lock->names[0], 'no number'];
        $this->server->tell([$refused, ['CLIENT', 'UNBLOCK', (string) $this->place?->id]]);
        $this->isParked = false;
        $this->hear($this->place?->reply(Clock::now() + 100_000));
    }

    private function hear(mixed $reply): void
    {
        $this->heard = is_array($reply) && is_string($reply[1] ?? null) ? $reply[1] : null;
    }

    private function passOn(): void
    {
        if ($this->heard !== null && $this->heard[0] === '~') {
            $arguments = [$this->heard, 0, $this->lock->baton, 0];
            $this->server->ask('release', $this->lock->names, $arguments, $this->server->deadline(), Answers::verdict(...));
        }
        $this->heard = null;
    }

    private function undo(): void
    {
        $arguments = [$this->lock->token, 0, $this->lock->baton, 0];
        try {
            $this->server->ask('release', $this->lock->names, $arguments, $this->server->deadline(), Answers::verdict(...));
            $this->inDoubt = false;
        } catch (ConnectionException | ServerException) {
            $this->server->owe($this->lock->names, $this->lock->token, $this->lock->baton);
        }
    }

    /** What was coming to us goes to another. */
    private function abandon(): void
    {
        try {
            $this->isParked && $this->leave();
            if ($this->heard === '-') {
                $this->inDoubt = $this->ask(0) || $this->inDoubt;
            }
            $this->passOn();
        } catch (ConnectionException | ServerException | Unanswered) {
            // A baton ends by itself.
        }
        $this->inDoubt && $this->server->owe($this->lock->names, $this->lock->token, $this->lock->baton);
    }
}
