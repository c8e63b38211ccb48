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
     */
    private function nameHasIt(string $name, array $calls): void
    {
        $had = [$this->record->allOf($name), $this->record->allOf($name, true)];
        foreach ($calls as $call) {
            $this->namedCall($call, $had[(int) $call->isExclusive()], $had[0], $calls);
        }
    }

    /* Held against what the name had, and had in either kind. */
    private function namedCall(NamedCall $call, ?Grant $had, ?Grant $either, array $calls): void
    {
        $lease = new Lease($call->worker, $call->line, '', $call->from, $call->until);
        $lease->grant = $had;
        if ($call->said && !$this->wasJustReleased($call, $had, $calls)) {
            $this->lookIsTrue(true, $lease, $call->from, $call->until, $call->worker, $call->line);
        }
        if ($call->fence > 0) {
            $this->fenceIsTheNames($call);
        }
        if ($call->safe > 0) {
            $lease->grant = $either;
            $lease->told = [[$call->until, $call->safe, $this->mayEnd($call, $calls)]];
            $this->livesAsLongAsTold($lease);
        }
        if ($call->gaveUpEarly() && !$either?->mayBeThere($call->from - CLOCK_SLACK, $call->until)) {
            $this->violation('early', $call->where(), sprintf('gave up %.6f s before its time', ($call->wait - $call->until + $call->from) / S));
        }
        if ($call->delay > 0 && $call->said && !$this->isReleasedByTwo($call, $calls)) {
            $this->isUnavailable($call->until, $call->from + $call->delay, $call->worker, $call->line);
        }
        if ($call->said === false || ($call->said && $call->operation === 'release')) {
            $lease->grant = $had;
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

    /* When another call may first have ended what this one said, or made it shorter. */
    private function mayEnd(NamedCall $call, array $calls): int
    {
        $first = PHP_INT_MAX;
        foreach ($calls as $other) {
            $ends = match ($other->operation) {
                'release', 'prolong' => true,
                'take', 'downgrade' => $other->said === null,
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
            $later = array_filter($grant->fences, fn (int $other) => $other > $call->fence, ARRAY_FILTER_USE_KEY);
            $risen = $later === [] ? PHP_INT_MAX : min(array_column($later, 1));
            if ($grant->holder === $call->name && $risen >= $call->from && $grant->mayBeThere($call->from - CLOCK_SLACK, $call->until)) {
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
