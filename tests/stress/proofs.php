<?php
/*
 * Holds what the workers were told of one lock against what the servers did, promise by promise.
 *
 * A write of a server is known between two times, and a call began and ended at two. Whatever may have been so is not held
 * against the library: each violation here is one however fast or slow anything was.
 */

require_once __DIR__ . '/history.php';

/*
 * One call's whole deadline, as deployments.php sets it; what leaving the queue, and undoing, adds to a wait whose server is
 * away just when it ends; and what a busy machine adds besides what it is known to have added.
 */
const CALL_TIMEOUT = 300 * MS;
const WAIT_END = 300 * MS;
const CALL_SLACK = 250 * MS;
/*
 * For how long nobody has a free lock that somebody waits for: if nothing went wrong, since a baton is lost with a waiter
 * that leaves just when it comes; and for each thing that did.
 */
const STALL = 1300 * MS;
const STALL_EACH = 1300 * MS;
/* A release that got no answer is sent again at the object's next call; and what is on its way arrives so late. */
const LATE_RELEASE = 5 * S;
/* For how long a lease is there at most, if the clock is set back meanwhile. */
const LASTS = 8 * S;
/* Who came so much earlier was surely first in the queue. */
const QUEUED = 100 * MS;
/* For how long a baton is the waiter's that got it, and how far apart looks are at most that wait until it is claimed. */
const WINDOW = S;
const LOOKS_APART = 100 * MS;
/* So long after a fault, or a lease that ran out, all is as ever. */
const SETTLED = 300 * MS;
/* What a server still has for so long after it was released was not released. */
const KEPT = 50 * MS;

final class Proof
{
    /** @var list<Grant> in their order */
    private array $grants;
    /** @var list<int> */
    private array $moments;

    public function __construct(private Report $report, private FaultLog $faults, private string $name,
        private LockHistory $history, private LockRecord $record, private bool $majority)
    {
        $this->grants = array_values(array_filter($record->grants, fn (Grant $grant) => $grant->after < PHP_INT_MAX));
        usort($this->grants, fn (Grant $a, Grant $b) => [$a->before, $a->written] <=> [$b->before, $b->written]);
        $this->moments = array_map(fn (Grant $grant) => $grant->before, $this->grants);
    }

    public function run(): void
    {
        array_map($this->findGrant(...), $this->history->leases);
        $places = [];
        foreach ($this->grants as $place => $grant) {
            $places[spl_object_id($grant)] = $place;
        }
        foreach ($this->history->leases as $lease) {
            $lease->place = $lease->grant === null ? null : $places[spl_object_id($lease->grant)] ?? null;
        }
        foreach ($this->history->leases as $lease) {
            $this->wasGranted($lease);
            $this->isAlone($lease);
            $this->livesAsLongAsTold($lease);
        }
        $this->fencesRise();
        $this->noFenceTwice();
        foreach ($this->history->verdicts as $verdict) {
            $this->verdictIsTrue(...$verdict);
        }
        array_map(fn (array $look) => $this->lookIsTrue(...$look), $this->history->looks);
        array_map(fn (array $holder) => $this->holderIsTrue(...$holder), $this->history->holders);
        array_map(fn (array $refusal) => $this->tokenIsOld(...$refusal), $this->history->refusedAdoptions);
        array_map(fn (array $release) => $this->isReleased(...$release), $this->history->releases);
        array_map(fn (array $break) => $this->isBroken(...$break), $this->history->broken);
        array_map(fn (array $take) => $this->isUndone(...$take), $this->history->undone);
        array_map(fn (array $cooldown) => $this->isUnavailable(...$cooldown), $this->history->cooldowns);
        foreach ($this->history->named as $name => $calls) {
            $this->nameHasIt((string) $name, $calls);
        }
        array_map(fn (array $busy) => $this->wasBusy(...$busy), $this->history->busy);
        array_map(fn (array $refusal) => $this->wasNotAlone(...$refusal), $this->history->refusals);
        if ($this->history->limit > 0) {
            array_map(fn (array $entry) => $this->limitIsKept(...$entry), $this->record->entries);
            array_map(fn (array $crowd) => $this->crowdIsSmall(...$crowd), $this->history->crowds);
        }
        $this->nobodyStalls();
        $this->firstComeFirstServed();
        $this->countContended();
    }

