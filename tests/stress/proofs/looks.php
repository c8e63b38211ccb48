<?php
/*
 * What calls that only look say: `isLocking`, `ttl`, `holder` and the like, and an `adopt` that is refused.
 */

trait Looks
{
    /* What isLocking(), ttl() and prolongate() say. */
    private function lookIsTrue(bool $said, Lease $lease, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('look: judged');
        $wrong = match (true) {
            $lease->grant === null => $said ? 'said to be ours, but no server is known to have granted it' : null,
            $said => $lease->grant->mayBeThere($from - CLOCK_SLACK, $until) ? null : 'said to be ours, but no server had it',
            default => $lease->grant->isThere($from, $until, CLOCK_SLACK) ? 'said not to be ours, but the servers had it all the time' : null,
        };
        $wrong === null || $this->wrongLook($said, $lease->from, $from, $until, "worker-$worker:$line", $wrong);
    }

    private function wrongLook(bool $said, int $since, int $from, int $until, string $where, string $wrong): void
    {
        if ($this->faults->stepped($since - 4 * S, $until)) {
            $this->excuse('look', "the server's clock was set");
        } elseif ($this->faults->forgot($since, $until)) {
            $this->excuse('look', 'the server forgot');
        } elseif (!$said && $this->majority && $this->faults->onTheWay->meet($from - S, $until)) {
            $this->excuse('look', 'a server that has it could not be asked');
        } else {
            $this->violation('look', $where, $wrong);
        }
    }

    /* What holder() says: somebody has it, or nobody. A baton is nobody's. */
    private function holderIsTrue(bool $said, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('look: judged');
        if ($said ? !$this->record->taken->meet($from - CLOCK_SLACK, $until) : $this->isHeldThroughout($this->near($from), $from, $until)) {
            $this->wrongLook($said, $from - LASTS, $from, $until, "worker-$worker:$line",
                $said ? 'said to be held, but no server had it' : 'said to be held by nobody, but the servers had it all the time');
        }
    }

    /* A token that adopt() refused does not hold the lock. */
    private function tokenIsOld(string $random, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('look: judged');
        if ($this->isHeldThroughout($this->record->byRandom[$random] ?? [], $from, $until)) {
            $this->wrongLook(false, $from - LASTS, $from, $until, "worker-$worker:$line", 'its token was refused, but the servers had it all the time');
        }
    }

    /** @return list<Grant> those that may be there at that moment, the latest ones */
    private function near(int $moment): array
    {
        $end = first_after($this->moments, $moment);
        $begin = first_after($this->moments, $moment - LASTS);
        return array_slice($this->grants, $begin, $end - $begin);
    }
}
