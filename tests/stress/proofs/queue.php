<?php
/*
 * Who may come in, and when: refusals, limits of shares, waits that stall, and the order of waiting.
 */

trait Queue
{
    /* A getLock that was false met somebody who had it, or to whom it was being passed. */
    private function wasBusy(int $from, int $until, int $wait, int $policy, int $worker, int $line, bool $share, string $call): void
    {
        if ($policy === 0 && $until - $from < $wait) {
            $this->gaveUpAtOnce($from, $until, $wait, $worker, $line);
        }
        $this->isGone($this->record->byName[$call] ?? [], $from, $until, "worker-$worker:$line", 'it was refused');
        /* With POLICY_WAIT the last word is that of the last ask. */
        $asked = $policy === 1 ? max($from, min($from + $wait, $until) - 2 * MS) : $from;
        if ($share ? $this->isClosedToShares($asked, $until) : $this->record->taken->count($asked, $until) > $this->ownTenures($call, $asked, $until)) {
            $this->report->count('busy: another had it');
        } elseif ($this->faults->onTheWay->meet($from, $until)) {
            $this->excuse('busy', 'the last ask was struck');
        } elseif ($this->faults->stepped($from - LASTS, $until)) {
            $this->excuse('busy', "the server's clock was set");
        } else {
            $this->violation('busy', "worker-$worker:$line", sprintf('refused, but nobody had it for %.6f s', ($until - $asked) / S));
        }
    }

    /* With POLICY_FAIL_FAST: the lease outlasted the wait, by an answer that may have been on its way for as long as the call. */
    private function gaveUpAtOnce(int $from, int $until, int $wait, int $worker, int $line): void
    {
        $this->report->count('early: judged');
        $taken = $this->record->takenUntil($from - CLOCK_SLACK, $until);
        $short = $from + $wait - ($until - $from) - $taken;
        if ($taken > 0 && $short > CLOCK_SLACK && !$this->faults->stepped($from - LASTS, $until) && !$this->faults->forgot($from - LASTS, $until)) {
            $this->violation('early', "worker-$worker:$line", sprintf('gave up %.6f s before its time, but the lease was to end %.6f s before that', ($wait - $until + $from) / S, $short / S));
        }
    }

    /* On how many nodes it was granted to the very call that was refused. */
    private function ownTenures(string $call, int $from, int $until): int
    {
        return array_sum(array_map(fn (Grant $grant) => $grant->mayBeOn($from, $until), $this->record->byName[$call] ?? []));
    }

    /* Somebody has it exclusively, or waits for that or for room; or there are as many shares as may be. */
    private function isClosedToShares(int $from, int $until): bool
    {
        return $this->record->closed->meet($from, $until)
            || ($this->history->limit > 0 && $this->record->crowded($this->history->limit)->meet($from, $until));
    }

    /* A share that was not made exclusive was not the only one. */
    private function wasNotAlone(Lease $lease, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('upgrade: refused');
        if ($this->record->crowded(2)->meet($from, $until) || $this->record->closed->meet($from, $until)) {
            return;
        }
        if ($this->faults->onTheWay->meet($from, $until)) {
            $this->excuse('busy', 'the last ask was struck');
        } elseif ($this->faults->stepped($lease->from - 4 * S, $until)) {
            $this->excuse('busy', "the server's clock was set");
        } else {
            $this->violation('busy', "worker-$worker:$line", 'not made exclusive, but it was the only share');
        }
    }

    /* By the servers: there are never more shares than may be. */
    private function limitIsKept(int $moment, int $others, Grant $grant): void
    {
        $this->report->count('limit: judged');
        if ($others < $this->history->limit) {
            return;
        }
        $where = "call $grant->name";
        if ($this->faults->stepped($moment - 4 * S, $moment)) {
            $this->excuse('limit', "the server's clock was set");
        } elseif ($this->faults->forgot($moment - 4 * S, $moment)) {
            $this->excuse('limit', 'the server forgot');
        } else {
            $this->violation('limit', $where, "a share beside $others others, of at most {$this->history->limit}");
        }
    }