    private function violation(string $kind, string $where, string $text): void
    {
        $this->report->violation($kind, $where, "$this->name: $text");
    }

    /* By its token, if the owner told it; else by the name of the call; else, if its claim never arrived, by its fence. */
    private function findGrant(Lease $lease): void
    {
        $found = $this->record->byRandom[$lease->random] ?? [];
        if ($lease->random === '') {
            $found = array_filter($this->record->byName[$lease->name] ?? [], fn (Grant $grant) => $grant->adoptions === 0);
        } elseif ($found === [] && $lease->fence > 0) {
            $found = array_filter($this->record->byFence[$lease->fence] ?? [], fn (Grant $grant) => $grant->random === '');
        }
        foreach ($found as $grant) {
            if ([$grant->shared, $grant->converted] === [$lease->shared, $lease->converted] && $grant->after <= $lease->until && $grant->after >= ($lease->grant?->after ?? 0) && ($lease->fence === 0 || $lease->fence === $grant->fence)) {
                $lease->grant = $grant;
            }
        }
        if ($lease->grant !== null) {
            $lease->grant->before = $this->majority ? $lease->grant->before : min($lease->grant->before, $lease->until);
        }
    }

    /* `true` from a getLock is what a server has said. */
    private function wasGranted(Lease $lease): void
    {
        if ($lease->grant !== null) {
            $this->report->count('granted: as the servers say');
        } elseif ($lease->random === '' && $this->claimWasStruck($lease->from, $lease->until)) {
            $this->excuse('granted', 'its claim was lost on the way');
        } elseif ($this->faults->forgot($lease->from, $lease->until)) {
            $this->excuse('granted', 'the server forgot');
        } elseif ($lease->random === '' && isset($this->faults->killed[$lease->worker])) {
            $this->excuse('granted', 'killed before its claim was sent');
        } elseif ($this->faults->is('forward', $lease->from, $lease->until)) {
            $this->excuse('granted', "the server's clock was set forward meanwhile"); /* so that it was over at once */
        } else {
            $this->violation('granted', $lease->where(), "no server granted it (token $lease->random, fence $lease->fence, name $lease->name)");
        }
    }

    private function claimWasStruck(int $from, int $until): bool
    {
        return $this->faults->onTheWay->meet($from - S, $until + 2 * S);
    }

    private function excuse(string $what, string $why): void
    {
        $this->report->count("excused: $what, $why");
    }

    /*
     * The next grant to anybody else, of which a share is none beside a share; or to another client of ours, since a foreign one raises no fence: it may have had the lock in
     * a gap, after which that was set again. On a majority there is no one order, but somebody else surely had it after this one was told.
     */
    private function next(Lease $lease, bool $ours = false): ?Grant
    {
        $place = match (true) {
            $lease->place === null => count($this->grants),
            $this->majority => first_after($this->moments, $lease->until),
            default => $lease->place + 1,
        };
        for (; $place < count($this->grants); $place++) {
            $next = $this->grants[$place];
            if ($next->isForeign && ($ours || $next->written < $lease->grant->setAgain())) {
                continue;
            }
            if ($next->shared && $lease->shared) {
                continue;
            }
            if ($next->random === '' || $next->random !== $lease->grant->random) {
                return $next->before < PHP_INT_MAX ? $next : null;
            }
        }
        return null;
    }

