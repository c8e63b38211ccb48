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
        } elseif ($this->faults->is('forward', $lease->from, $lease->until)) {
            $this->excuse('granted', "the server's clock was set forward meanwhile"); /* so that it was over at once */
        } else {
            $this->violation('granted', $lease->where(), "no server granted it (token $lease->random, fence $lease->fence, name $lease->name)");
        }
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
                $next->fence, $next->name ?: '?', ($last - $next->before) / S));
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
            if ($grant->adoptions === $lease->grant->adoptions + 1 && $grant->after <= $until && $grant->random !== $lease->grant->random) {
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
        $leases = array_filter($this->history->leases, fn (Lease $lease) => $lease->grant !== null);
        $told = array_map(fn (Lease $lease) => $lease->until, $leases);
        $fences = array_map(fn (Lease $lease) => $lease->grant->fence, $leases);
        array_multisort($told, $fences);
        $highest = $since = [];
        $high = $when = 0;
        foreach ($fences as $i => $fence) {
            [$high, $when] = $fence > $high ? [$fence, $told[$i]] : [$high, $when];
            [$highest[], $since[]] = [$high, $when];
        }
        foreach ($leases as $lease) {
            $this->report->count('fence: judged');
            $before = first_after($told, $lease->from - 1);
            if ($before > 0 && $highest[$before - 1] > $lease->grant->fence - ($lease->keepsFence ? 0 : 1)) {
                /* Of two that have it, since one server forgot the other's grant, one may change its kind, and keep its fence. */
                $this->faults->forgot($since[$before - 1] - 4 * S, $lease->until) && ($lease->keepsFence || $this->faults->is('back', 0, $lease->until))
                    ? $this->excuse('fence', $lease->keepsFence ? 'the server forgot' : 'the server forgot, and its clock was set back')
                    : $this->violation('fence', $lease->where(), "its fence {$lease->grant->fence} is not above {$highest[$before - 1]}, which was told before it asked");
            }
        }
    }

    /* By the servers: a fence is one grant's. */
    private function noFenceTwice(): void
    {
        foreach ($this->majority ? [] : $this->record->byFence as $fence => $grants) {
            usort($grants, fn (Grant $a, Grant $b) => [$a->before, $a->written] <=> [$b->before, $b->written]);
            $formers = [];
            foreach ($fence === 0 ? [] : $grants as $grant) {
                $former = $formers[$grant->adoptions] ?? $grant;
                $formers[$grant->adoptions] = $grant;
                if ($former === $grant || array_filter($grants, $grant->follows(...)) !== []) {
                    continue;
                }
                $forgot = $this->faults->forgot($former->after, $grant->before);
                if ($forgot && $grant->adoptions > 0) {
                    $this->excuse('fence', 'the server forgot an adoption, and the grant was adopted anew');
                } elseif ($forgot && $this->faults->is('back', 0, $grant->before)) {
                    $this->excuse('fence', 'the server forgot, and its clock was set back');
                } else {
                    $this->violation('fence', "call $grant->name", "the fence $fence was given before, to call $former->name");
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
