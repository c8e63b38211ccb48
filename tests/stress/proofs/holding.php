<?php
/*
 * Whoever was told that it has a lock had it: a server granted it, to nobody else meanwhile, for as long as was told, under a
 * fence that rose.
 */

trait Holding
{
    /* `true` from a getLock is what a server has said. */
    private function wasGranted(Lease $lease): void
    {
        if ($lease->grant !== null) {
            $this->report->count('granted: as the servers say');
        } elseif ($this->faults->forgot($lease->from, $lease->until)) {
            $this->excuse('granted', 'the server forgot');
        } elseif ($this->faults->stepped($lease->from, $lease->until)) {
            $this->excuse('granted', "the server's clock was set meanwhile"); /* so that it was over at once */
        } else {
            $this->violation('granted', $lease->where(), "no server granted it (token $lease->random, fence {$this->toldFirst($lease)}, name $lease->name)");
        }
        foreach ($lease->grant === null || $this->majority ? [] : array_column($lease->fences, 2) as $fence) {
            if (!isset($lease->grant->fences[$fence]) && !$this->faults->forgot($lease->from, $lease->until + LASTS)) {
                $this->violation('fence', $lease->where(), "told the fence $fence, which no server gave it");
            }
        }
    }

    private function toldFirst(Lease $lease): int
    {
        return $lease->fences[0][2] ?? 0;
    }

    /* Between getLock's return and its owner's last positive answer nobody else was granted it. */
    private function isAlone(Lease $lease): void
    {
        $next = $this->next($lease);
        $this->report->count('exclusive: judged');
        if ($next === null) {
            return;
        }
        $last = max($lease->asked, $lease->believed);
        if ($next->before >= $last) {
            return;
        }
        $early = $this->endedEarly($lease, $last);
        /* It may be broken while getLock still waits for replicas. */
        $since = $early === 'broken' && $lease->asked === $lease->until ? $lease->from : $lease->asked;
        if ($early !== null && ($next->before >= $since || $early === 'the server forgot' || $this->faults->stepped($lease->from - 4 * S, $last))) {
            $this->excuse('exclusive', $early);
        } else {
            $this->violation('exclusive', $lease->where(), sprintf('another was granted it (fence %d, call %s) %.6f s before its owner last had an answer that it is his',
                $next->fence(), $next->name ?: '?', ($last - $next->before) / S));
        }
    }

    /* Until the time that its owner was told, the servers keep it, unless its owner says otherwise. */
    private function livesAsLongAsTold(Lease $lease): void
    {
        if ($lease->grant === null) {
            return;
        }
        foreach ($lease->told as [$told, $safe, $next]) {
            $this->report->count('deadline: judged');
            $moments = $told < min($safe, $next) ? [$told, ...$lease->grant->moments($told, min($safe, $next))] : [];
            foreach ($moments as $moment) {
                $until = $lease->grant->until($moment);
                if ($until < $safe - CLOCK_SLACK) {
                    $this->shortened($lease, $told, $safe, $until, $moment);
                    break;
                }
            }
        }
    }

    /* Until somebody asks to adopt it, the servers keep it for the new token, which bears the name of the call that took it. */
    private function lastsUntilAdopted(Lease $lease, int $ttl, int $from, int $until, int $worker, int $line): void
    {
        foreach (($lease->grant?->name ?? '') === '' ? [] : $this->record->byName[$lease->grant->name] as $grant) {
            if ($grant->former === $lease->grant->random && $grant->after <= $until) {
                $handed = new Lease($worker, $line, '', $from, $until);
                $handed->grant = $grant;
                $handed->told = [[$until, $from + $ttl, $this->history->adoptedSince[$grant->random] ?? PHP_INT_MAX]];
                $this->livesAsLongAsTold($handed);
            }
        }
    }

    private function shortened(Lease $lease, int $told, int $safe, int $until, int $when): void
    {
        $early = $this->endedEarly($lease, max($when, $told));
        if ($early === null && $this->faults->stepped($lease->from - 4 * S, $when)) {
            $early = "the server's clock was set";
        }
        if ($early === null && $until <= $told && $this->faults->is('move', $when - S, $when + S)) {
            $early = 'its slot moved'; /* two servers wrote that, and which of them first is not known */
        }
        $early !== null ? $this->excuse('deadline', $early) : $this->violation('deadline', $lease->where(), sprintf(
            'its owner was told that it is safe for %.6f s, but %.6f s later the servers let it end %s', ($safe - $told) / S, ($when - $told) / S,
            $until === 0 ? 'at once' : sprintf('after %.6f s', ($until - $told) / S)));
    }