    /* Something done on purpose, since its beginning or since that moment, that ends a lease before its time; or a server that lost it, or a clock that ended it. */
    private function endedEarly(Lease $lease, int $until, ?int $purposely = null): ?string
    {
        $from = $lease->from;
        $purposely ??= $from;
        return match (true) {
            $this->faults->forgot($from, $until) => 'the server forgot', /* which explains the most */
            $this->history->isBroken($lease->grant?->fence ?? 0, $purposely, $until) => 'broken',
            $this->history->adoptions->meet($purposely, $until) => 'adopted',
            $this->faults->is('forward', $from - 4 * S, $until) => "the server's clock was set forward",
            default => null,
        };
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

    private function shortened(Lease $lease, int $told, int $safe, int $until, int $when): void
    {
        $early = $this->endedEarly($lease, max($when, $told));
        if ($early === null && $this->faults->stepped($lease->from - 4 * S, $when)) {
            $early = "the server's clock was set";
        }
        if ($early === null && $until === 0 && $this->faults->is('move', $when - S, $when + S)) {
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
                $this->faults->forgot($since[$before - 1] - 4 * S, $lease->until) && $this->faults->is('back', 0, $lease->until)
                    ? $this->excuse('fence', 'the server forgot, and its clock was set back')
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

    private function verdictIsTrue(string $verdict, Lease $lease, int $from, int $until, int $late, int $worker, int $line, bool $unread, int $safe): void
    {
        $this->report->count("verdict: $verdict");
        $where = "worker-$worker:$line";
        $next = $this->next($lease);
        if ($lease->grant === null) {
            $this->excuse('verdict', 'no server is known to have granted it');
            return;
        }
        $until < $lease->renewedUntil && $this->isRenewed($verdict, $lease, $until, $where);
        match ($verdict) {
            'Lost' => $this->lostIsLost($lease, $next, $from, $until, $late, $where, $unread),
            'true' => $this->trueIsTrue($lease, $next, $from, $until, $where),
            default => $this->lateIsLate($lease, $this->next($lease, true), $from, $until, $safe, $where),
        };
    }

    /* In time: the server still had it when the call began. */
    private function trueIsTrue(Lease $lease, ?Grant $next, int $from, int $until, string $where): void
    {
        $early = $this->endedEarly($lease, $until, $from);
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

    private function lostIsLost(Lease $lease, ?Grant $next, int $from, int $until, int $late, string $where, bool $unread): void
    {
        $early = $this->endedEarly($lease, $until);
        $reason = match (true) {
            $early !== null => $early,
            $late > 0 && $next !== null && $next->after <= $until => 'another was granted it',
            /* What a late share is judged by begins anew behind one that is broken. */
            $late > 0 && $lease->shared && $this->history->isBroken(0, $lease->from, $until) => 'another share was broken',
            $late > 0 && $lease->shared && $lease->beginsAnew && $this->isClosedToShares($from, $until) => 'its place was gone',
            $late > 0 && $this->majority && $this->another($lease, $until) => 'another had it on some servers',
            default => null,
        };
        if ($reason !== null) {
            $this->report->count("Lost: $reason");
        } elseif ($this->faults->stepped($lease->from - 4 * S, $until)) {
            $this->excuse('Lost', "the server's clock was set");
        } elseif ($unread) {
            $this->excuse('Lost', 'nobody saw whether the answer came in time');
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
        return array_filter($this->record->grants, fn (Grant $grant) => $grant !== $lease->grant && $grant->mayBeAnywhere($lease->until, $until)) !== [];
    }

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

    /* What holder() says: somebody has it, or nobody. A baton that nobody took from the list yet is nobody's. */
    private function holderIsTrue(bool $said, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('look: judged');
        if ($said ? !$this->record->taken->meet($from - CLOCK_SLACK, $until) : $this->isHeldThroughout($this->claimedNear($from), $from, $until)) {
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

    /** @param list<Grant> $grants */
    private function isHeldThroughout(array $grants, int $from, int $until): bool
    {
        return array_filter($grants, fn (Grant $grant) => $grant->isThere($from, $until, CLOCK_SLACK)) !== [];
    }

    /** @return list<Grant> those that may be there at that moment, the latest ones, without the time before they were claimed */
    private function claimedNear(int $moment): array
    {
        $end = first_after($this->moments, $moment);
        $begin = first_after($this->moments, $moment - LASTS);
        return array_map(fn (Grant $grant) => $grant->knownSince(PHP_INT_MAX), array_slice($this->grants, $begin, $end - $begin));
    }

    /* What was released is not on the servers any more. */
    private function isReleased(Lease $lease, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('kept: judged');
        $lease->grant === null || $this->isGone([$lease->grant], $from, $until, "worker-$worker:$line", 'it was released');
    }

    /* Nor what was broken. */
    private function isBroken(int $fence, int $from, int $until, int $worker, int $line): void
    {
        $this->report->count('kept: judged');
        $this->isGone($this->record->byFence[$fence] ?? [], $from, $until, "worker-$worker:$line", 'it was broken');
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
    private function isUndone(string $call, int $since, int $from, int $until, int $worker, int $line): void
    {
        $taken = $this->record->byName[$call] ?? [];
        if ($taken === []) {
            return;
        }
        $this->report->count('undone: judged');
        if (array_filter($taken, fn (Grant $grant) => $grant->isThere($until, $until + KEPT) || $grant->beginsAfter($until)) === []) {
            return;
        }
        if ($this->faults->onTheWay->meet($from, $until)) {
            $this->excuse('undone', 'what undoes it may be sent again');
        } elseif ($this->faults->stepped($since - 4 * S, $until + LASTS) || $this->faults->forgot($since, $until + LASTS)) {
            $this->excuse('undone', 'the server forgot, or its clock was set');
        } else {
            $this->violation('undone', "worker-$worker:$line", "what call $call took without an answer was not given back");
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

    /* A getLock that was false met somebody who had it, or to whom it was being passed. */
    private function wasBusy(int $from, int $until, int $wait, int $policy, int $worker, int $line, bool $share, string $call): void
    {
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

    /* On how many nodes it was granted to the very call that was refused. */
    private function ownTenures(string $call, int $from, int $until): int
    {
        $own = array_filter($this->record->byName[$call] ?? [], fn (Grant $grant) => $grant->mayBeAnywhere($from, $until));
        return array_sum(array_map(fn (Grant $grant) => count($grant->changes), $own));
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
                $this->stalled($began, $ended, "worker-$worker:$line");
            }
        }
    }

    private function stalled(int $began, int $ended, string $where): void
    {
        $wrong = $this->faults->howMany(['kill', 'stop', 'hold', 'late', 'lose', 'cut', 'drop', 'flush', 'stall'], $began - S, $ended);
        $halted = $this->faults->is(['mute', 'outage', 'link', 'full', 'pause', 'freeze', 'restart', 'forget', 'move', 'failover', 'forward'], $began - S, $ended)
            || $this->faults->is('back', $began - 6 * S, $ended); /* what was passed on before lives longer then */
        $length = $ended - $began;
        $this->report->count($wrong === 0 && !$halted ? 'stall: undisturbed and over ' . STALL / MS . ' ms' : 'stall: a lost baton, or a server that was away');
        if (!$halted && $length > STALL + $wrong * STALL_EACH) {
            $this->violation('stall', $where, sprintf('nobody had it for %.3f s while this one waited, and %d things went wrong', $length / S, $wrong));
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
        return $disorder;
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

    /* A section is contended if another call for the lock was under way between its own request and its end. */
    private function countContended(): void
    {
        $calls = new Intervals;
        foreach ($this->history->waits as [$from, $until]) {
            $calls->add($from, $until);
        }
        foreach ($this->history->leases as $lease) {
            $this->report->count('contended', $calls->count($lease->from, max($lease->until, $lease->asked, $lease->believed)) > 1 ? 1 : 0);
        }
    }
}
