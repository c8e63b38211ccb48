<?php
/*
 * What is said by the name of a detached lock.
 */

trait Names
{
    /*
     * A detached lock is its name's, whichever processes say it: what each call said is held against all that the name had. From
     * a getLock or prolongate on the servers keep it, and so nobody else has it, as long as was asked for or told, or until
     * somebody may have ended it by the name.
     *
     * A baton is the name's from the push on for the getLock that gets it, and for all once that has returned: its claim rides
     * along. Other calls find the name only once the claim has arrived.
     */
    private function nameHasIt(string $name, array $calls): void
    {
        $returned = [];
        foreach ($calls as $call) {
            if ($call->takes() && $call->said) {
                $returned[$call->call] = $call->until;
            }
        }
        foreach ([false, true] as $exclusively) {
            $passed[] = $this->record->allOf($name, fn () => 0, $exclusively);
            $claimed[] = $this->record->allOf($name, fn () => PHP_INT_MAX, $exclusively);
            $told[] = $this->record->allOf($name, fn (Grant $grant) => $returned[$grant->name] ?? PHP_INT_MAX, $exclusively);
        }
        foreach ($calls as $call) {
            $kind = (int) $call->isExclusive();
            $may = $call->takes() ? $passed : $claimed;
            $this->namedCall($call, $may[$kind], $may[0], $told[$kind], $calls);
        }
    }

    /* Held against what the name may have had, in either kind, and against what it surely had. */
    private function namedCall(NamedCall $call, ?Grant $may, ?Grant $either, ?Grant $surely, array $calls): void
    {
        $lease = new Lease($call->worker, $call->line, '', $call->from, $call->until);
        $lease->grant = $may;
        if ($call->said && $call->takes() && $this->claimWasLost($call, $may)) {
            $this->excuse('granted', 'its claim was lost on the way');
            return;
        }
        if ($call->said && !$this->wasJustReleased($call, $may, $calls)) {
            $this->lookIsTrue(true, $lease, $call->from, $call->until, $call->worker, $call->line);
        }
        if ($call->fence > 0) {
            $this->fenceIsTheNames($call);
        }
        if ($call->safe > 0) {
            $lease->grant = $either;
            $lease->told = $this->promises($call, $this->mayEnd($call, $calls));
            $this->livesAsLongAsTold($lease);
        }
        if ($call->failed && !$this->metAnUnclaimedBaton($call)) {
            $this->violation('failure', $call->where(), "detached-$call->operation: Connection without a cause");
        }
        if ($call->gaveUpEarly() && !$either?->mayBeThere($call->from - CLOCK_SLACK, $call->until)) {
            $this->violation('early', $call->where(), sprintf('gave up %.6f s before its time', ($call->wait - $call->until + $call->from) / S));
        }
        if ($call->delay > 0 && $call->said && !$this->isReleasedByTwo($call, $calls)) {
            $this->isUnavailable($call->until, $call->from + $call->delay, $call->worker, $call->line);
        }
        $busy = $call->takes() && $this->metAnUnclaimedBaton($call);
        if (($call->said === false && !$busy) || ($call->said && $call->operation === 'release')) {
            $lease->grant = $surely;
            $this->lookIsTrue(false, $lease, $call->from, $call->until, $call->worker, $call->line);
        }
    }

    /* What a release leaves, a baton or a cooldown, says of another one by that name that it is the same. */
    private function wasJustReleased(NamedCall $call, ?Grant $grant, array $calls): bool
    {
        if ($call->operation !== 'release' || $grant?->mayBeThere($call->from - CLOCK_SLACK, $call->until) || !$this->isReleasedByTwo($call, $calls)) {
            return false;
        }
        $this->excuse('look', 'released by two');
        return true;
    }

    private function isReleasedByTwo(NamedCall $call, array $calls): bool
    {
        return array_filter($calls, fn (NamedCall $other) => $other !== $call && $other->operation === 'release' && $other->said !== false
            && $other->from < $call->until && $other->takesEffect > $call->from - WINDOW) !== [];
    }

    /* When it returned, the name had nothing but a baton of which nobody knows whose it was. */
    private function claimWasLost(NamedCall $call, ?Grant $grant): bool
    {
        return !$grant?->mayBeThere($call->until - CLOCK_SLACK, $call->until) && $this->claimWasStruck($call->from, $call->until)
            && array_filter($this->record->byFence, fn (array $grants) => array_filter($grants,
                fn (Grant $grant) => $grant->random === '' && $grant->mayBeThere($call->from - CLOCK_SLACK, $call->until))) !== [];
    }

    /** @return list<array{int, int, int}> as Lease::$told. Until its claim has arrived, what was passed on is safe for a window. */
    private function promises(NamedCall $call, int $next): array
    {
        $claimed = 0;
        foreach ($this->record->byName[$call->call] ?? [] as $grant) {
            $claimed = max($claimed, $grant->claimedAt());
        }
        if ($claimed <= $call->until) {
            return [[$call->until, $call->safe, $next]];
        }
        return [[$call->until, min($call->safe, $call->from + intdiv(WINDOW * 99, 100) - 2 * MS), $next], [$claimed, $call->safe, $next]];
    }

    /* It looked until its deadline, and the lock was passed to somebody all the time. */
    private function metAnUnclaimedBaton(NamedCall $call): bool
    {
        $last = $call->from + $call->wait + CALL_TIMEOUT - LOOKS_APART;
        return $last <= $call->until && $this->record->batons->meet($last, $call->until);
    }

    /* When another call may first have ended what this one said, or made it shorter. */
    private function mayEnd(NamedCall $call, array $calls): int
    {
        $first = PHP_INT_MAX;
        foreach ($calls as $other) {
            $ends = match ($other->operation) {
                'release', 'prolong' => true,
                'take', 'share', 'downgrade' => $other->said === null,
                default => false,
            };
            if ($ends && $other !== $call && $other->takesEffect >= $call->from) {
                $first = min($first, $other->from);
            }
        }
        return $first;
    }

    private function fenceIsTheNames(NamedCall $call): void
    {
        foreach ($this->record->byFence[$call->fence] ?? [] as $grant) {
            if ($grant->holder === $call->name && $grant->mayBeThere($call->from - CLOCK_SLACK, $call->until)) {
                return;
            }
        }
        if ($this->faults->stepped($call->from - 4 * S, $call->until) || $this->faults->forgot($call->from, $call->until)) {
            $this->excuse('look', 'its fence, when the server forgot, or its clock was set');
        } else {
            $this->violation('look', "worker-$call->worker:$call->line", "told the fence $call->fence, which was not the name's");
        }
    }

    /* Its name may have had it before. */
    private function isGrantedSince(NamedCall $call, int $since): bool
    {
        $after = array_map(fn (Grant $grant) => $grant->after, $this->record->byName[$call->call] ?? []);
        return $after !== [] && min($after) >= $since;
    }
}