    /* sharers() asks one server once. */
    private function crowdIsSmall(int $number, int $from, int $worker, int $line): void
    {
        if ($number > $this->history->limit && !$this->faults->stepped($from - 4 * S, $from) && !$this->faults->forgot($from - 4 * S, $from)) {
            $this->violation('limit', "worker-$worker:$line", "told $number sharers, of at most {$this->history->limit}");
        }
    }

    /* Nobody waits undisturbed for a lock that nobody has; or for a share of one that nobody has or wants exclusively, and that has room. */
    private function nobodyStalls(): void
    {
        [$taken, $closed] = [new Intervals, clone $this->history->asks];
        foreach ($this->record->tenures as [$after, $before, , $share]) {
            $taken->add($after, $before);
            $share > 0 || $closed->add($after, $before);
        }
        $full = $this->history->limit > 0 ? $this->record->crowded($this->history->limit) : new Intervals;
        foreach ($this->history->waits as [$from, $until, $worker, $line, , , $share]) {
            if ($until - $from < STALL || $this->faults->stopped($worker, $from, $until) > 0) {
                continue;
            }
            $this->report->count('stall: judged');
            $idle = $taken->gaps($from, $until, STALL);
            foreach ($share ? $closed->gaps($from, $until, STALL) : [] as [$began, $ended]) {
                $idle = [...$idle, ...$full->gaps($began, $ended, STALL)];
            }
            foreach ($idle as [$began, $ended]) {
                $this->stalled($began, $ended, $began - $from, "worker-$worker:$line");
            }
        }
    }

    private function stalled(int $began, int $ended, int $waited, string $where): void
    {
        $wrong = $this->faults->howMany(['kill', 'stop', 'hold', 'stray', 'late', 'lose', 'cut', 'drop', 'flush', 'stall'], $began - S, $ended);
        $halted = $this->faults->is(['mute', 'outage', 'link', 'full', 'pause', 'freeze', 'restart', 'forget', 'move', 'failover', 'forward'], $began - S, $ended)
            || $this->faults->is('back', $began - 6 * S, $ended); /* what was passed on before lives longer then */
        $length = $ended - $began;
        $most = $this->majority ? STALL : max(STALL, min(STALL_MOST, $waited + STALL_SLACK));
        $this->report->count($wrong === 0 && !$halted ? 'stall: undisturbed and over ' . STALL / MS . ' ms' : 'stall: a lost baton, or a server that was away');
        if (!$halted && $length > $most + $wrong * STALL_EACH) {
            $this->violation('stall', $where, sprintf('nobody had it for %.3f s while this one waited, and %d things went wrong', $length / S, $wrong));
        }
    }

    /*
     * What is given back is passed on to a waiter that has surely parked. What runs out, or a foreign client deletes, is for
     * whoever looks first; and a waiter that fails fast just then may take it with it.
     */
    private function releasesWake(): void
    {
        if ($this->majority) {
            return; /* nobody is told there */
        }
        $disorder = $this->disorder();
        foreach ($this->grants as $grant) {
            $grant->isForeign && $disorder->add($grant->after, max(array_column(array_merge(...array_values($grant->changes)), 1)));
        }
        $leavers = new Intervals;
        foreach ($this->history->busy as [$from, $until, $wait, $policy]) {
            $policy === 0 && $until - $from < $wait && $leavers->add($until - SETTLED, $until);
        }
        foreach ($this->history->waits as [$from, $until, $worker, $line, , , , $delayed]) {
            if ($until - $from < QUEUED + WAKE || $delayed > WAKE / 4 || $this->faults->stopped($worker, $from, $until) > 0) {
                continue;
            }
            $this->report->count('wake: judged');
            foreach ($this->record->taken->gaps($from, $until, WAKE) as [$began, $ended]) {
                if ($began < $from + QUEUED || $disorder->meet($began - SETTLED, $began + SETTLED) || $this->faults->any->meet($began - S, $ended)
                    || $this->faults->is('stall', $began - S, $ended)) {
                    continue;
                }
                if ($this->hasShares() || $leavers->meet($began - SETTLED, $began + SETTLED)) {
                    $this->excuse('wake', 'a waiter left the queue just then');
                } else {
                    $this->violation('wake', "worker-$worker:$line", sprintf('it was given back, and nobody had it for %.6f s while this one waited', ($ended - $began) / S));
                }
            }
        }
    }

