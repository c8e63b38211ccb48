<?php
/*
 * What a release or a prolongation came to: in time, late, held again, or lost.
 */

trait Verdicts
{
    private function verdictIsTrue(string $verdict, Lease $lease, int $from, int $until, int $late, int $worker, int $line, int $safe): void
    {
        $this->report->count("verdict: $verdict");
        $where = "worker-$worker:$line";
        if ($lease->grant === null) {
            $this->excuse('verdict', 'no server is known to have granted it');
            return;
        }
        $until < $lease->renewedUntil && $this->isRenewed($verdict, $lease, $until, $where);
        match ($verdict) {
            'Lost' => $this->lostIsLost($lease, $this->next($lease, untold: true), $from, $until, $late, $where),
            'true' => $this->trueIsTrue($lease, $this->next($lease), $from, $until, $where),
            default => $this->lateIsLate($lease, $this->next($lease, true), $from, $until, $safe, $where),
        };
    }

    /*
     * In time: the server still had it when the call began. Where an answer was lost, nobody knows whether it had been
     * ended on purpose before.
     */
    private function trueIsTrue(Lease $lease, ?Grant $next, int $from, int $until, string $where): void
    {
        $early = $this->endedEarly($lease, $until, $this->faults->onTheWay->meet($from, $until) ? null : $from);
        if (($next === null || $next->before >= $from) && $lease->grant->mayBeThere($from - CLOCK_SLACK, $until)) {
            return;
        }
        if ($early !== null || $this->faults->stepped($lease->from - 4 * S, $until)) {
            $this->excuse('true', $early ?? "the server's clock was set");
        } elseif ($next !== null && $next->before < $from) {
            $this->violation('true', $where, sprintf('a release in time, but another was granted it %.6f s before', ($from - $next->before) / S));
        } else {
            $this->violation('true', $where, 'a release in time, but the lease was over before it began');
        }
    }

    /* Timeout, or Held: its time was up, and nobody else has had it. */
    private function lateIsLate(Lease $lease, ?Grant $next, int $from, int $until, int $safe, string $where): void
    {
        if ($next !== null && $next->before < $from) {
            $this->faults->forgot($lease->from, $until) ? $this->excuse('Timeout', 'the server forgot')
                : $this->violation('Timeout', $where, 'but another was granted it before');
        }
        if ($until < $safe) {
            $this->violation('Timeout', $where, sprintf('%.6f s before the time until when it was told to be safe', ($safe - $until) / S));
        }
    }

    private function lostIsLost(Lease $lease, ?Grant $next, int $from, int $until, int $late, string $where): void
    {
        $early = $this->endedEarly($lease, $until);
        $reason = match (true) {
            $early !== null => $early,
            $late > 0 && $next !== null && $next->after <= $until => 'another was granted it',
            /* What a late share is judged by begins anew behind one that is broken. */
            $late > 0 && $lease->shared && $this->history->isBroken([], $lease->from, $until) => 'another share was broken',
            $late > 0 && $this->majority && $this->another($lease, $until) => 'another had it on some servers',
            default => null,
        };
        if ($reason !== null) {
            $this->report->count("Lost: $reason");
        } elseif ($this->faults->stepped($lease->from - 4 * S, $until)) {
            $this->excuse('Lost', "the server's clock was set");
        } elseif ($this->faults->onTheWay->meet($lease->from, $until)) {
            $this->excuse('Lost', 'it could not be told, since a connection was struck');
        } elseif ($until - $from >= CALL_TIMEOUT && $this->faults->is('stall', $from, $until)) {
            $this->excuse('Lost', 'it could not be told within the call, since the machine did not run');
        } else {
            $this->violation('Lost', $where, 'nobody else was granted it' . ($late === 0 ? ', and its time was not up' : ''));
        }
    }

    /* A try of somebody else on a few servers of a majority. */
    private function another(Lease $lease, int $until): bool
    {
        return array_filter($this->record->grants, fn (Grant $grant) => $grant !== $lease->grant && $grant->mayBeOn($lease->until, $until) > 0) !== [];
    }
}