    /* By the calls: who asked after another was told has a higher fence. */
    private function fencesRise(): void
    {
        if ($this->majority) {
            return;
        }
        $fences = []; /* when it was told, the fence, since when it may have been given, the lease, whether its first */
        foreach ($this->history->leases as $lease) {
            foreach ($lease->grant === null ? [] : $this->fencesOf($lease) as $i => [$since, $told, $fence]) {
                $fences[] = [$told, $fence, $since, $lease, $i === 0];
            }
        }
        usort($fences, fn (array $a, array $b) => $a[0] <=> $b[0]);
        $told = array_column($fences, 0);
        $highest = []; /* of those before: the fence, when that was told */
        foreach ($fences as [$when, $fence]) {
            $last = end($highest) ?: [0, 0];
            $highest[] = $fence > $last[0] ? [$fence, $when] : $last;
        }
        foreach ($fences as [, $fence, $since, $lease, $first]) {
            $this->report->count('fence: judged');
            [$high, $when] = $highest[first_after($told, $since - 1) - 1] ?? [0, 0];
            if ($high > $fence - ($first && $lease->keepsFence ? 0 : 1)) {
                $this->fell($lease, $fence, $high, $when, !$first || $lease->keepsFence || $lease->grant->former !== '');
            }
        }
    }

    /** @return list<array{int, int, int}> */
    private function fencesOf(Lease $lease): array
    {
        $first = [$lease->from, $lease->until, $lease->grant->fence()];
        return $this->toldFirst($lease) === $first[2] ? $lease->fences : [$first, ...$lease->fences];
    }

    /* Of two that have it, since one server forgot the other's grant, one may go on from its own fence, and not from the clock. */
    private function fell(Lease $lease, int $fence, int $high, int $when, bool $goesOn): void
    {
        if ($this->faults->forgot($when - LASTS, $lease->until + LASTS) && ($goesOn || $this->faults->is('back', 0, $lease->until))) {
            $this->excuse('fence', $goesOn ? 'the server forgot' : 'the server forgot, and its clock was set back');
        } else {
            $this->violation('fence', $lease->where(), "its fence $fence is not above $high, which was told before it asked");
        }
    }

    /* By the servers: a fence is one grant's. */
    private function noFenceTwice(): void
    {
        foreach ($this->majority ? [] : $this->record->byFence as $fence => $grants) {
            /* A downgrade keeps the fence. */
            $given = array_filter($grants, fn (Grant $grant) => array_filter($grants, $grant->isDowngradeOf(...)) === []);
            usort($given, fn (Grant $a, Grant $b) => [...$a->fences[$fence], $a->written] <=> [...$b->fences[$fence], $b->written]);
            foreach ($given as $i => $grant) {
                if ($i === 0) {
                    continue;
                }
                $forgot = $this->faults->forgot($given[$i - 1]->after, $grant->fences[$fence][1]);
                if ($forgot && $grant->fence() !== $fence || $forgot && $grant->former !== '') {
                    $this->excuse('fence', 'the server forgot, and another went on from the same fence');
                } elseif ($forgot && $this->faults->is('back', 0, $grant->before)) {
                    $this->excuse('fence', 'the server forgot, and its clock was set back');
                } else {
                    $this->violation('fence', "call $grant->name", "the fence $fence was given before, to call {$given[$i - 1]->name}");
                }
            }
        }
    }

    /* A thread keeps a lease alive, unless something is in its way. */
    private function isRenewed(string $verdict, Lease $lease, int $until, string $where): void
    {
        $this->report->count('renewal: judged');
        if ($verdict === 'true' || $this->endedEarly($lease, $until) !== null || $this->faults->any->meet($lease->from - S, $until)
            || $this->faults->is('failover', $lease->from - 2 * S, $until)) {
            return;
        }
        if ($this->faults->is('stall', $lease->from, $until)) {
            $this->excuse('renewal', 'the machine did not run');
        } else {
            $this->violation('renewal', $where, sprintf('%s after %.3f s, though it was to be renewed', $verdict, ($until - $lease->until) / S));
        }
    }
}