    /* Of two that wait undisturbed, with nobody's lease running out, the first is served first. */
    private function firstComeFirstServed(): void
    {
        if ($this->majority) {
            return; /* there is no order among its waiters */
        }
        $disorder = $this->disorder();
        $ahead = $this->hasShares() ? 2 * QUEUED : QUEUED; /* who wants a share, or meets one, asks twice before it parks */
        $waits = $this->history->waits;
        usort($waits, fn (array $a, array $b) => $a[0] <=> $b[0]);
        $served = array_values(array_filter($waits, $this->isServed(...)));
        $begins = array_column($served, 0);
        foreach (array_filter($waits, $this->isQueued(...)) as $wait) {
            [$from, $until, $worker, $line] = $wait;
            for ($n = first_after($begins, $from + $wait[7] + $ahead - 1); $n < count($served) && $served[$n][0] < $until; $n++) {
                $other = $served[$n][4];
                if ($this->faults->any->meet($from - SETTLED, $until) || $this->faults->is('stall', $from - SETTLED, $until)
                    || $this->faults->is('failover', $from - S, $until) || $disorder->meet($from - SETTLED, $until)) {
                    continue;
                }
                $this->report->count('order: judged');
                if ($other->grant->before < self::servedAt($wait)) {
                    $this->violation('order', "worker-$worker:$line", sprintf('waited since %.3f s before %s, and was served after it', ($served[$n][0] - $from) / S, $other->where()));
                }
            }
        }
    }

    /* Exclusive locks that were shares before: the first waiter has to queue again after it. @return list<Grant> */
    private function upgrades(): array
    {
        $shares = [];
        foreach ($this->grants as $grant) {
            $grant->shared && $shares[$grant->token][] = $grant;
        }
        return array_filter($this->grants, fn (Grant $grant) => !$grant->shared
            && array_filter($shares[$grant->token] ?? [], $grant->follows(...)) !== []);
    }

    /* After a lease or a waiter's place that runs out, and after a client that knows no queue, the lock is for whoever asks next. */
    public function disorder(): Intervals
    {
        $disorder = clone $this->record->lapsed;
        foreach ($this->record->tenures as [$after, $before, $ranOut]) {
            $ranOut && $disorder->add($after, $before);
        }
        foreach ($this->hasShares() ? $this->grants : [] as $grant) {
            $grant->isForeign && $disorder->add($grant->after, max(array_column(array_merge(...array_values($grant->changes)), 1)));
        }
        foreach ($this->hasShares() ? $this->upgrades() : [] as $grant) {
            $disorder->add($grant->after, $grant->before);
        }
        foreach ($this->hasShares() ? $this->history->named : [] as $calls) {
            $this->waitTogether(array_filter($calls, fn (NamedCall $call) => $call->takes()), $disorder);
        }
        return $disorder;
    }

    /* Two that wait under one name have one place among shares: when it is given up by the one, the other may still be told in front of whoever comes next. */
    private function waitTogether(array $calls, Intervals $disorder): void
    {
        usort($calls, fn (NamedCall $a, NamedCall $b) => $a->from <=> $b->from);
        $until = 0;
        foreach ($calls as $call) {
            $call->from < $until && $disorder->add($call->from, max($until, $call->until));
            $until = max($until, $call->until);
        }
    }

    /* Who was certainly in the queue: a lock was passed on to it; or, where there are shares, it waited for so long, even for nothing. */
    private function isQueued(array $wait): bool
    {
        return $wait[4]?->grant?->passedOn || ($wait[1] - $wait[0] - $wait[7] > 2 * QUEUED && (bool) $wait[4]?->grant === $wait[5]);
    }

    /* Whose turn it was to be. While a lock has shares and somebody waits, whoever asks has to queue, too. */
    private function isServed(array $wait): bool
    {
        return $wait[4]?->grant !== null && ($wait[4]->grant->passedOn || $this->hasShares());
    }

    private function hasShares(): bool
    {
        return $this->record->entries !== [];
    }

    private static function servedAt(array $wait): int
    {
        return $wait[4]?->grant?->after ?? $wait[1] - QUEUED;
    }
}
