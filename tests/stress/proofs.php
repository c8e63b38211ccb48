<?php
/*
 * Compares what the workers were told of one lock with what the servers did, promise by promise: the promises are in
 * proofs/, and what they have in common is here.
 *
 * A write of a server is known between two times, and a call began and ended at two. Whatever may have been so is not held
 * against the library: each violation here is one however fast or slow anything was.
 */

require_once __DIR__ . '/history.php';
array_map(fn (string $path) => require_once $path, glob(__DIR__ . '/proofs/*.php'));

/*
 * One call's whole deadline, as deployments.php sets it; what leaving the queue, and undoing, adds to a wait whose server is
 * away just when it ends; what asking for the verdict, and undoing, adds to a call that an interrupt ends; and what a busy
 * machine adds besides what it is known to have added.
 */
const CALL_TIMEOUT = 300 * MS;
const WAIT_END = 300 * MS;
const INTERRUPT = 400 * MS;
const CALL_SLACK = 100 * MS;
/*
 * For how long nobody has a free lock that somebody waits for who was not told: a waiter asks 1 s after it has parked, and
 * then each time after as long as it has been parked, but every 8 s at least; and how much longer for each thing that went wrong.
 */
const STALL = 1300 * MS;
const STALL_SLACK = 300 * MS;
const STALL_MOST = 8300 * MS;
const STALL_EACH = 1300 * MS;
/* For how long nobody has a lock that was given back while somebody waits for it, and nothing went wrong. */
const WAKE = 100 * MS;
/* A release that got no answer is sent again at the object's next call; and what is on its way arrives so late. */
const LATE_RELEASE = 5 * S;
/* For how long a lease is there at most, if the clock is set back meanwhile. */
const LASTS = 8 * S;
/* Who came so much earlier was surely first in the queue. */
const QUEUED = 100 * MS;
/* For how long a baton is kept for the waiter that it is passed to. */
const WINDOW = S;
/*
 * So long after its call has returned, a copy of a request that takes a lock may still do so: until the call's deadline, by
 * what its sender knows of the server's clock, which may be ahead by as long as that took.
 */
const LATE_COPY = 2 * CALL_TIMEOUT;
/* So long after a fault, or a lease that ran out, all is as ever. */
const SETTLED = 300 * MS;
/* What a server still has for so long after it was released was not released. */
const KEPT = 50 * MS;

final class Proof
{
    use Holding, Verdicts, Looks, Remains, Names, Queue;

    /** @var list<Grant> in their order */
    private array $grants;
    /** @var list<int> */
    private array $moments;
    /** @var array<int, true> by their ids */
    private array $untold = [];

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
        $this->findUntold();
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
        array_map(fn (array $fall) => $this->violation('fence', "at $fall[0]", "it fell from $fall[1] to $fall[2]"), $this->record->falls);
        foreach ($this->history->verdicts as $verdict) {
            $this->verdictIsTrue(...$verdict);
        }
        array_map(fn (array $look) => $this->lookIsTrue(...$look), $this->history->looks);
        array_map(fn (array $holder) => $this->holderIsTrue(...$holder), $this->history->holders);
        array_map(fn (array $handed) => $this->lastsUntilAdopted(...$handed), $this->history->handedOver);
        array_map(fn (array $refusal) => $this->keepsNothing(...$refusal), $this->history->refusedTogether);
        array_map(fn (array $key) => $this->violation('left', "at $key[0]", "its $key[1] has no end"), $this->record->endless);
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
        $this->releasesWake();
        $this->firstComeFirstServed();
        $this->countContended();
    }

    private function violation(string $kind, string $where, string $text): void
    {
        $this->report->violation($kind, $where, "$this->name: $text");
    }

    /* By its token, if the owner told it; else by the name of the call. */
    private function findGrant(Lease $lease): void
    {
        $found = $this->record->byRandom[$lease->random] ?? [];
        if ($lease->random === '') {
            $found = array_filter($this->record->byName[$lease->name] ?? [], fn (Grant $grant) => $grant->former === '');
        }
        if ($lease->random === '' && count($found) > 1) { /* the last of several tries */
            $found = array_filter($found, fn (Grant $grant) => $grant->mayBeThere($lease->until - CLOCK_SLACK, $lease->until)) ?: $found;
        }
        $fence = $lease->fences[0][2] ?? 0;
        foreach ($found as $grant) {
            if ([$grant->shared, $grant->converted] === [$lease->shared, $lease->converted] && $grant->after <= $lease->until
                && $grant->after >= ($lease->grant?->after ?? 0) && ($fence === 0 || $this->majority || isset($grant->fences[$fence]))) {
                $lease->grant = $grant;
            }
        }
        if ($lease->grant !== null) {
            $lease->grant->before = $this->majority ? $lease->grant->before : min($lease->grant->before, $lease->until);
        }
    }

    /*
     * Where a grant counts only once a replica has acknowledged it, a master that was replaced without its knowledge still
     * writes some that no replica has. Nobody has the lock by those, unless a call was told so, or a name may have been.
     */
    private function findUntold(): void
    {
        foreach ($this->faults->acknowledged ? $this->grants : [] as $grant) {
            if (count($grant->changes) === 1 && $grant->holder === '') {
                $this->untold[spl_object_id($grant)] = true;
            }
        }
        foreach ($this->history->leases as $lease) {
            unset($this->untold[$lease->grant === null ? 0 : spl_object_id($lease->grant)]);
        }
    }

    private function excuse(string $what, string $why): void
    {
        $this->report->count("excused: $what, $why");
    }

    /*
     * The next grant to anybody else, of which a share is none beside a share, and one that nobody was told only if asked for; or to another client of ours, since a foreign one raises no fence: it may have had the lock in
     * a gap, after which that was set again. On a majority there is no one order, but somebody else surely had it after this one was told.
     */
    private function next(Lease $lease, bool $ours = false, bool $untold = false): ?Grant
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
            if (($next->shared && $lease->shared) || (!$untold && isset($this->untold[spl_object_id($next)]))) {
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
            $this->history->isBroken(array_keys($lease->grant?->fences ?? []), $purposely, $until) => 'broken',
            $this->history->adoptions->meet($purposely, $until) || $this->isAdoptedInPart($lease, $purposely, $until) => 'adopted',
            $this->faults->is('forward', $from - 4 * S, $until) => "the server's clock was set forward",
            default => null,
        };
    }

    /* An adoption that met a release took it over on some nodes, and was refused by the others. */
    private function isAdoptedInPart(Lease $lease, int $since, int $until): bool
    {
        $random = $lease->grant?->random ?? '';
        return $this->majority && $random !== ''
            && array_filter($this->history->refusedAdoptions, fn (array $adoption) => $adoption[0] === $random && $adoption[1] <= $until && $adoption[2] >= $since) !== []
            && array_filter($this->record->grants, fn (Grant $grant) => $grant->former === $random) !== [];
    }

    /** @param list<Grant> $grants */
    private function isHeldThroughout(array $grants, int $from, int $until): bool
    {
        return array_filter($grants, fn (Grant $grant) => $grant->isThere($from, $until, CLOCK_SLACK)) !== [];
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
