<?php
/*
 * What is left of a lock after a call: nothing, where it was released, broken, or never granted; or a delay, which keeps it
 * from all.
 */

trait Remains
{
    /* What was released is not on the servers any more, and no late copy of a request brings it back. */
    private function isReleased(Lease $lease, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('kept: judged');
        if ($lease->grant === null) {
            return;
        }
        $this->isGone([$lease->grant], $from, $until, "worker-$worker:$line", 'it was released');
        foreach ($this->majority || $lease->grant->random === '' ? [] : $this->record->byRandom[$lease->grant->random] as $grant) {
            $again = $grant->beginsAfter($until);
            /* A server that comes back begins with what it had, and one that gets a slot, with what the other had. */
            if ($again === null || $this->faults->is(['restart', 'forget', 'failover', 'move'], $from, $again[1])) {
                continue;
            }
            if ($this->isLateCopy($again[0], $lease->grantedUntil, $lease->from)) {
                $this->excuse('kept', 'a late copy took it for nobody');
            } else {
                $this->violation('kept', "worker-$worker:$line", sprintf('it was released, and granted under its token again %.6f s later', ($again[1] - $until) / S));
            }
        }
    }

    /* Nor what was broken, and it was there before: unless an earlier sending has broken it. */
    private function isBroken(int $fence, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('kept: judged');
        $grants = $this->record->byFence[$fence] ?? [];
        $this->isGone($grants, $from, $until, "worker-$worker:$line", 'it was broken');
        $there = array_filter($grants, fn (Grant $grant) => $grant->mayBeThere($from - CLOCK_SLACK, $until));
        if ($there === [] && !$this->majority && !$this->faults->onTheWay->meet($from - S, $until) && !$this->faults->stepped($from - LASTS, $until)) {
            $this->violation('look', "worker-$worker:$line", "said to have broken the grant with the fence $fence, which nobody had");
        }
    }

    /* What getLocks() was granted before it was refused the rest, it has given back by then. */
    private function keepsNothing(int $pid, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('kept: judged');
        $grants = [];
        for ($place = first_after($this->moments, $from); $place < count($this->grants) && $this->grants[$place]->before <= $until; $place++) {
            $grant = $this->grants[$place];
            if ($grant->pid === $pid && $grant->holder === '' && $grant->name === '' && $grant->after >= $from) {
                $grants[] = $grant;
            }
        }
        $this->isGone($grants, $from, $until, "worker-$worker:$line", 'the others were refused');
    }

    /** @param list<Grant> $grants */
    private function isGone(array $grants, int $from, int $until, string $where, string $why): void
    {
        if (!$this->isHeldThroughout($grants, $until, $until + KEPT)) {
            return;
        }
        if ($this->faults->onTheWay->meet($from - S, $until)) {
            $this->excuse('kept', 'its release may be sent again');
        } elseif ($this->faults->forgot($from, $until + KEPT)) {
            $this->excuse('kept', 'the server forgot');
        } else {
            $this->violation('kept', $where, "$why, but the servers kept it");
        }
    }

    /* What got no answer is the owner's no more after the next call that did, nor later, whatever still arrives. */
    private function isUndone(string $call, int $since, int $grantedUntil, int $from, int $until, int $worker, int $line): void
    {
        $taken = $this->record->byName[$call] ?? [];
        if ($taken === []) {
            return;
        }
        $this->report->count('undone: judged');
        if (array_filter($taken, fn (Grant $grant) => $grant->isThere($until, $until + KEPT) || $grant->beginsAfter($until) !== null) === []) {
            return;
        }
        $began = max(array_map(fn (Grant $grant) => $grant->lastBegan(), $taken));
        if ($began >= $from && $this->isLateCopy($began, $grantedUntil, $since)) {
            $this->excuse('undone', 'a late copy took it for nobody');
        } elseif ($this->faults->onTheWay->meet($from, $until)) {
            $this->excuse('undone', 'what undoes it may be sent again');
        } elseif ($this->faults->stepped($since - 4 * S, $until + LASTS) || $this->faults->forgot($since, $until + LASTS)) {
            $this->excuse('undone', 'the server forgot, or its clock was set');
        } else {
            $this->violation('undone', "worker-$worker:$line", "what call $call took without an answer was not given back");
        }
    }

    /* What was on its way arrived before its call's deadline, and when the lock was free again. Nobody was told that he has it. */
    private function isLateCopy(int $moment, int $grantedUntil, int $since): bool
    {
        return ($moment <= $grantedUntil + $this->faults->setBack($moment) && $this->faults->onTheWay->meet($since, $moment)) || $this->faults->stepped($since - S, $moment);
    }

    /* Nobody has it before its delay is over. Whoever waited is granted it a moment before, and waits on. */
    private function isUnavailable(int $since, int $until, int $worker, int $line): void
    {
        $this->report->count('cooldown: judged');
        $meanwhile = fn (Lease|NamedCall $taking) => $taking->until >= $since && $taking->until < $until - CLOCK_SLACK;
        $had = array_filter($this->history->leases, fn (Lease $lease) => $meanwhile($lease) && $lease->grant?->after >= $since);
        foreach ($this->history->named as $calls) {
            array_push($had, ...array_filter($calls, fn (NamedCall $call) => $meanwhile($call) && $call->takes() && $call->said && $this->isGrantedSince($call, $since)));
        }
        foreach ($had as $early) {
            if ($this->faults->is('forward', $since - S, $until) || $this->faults->forgot($since - S, $until)) {
                $this->excuse('cooldown', 'the server forgot, or its clock was set forward');
            } else {
                $this->violation('cooldown', "worker-$worker:$line", sprintf('%s had it %.6f s before its delay was over', $early->where(), ($until - $early->until) / S));
            }
        }
    }
}
