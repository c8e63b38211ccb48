<?php
/*
 * Holds the histories of a stress run against the promises: check.php FOLDER
 *
 * stress.php and worker.php say what is in FOLDER. The checker believes nobody: it puts together
 * from all histories who was granted which lock when, and then proves, lock by lock:
 *
 *   overlap    no two safe leases overlap. One is safe from when its taker was told so until it
 *              began to give it back, or until the deadline that lease() told
 *   fence      fences rise in the order of the grants, and each lies within the call that got it
 *   true       `true` from a release, prolongate() or check(): nobody was granted it before
 *   Timeout    nobody was granted it until the verdict, and the deadline had passed
 *   Lost       another was granted it; or a killed or failed call may have been; or the call's own
 *              connection was cut, so that it cannot be told. Within the lease: only breakLock()
 *   busy       a getLock that was false met somebody who had the lock, or a call may have had it
 *   wait       no call lasted (much) longer than it asked for
 *   failure    exceptions for connection or server have a cause in the chaos log
 *   state      what is held, and how deep, is what the calls before make of it
 *   process    nobody crashed, hung, or ended in the midst of a call
 *   left       in the end nothing but fences, which expire, is left on the server
 *
 * A violation names its kind, the history and the line. Exit status 1 if there is any.
 *
 * A grant's moment is known by its fence, which is the server's clock when it was granted: the
 * chaos log ties that to the monotonic clock. What is known by evidence of the histories, and
 * what is excused by faults alone, is counted apart.
 */

const MS = 1_000_000;
const S = 1_000_000_000;

/* How far a fence's moment and the monotonic clock may be apart. */
const CLOCK_SLACK = 1 * MS;
/* How late a server may find out that a lease has ended. */
const EXPIRY_SLACK = 20 * MS;
/* One call's whole deadline, the contract's `timeout`, and what a busy machine adds. */
const TIMEOUT = 1 * S;
const DELAY = 2 * S;
/* For how long a baton keeps a lock busy when its waiter is gone. */
const WINDOW = 1 * S;
const FENCE_KEPT = 3600_000;
const LONGEST_LEASE = 3_000;

/* ------------------------------------------------------------------ the findings */

final class Report
{
    /** @var array<string, int> */
    public array $counts = [];
    /** @var array<string, int> */
    private array $shown = [];
    public int $violations = 0;

    public function count(string $what, int $by = 1): void
    {
        $this->counts[$what] = ($this->counts[$what] ?? 0) + $by;
    }

    /* The first few of each kind in full. */
    public function violation(string $kind, string $where, string $text): void
    {
        $this->violations++;
        $this->shown[$kind] = ($this->shown[$kind] ?? 0) + 1;
        if ($this->shown[$kind] <= 5) {
            echo "VIOLATION $kind $where: $text\n";
        }
    }

    public function violationsByKind(): array
    {
        return $this->shown;
    }
}

/* ------------------------------------------------------------------ what was done to them */

/* Intervals that are asked whether one of them meets another. */
final class Intervals
{
    /** @var list<int> */
    private array $from = [], $until = [], $latest = [];
    private bool $sorted = true;

    public function add(int $from, int $until): void
    {
        $this->from[] = $from;
        $this->until[] = $until;
        $this->sorted = false;
    }

    private function sort(): void
    {
        array_multisort($this->from, $this->until);
        $latest = PHP_INT_MIN;
        $this->latest = [];
        foreach ($this->until as $until) {
            $this->latest[] = $latest = max($latest, $until);
        }
        $this->sorted = true;
    }

    public function meet(int $from, int $until): bool
    {
        $this->sorted || $this->sort();
        $before = first_after($this->from, $until);
        return $before > 0 && $this->latest[$before - 1] >= $from;
    }

    /* The beginning of the earliest one that meets it. */
    public function firstWithin(int $from, int $until): ?int
    {
        $this->sorted || $this->sort();
        $i = first_after($this->latest, $from - 1);
        return $i < count($this->from) && $this->from[$i] <= $until ? $this->from[$i] : null;
    }

    public function overlap(int $from, int $until): int
    {
        $this->sorted || $this->sort();
        $sum = 0;
        for ($i = first_after($this->latest, $from); $i < count($this->from) && $this->from[$i] < $until; $i++) {
            $sum += max(0, min($until, $this->until[$i]) - max($from, $this->from[$i]));
        }
        return $sum;
    }
}

/* The index of the first element greater than the value. */
function first_after(array $sorted, int $value): int
{
    $low = 0;
    $high = count($sorted);
    while ($low < $high) {
        $middle = ($low + $high) >> 1;
        if ($sorted[$middle] <= $value) {
            $low = $middle + 1;
        } else {
            $high = $middle;
        }
    }
    return $low;
}

final class Chaos
{
    public Intervals $cuts, $restarts, $pauses, $stalls;
    /** @var array<int, int> worker => when it was certainly dead */
    public array $killed = [];
    /** @var array<int, Intervals> */
    private array $stops = [];
    /** @var array<int, string> */
    public array $ends = [];
    /** @var list<int> */
    private array $wall = [], $offset = [];
    public int $from = PHP_INT_MAX, $until = 0;

    public function __construct(string $folder, Report $report)
    {
        [$this->cuts, $this->restarts, $this->pauses, $this->stalls]
            = [new Intervals, new Intervals, new Intervals, new Intervals];
        $stopped = [];
        foreach (file("$folder/chaos", FILE_IGNORE_NEW_LINES) as $number => $line) {
            $words = explode(' ', $line);
            [$from, $until, $what, $worker] = [(int) $words[0], (int) $words[1], $words[2], (int) $words[3]];
            $this->from = min($this->from, $from);
            $this->until = max($this->until, $until);
            switch ($what) {
                case 'kill':
                    $this->killed[$worker] = $until;
                    break;
                case 'stop':
                    $stopped[$worker] = $from;
                    break;
                case 'continue':
                    ($this->stops[$worker] ??= new Intervals)->add($stopped[$worker], $until);
                    break;
                case 'cut':
                    $this->cuts->add($from, $until);
                    break;
                case 'restart':
                case 'move':
                case 'failover':
                    $this->restarts->add($from, $until);
                    break;
                case 'pause':
                    $this->pauses->add($from, $until);
                    break;
                case 'stall':
                    $this->stalls->add($from, $until);
                    break;
                case 'end':
                    $this->ends[$worker] = $words[4];
                    if ($words[4] !== '0') {
                        $report->violation('process', 'chaos:' . $number + 1, "worker $worker ended with $words[4]");
                    }
                    break;
                case 'hung':
                    $report->violation('process', 'chaos:' . $number + 1, "worker $worker did not end");
                    break;
                case 'clock':
                    $this->wall[] = (int) $words[4];
                    $this->offset[] = (int) $words[4] * 1000 - $from;
                    break;
            }
            if ($what !== 'clock' && $what !== 'continue') {
                $report->count("fault: $what");
            }
        }
    }

    public function stopped(int $worker, int $from, int $until): int
    {
        return isset($this->stops[$worker]) ? $this->stops[$worker]->overlap($from, $until) : 0;
    }

    /* A connection may have been lost there. */
    public function cutOff(int $from, int $until): bool
    {
        return $this->cuts->meet($from, $until) || $this->restarts->meet($from, $until);
    }

    /* For how long nothing went on at the server, or on the machine. */
    public function halted(int $from, int $until): int
    {
        return $this->pauses->overlap($from, $until) + $this->stalls->overlap($from, $until);
    }

    public function disturbed(int $from, int $until): bool
    {
        return $this->cutOff($from, $until) || $this->pauses->meet($from, $until);
    }

    /* When a fence was given. */
    public function moment(int $fence): int
    {
        $i = max(0, first_after($this->wall, $fence) - 1);
        return $fence * 1000 - $this->offset[$i];
    }
}

/* ------------------------------------------------------------------ one lock's history */

final class Lock
{
    /* Grants, column by column. A column per fact: an array per grant would be ten times the memory. */
    /** @var list<int> */
    public array $asked = [], $granted = [], $fence = [], $safe = [], $ended = [], $line = [], $worker = [];
    /** @var list<bool> taken over, with its fence, not granted anew */
    public array $adopted = [];
    /** @var list<int> before this moment nobody else had been granted it: moment, fence, asked the server, worker, line */
    public array $alone = [];
    /** @var list<array> */
    public array $lost = [];
    /** @var list<array> */
    public array $busy = [];
    /** calls that may have got it without knowing, and for how long they may have had it */
    public Intervals $ghosts, $breaks, $mayHold;
    /** @var list<int> */
    public array $callFrom = [], $callUntil = [];

    public function __construct(public readonly string $name)
    {
        [$this->ghosts, $this->breaks, $this->mayHold] = [new Intervals, new Intervals, new Intervals];
    }
}

/* ------------------------------------------------------------------ reading */

/* What one owner object has, as its calls tell. */
final class Held
{
    public int $depth = 1;
    /* When its release went out that nobody waited for. */
    public int $sent = 0;

    /* `expiry`: when the server lets it go at the latest. */
    public function __construct(public Lock $lock, public int $index, public int $fence, public int $expiry)
    {
    }
}

final class Histories
{
    /** @var array<string, Lock> */
    public array $locks = [];
    /** @var list<int> how much longer than asked the undisturbed waits lasted, in ns */
    public array $overruns = [];
    /** @var array{int, string} the one that lasted longest */
    public array $longest = [0, 'none'];
    private int $worker, $number;
    /** @var array<int, array<string, Held>> */
    private array $held;
    /** @var array<int, array<string, list<Held>>> released without waiting for the answer */
    private array $unconfirmed;

    public function __construct(private Report $report, private Chaos $chaos)
    {
    }

    private function lock(string $key): Lock
    {
        return $this->locks[$key] ??= new Lock($key);
    }

    private function violation(string $kind, string $text): void
    {
        $this->report->violation($kind, "worker-$this->worker:$this->number", $text);
    }

    public function read(string $path, int $worker): void
    {
        [$this->worker, $this->number] = [$worker, 0];
        $this->held = $this->unconfirmed = [[], []];
        $call = null;
        $last = 0;
        $file = fopen($path, 'r');
        while (($line = fgets($file)) !== false) {
            $this->number++;
            $words = explode(' ', rtrim($line, "\n"));
            $torn = !str_ends_with($line, "\n");
            if ($torn) {
                if (!isset($this->chaos->killed[$worker])) {
                    $this->violation('process', 'a torn line, but nobody killed it');
                }
                break;
            }
            $time = (int) $words[1];
            if ($time < $last) {
                $this->violation('state', 'time goes backwards');
            }
            $last = $time;
            if ($words[0] === 'B') {
                $call = $words;
            } elseif ($words[0] === 'V') {
                $this->verdictOnEarlier((int) $words[2], $words[3], $time);
            } elseif ($call === null) {
                $this->violation('state', 'an end without a beginning');
            } else {
                $this->call($call, $words);
                $call = null;
            }
        }
        if ($call !== null) {
            $this->unfinished($call);
        } elseif (!isset($this->chaos->killed[$worker]) && ($this->held[0] || $this->held[1])) {
            $this->violation('state', 'ended with locks that it had not given back');
        }
    }

    /* The last call of a killed worker: it may have been done, or not. */
    private function unfinished(array $call): void
    {
        $from = (int) $call[1];
        if ($call[3] === 'quit') {
            foreach ($this->held as $held) {
                foreach ($held as $lease) {
                    $this->endLease($lease, $from, $from + S);
                }
            }
            return;
        }
        if (!isset($this->chaos->killed[$this->worker])) {
            $this->violation('process', "ended in the midst of $call[3]");
        }
        /* What it had sent, the server does also after its death. */
        $until = ($this->chaos->killed[$this->worker] ?? $from) + S;
        foreach (explode(',', $call[4]) as $key) {
            $lock = $this->lock($key);
            $lease = $this->held[(int) $call[2]][$key] ?? null;
            if ($lease !== null) {
                $this->cutSafe($lease, $from);
                if ($call[3] === 'prolong' || $call[3] === 'take') {
                    $lease->expiry = max($lease->expiry, $until + LONGEST_LEASE * MS);
                    $lock->ended[$lease->index] = $lease->expiry;
                }
            }
            match ($call[3]) {
                'take', 'adopt' => $this->ghost($lock, $from, $until),
                'break' => $lock->breaks->add($from, $until),
                default => null,
            };
        }
    }

    /* A call that may have taken the lock without anybody knowing. */
    private function ghost(Lock $lock, int $from, int $until): void
    {
        $lock->ghosts->add($from, $until);
        $lock->mayHold->add($from, $until + LONGEST_LEASE * MS);
        $lock->callFrom[] = $from;
        $lock->callUntil[] = $until;
    }

    private function cutSafe(Held $lease, int $moment): void
    {
        $safe = &$lease->lock->safe[$lease->index];
        $safe = min($safe, $moment);
    }

    private function endLease(Held $lease, int $safe, int $ended): void
    {
        $this->cutSafe($lease, $safe);
        $lease->lock->ended[$lease->index] = $ended;
    }

    private function call(array $call, array $end): void
    {
        [$from, $owner, $operation, $until] = [(int) $call[1], (int) $call[2], $call[3], (int) $end[1]];
        $result = explode('@', $end[2]);
        $keys = $call[4] === '-' ? [] : explode(',', $call[4]);
        $this->report->count("$operation: $result[0]");
        $this->duration($call, $result[0], $from, $until, $operation === 'take' ? (int) ((float) $call[5] * MS) : 0);
        $this->failure($result[0], $operation, $from, $until);
        if ($result[0] === 'TooLate' && $until < $this->endOfLease($call, $from) - 10 * MS) {
            $this->violation('failure', 'said that the lease had run out when the answer came, but it had not');
        }
        switch ($operation) {
            case 'take':
                count($keys) === 1 ? $this->take($owner, $keys[0], $call, $result, $end, $from, $until)
                    : $this->takeSeveral($owner, $keys, $call, $result, $end, $from, $until);
                break;
            case 'release':
                $this->release($owner, $keys[0], $call, $result, $end, $from, $until);
                break;
            case 'release-all':
                $this->releaseAll($owner, $result[0], $from, $until);
                break;
            case 'prolong':
                $this->prolong($owner, $keys[0], $call, $result, $end, $from, $until);
                break;
            case 'check':
                $this->check($owner, $keys[0], $result, $end, $from, $until);
                break;
            case 'hand-over':
                $this->handOver($owner, $keys[0], $call, $result, $end, $from, $until);
                break;
            case 'adopt':
                $this->adopt($owner, $keys[0], $call, $result, $end, $from, $until);
                break;
            case 'break':
                if ($result[0] !== 'false') {
                    $this->lock($keys[0])->breaks->add($from, $until);
                }
                break;
        }
    }

    /* Nobody waits (much) longer than it asked for. */
    private function duration(array $call, string $result, int $from, int $until, int $asked): void
    {
        $over = $until - $from - $asked;
        $disturbed = $this->chaos->disturbed($from, $until);
        $stopped = $this->chaos->stopped($this->worker, $from, $until) + $this->chaos->stalls->overlap($from, $until);
        if (!$disturbed && $stopped === 0 && $asked > 0 && $result === 'false') {
            $this->report->count('undisturbed waits');
            $this->overruns[] = max(0, $over);
            if ($over > $this->longest[0]) {
                $this->longest = [$over, "worker-$this->worker:$this->number"];
            }
        }
        if ($over > DELAY + $stopped + ($disturbed ? 2 * TIMEOUT : 0)) {
            $this->violation('wait', sprintf('%s lasted %.3f s longer than it asked for', $call[3], $over / S));
        }
    }

    private function failure(string $result, string $operation, int $from, int $until): void
    {
        if ($result === 'Misuse') {
            $this->violation('failure', "$operation: an RLockException of no kind");
        }
        if ($result === 'Connection' || str_starts_with($result, 'Server:')) {
            /* Who is stopped may find its time over when it goes on. */
            $cause = $this->chaos->restarts->meet($from - 50 * MS, $until + 50 * MS)
                || $this->chaos->stopped($this->worker, $from, $until) > 0
                || $this->chaos->halted($from, $until) > TIMEOUT / 2;
            if (!$cause) {
                $this->violation('failure', "$operation: $result without a cause");
            }
        }
    }

    /* When a lease that began with the call had ended, less its margin; an adopted one, by the letter if it kept that. */
    private function endOfLease(array $call, int $from): int
    {
        return match (true) {
            $call[3] === 'take' => $from + (int) ((float) $call[6] * 0.99 * MS),
            (float) $call[5] > 0.0 => $from + (int) ((float) $call[5] * 0.99 * MS),
            default => (int) $call[6],
        };
    }

    /* What the owner says that it holds; null: nothing. */
    private function state(string $text): ?array
    {
        return $text === '-' ? null : array_map(intval(...), explode('/', $text));
    }

    private function newLease(int $owner, string $key, array $state, int $from, int $until, int $lease, bool $adopted): void
    {
        $lock = $this->lock($key);
        $lock->asked[] = $from;
        $lock->granted[] = $until;
        $lock->fence[] = $state[0];
        $lock->safe[] = $state[2];
        $lock->ended[] = $until + $lease;
        $lock->line[] = $this->number;
        $lock->worker[] = $this->worker;
        $lock->adopted[] = $adopted;
        $lock->callFrom[] = $from;
        $lock->callUntil[] = $until;
        $this->held[$owner][$key] = new Held($lock, count($lock->asked) - 1, $state[0], $until + $lease);
        if ($state[1] !== 1) {
            $this->violation('state', "$key is held $state[1] deep after one take");
        }
    }

    /*
     * After a call that made the lease longer or shorter; `done`: for certain. Then the lock was
     * ours without a break, since nobody else was granted it. If it is over again when the call
     * has returned, nobody was told until when it was safe: at least for the new lease from the
     * call's beginning, or until the old deadline.
     */
    private function renew(Held $lease, array $state, int $from, int $until, int $ms, bool $done): void
    {
        $safe = &$lease->lock->safe[$lease->index];
        $told = $state[2] ?: min($safe, $from + (int) ($ms * 0.99 * MS) - 2 * MS);
        $safe = $done ? $told : min($safe, $told);
        $lease->expiry = max($lease->expiry, $until + $ms * MS);
        $lease->lock->ended[$lease->index] = $lease->expiry;
    }

    /* Who goes by the clock alone cannot know that it was broken. */
    private function alone(Lock $lock, int $moment, int $fence, bool $byClock = false): void
    {
        array_push($lock->alone, $moment, $fence, (int) !$byClock, $this->worker, $this->number);
    }

    private function isVerdict(string $result): bool
    {
        return $result === 'Lost' || $result === 'Timeout' || $result === 'Held';
    }

    /* The verdict on a lease; what it means for the lease's end. */
    private function verdict(Held $lease, array $result, int $from, int $until, bool $unread = false): void
    {
        $lock = $lease->lock;
        if ($result[0] === 'Lost') {
            $lock->lost[] = [$from, $until, $lease->fence, $lock->asked[$lease->index], (int) $result[2],
                $this->worker, $this->number, $unread];
            $this->endLease($lease, $from, $until);
            return;
        }
        $this->alone($lock, $from, $lease->fence);
        if ($until < $lock->safe[$lease->index]) {
            $this->violation('Timeout', "$lock->name: before the deadline had passed");
        }
        if ($result[0] === 'Timeout') {
            $this->endLease($lease, $from, $until);
        }
    }

    /* Nothing was done but to tell what an earlier release that nobody waited for had come to. */
    private function verdictOnEarlier(int $owner, string $result, int $until): void
    {
        $parts = explode('@', $result);
        $earlier = $this->unconfirmed[$owner][$parts[1]] ?? [];
        $lease = array_shift($earlier);
        $this->unconfirmed[$owner][$parts[1]] = $earlier;
        $this->report->count("unconfirmed: $parts[0]");
        if ($lease === null) {
            $this->violation('state', "a verdict on $parts[1], which was not held");
            return;
        }
        /* An answer that is found there after the deadline counts as come before it. */
        $unread = $until >= $lease->lock->safe[$lease->index] && $this->chaos->disturbed($lease->sent, $until);
        $this->verdict($lease, $parts, $lease->sent, $until, $unread);
    }

    /* The verdict of a call on a key belongs to the present lease if that has ended with it. */
    private function judged(int $owner, string $key, array $result, ?array $state, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        $stays = $state !== null && $result[0] !== 'Held';
        if ($lease === null || $stays || $result[1] !== $key) {
            $this->verdictOnEarlier($owner, implode('@', $result), $until);
            $this->stays($owner, $key, $state);
            return;
        }
        $this->verdict($lease, $result, $from, $until);
        if ($result[0] !== 'Held') {
            unset($this->held[$owner][$key]);
        }
    }

    /* A call that must have changed nothing. */
    private function stays(int $owner, string $key, ?array $state): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        if (($lease === null) !== ($state === null)
            || ($lease !== null && ($state[0] !== $lease->fence || $state[1] !== $lease->depth))) {
            $this->violation('state', $state === null ? "$key is not held any more" : "$key is held otherwise than before");
            unset($this->held[$owner][$key]);
        }
    }

    private function take(int $owner, string $key, array $call, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lock = $this->lock($key);
        $lease = $this->held[$owner][$key] ?? null;
        $ms = (int) (float) $call[6];
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $state, $from, $until);
        } elseif ($result[0] === 'true' && $state === null) {
            $this->violation('state', "$key was granted and is not held");
        } elseif ($result[0] === 'true' && $lease !== null) {
            $this->deeper($lease, $state, $from, $until, $ms);
        } elseif ($result[0] === 'true') {
            $this->newLease($owner, $key, $state, $from, $until, $ms * MS, false);
            $this->batonUnused($lock, $from, $until);
            $this->report->count('sections');
        } elseif ($result[0] === 'false') {
            $this->stays($owner, $key, $state);
            $this->refused($lock, (int) ((float) $call[5] * MS), (int) $call[7], $from, $until);
        } else {
            $this->ghost($lock, $from, $until);
            $this->stays($owner, $key, $state);
        }
    }

    private function refused(Lock $lock, int $wait, int $policy, int $from, int $until): void
    {
        /* With POLICY_WAIT the last word is that of the last ask. */
        $lock->busy[] = [$policy === 1 ? min($until, $from + $wait) : $from, $until, $this->worker, $this->number];
        $lock->callFrom[] = $from;
        $lock->callUntil[] = $until;
        $this->batonUnused($lock, $from, $until);
    }

    /* A wait may have been given a baton that it could not use in time. */
    private function batonUnused(Lock $lock, int $from, int $until): void
    {
        if ($this->chaos->stopped($this->worker, $from, $until) > 0 || $this->chaos->disturbed($from, $until)) {
            $lock->mayHold->add($from, $until + WINDOW);
        }
    }

    /* What a release could not give back, a server being down, is still held. */
    private function oneOfSeveral(int $owner, string $key, ?array $state, int $from, int $until, int $ms): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        if ($state === null) {
            $this->violation('state', "$key is not held after getLocks()");
        } elseif ($lease === null) {
            $this->newLease($owner, $key, $state, $from, $until, $ms * MS, false);
            $this->report->count('sections');
        } else {
            $this->deeper($lease, $state, $from, $until, $ms);
        }
    }

    private function deeper(Held $lease, array $state, int $from, int $until, int $ms): void
    {
        if ($state[0] !== $lease->fence || $state[1] !== ++$lease->depth) {
            $this->violation('state', "{$lease->lock->name} is not one deeper");
        }
        $this->alone($lease->lock, $from, $lease->fence);
        $this->renew($lease, $state, $from, $until, $ms, true);
    }

    private function takeSeveral(int $owner, array $keys, array $call, array $result, array $end, int $from, int $until): void
    {
        $verdict = $this->isVerdict($result[0]);
        foreach ($keys as $i => $key) {
            $state = $this->state($end[3 + $i]);
            if ($result[0] === 'true') {
                $this->oneOfSeveral($owner, $key, $state, $from, $until, (int) (float) $call[6]);
                continue;
            }
            $this->ghost($this->lock($key), $from, $until);
            if ($verdict && $result[1] === $key) {
                $this->judged($owner, $key, $result, $state, $from, $until);
            } else {
                $this->stays($owner, $key, $state);
            }
        }
        if ($verdict && !in_array($result[1], $keys, true)) {
            $this->verdictOnEarlier($owner, implode('@', $result), $until);
        }
        /* That it was busy for one of them is not told of which. */
    }

    private function release(int $owner, string $key, array $call, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lease = $this->held[$owner][$key] ?? null;
        $confirm = $call[6] === '1';
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $state, $from, $until);
        } elseif ($lease === null) {
            if ($result[0] !== 'false' || $state !== null) {
                $this->violation('state', "$key was not held, and its release is $result[0]");
            }
        } elseif ($result[0] === 'true' && $lease->depth > 1) {
            $lease->depth--;
            $this->alone($lease->lock, $from, $lease->fence, true);
            $this->stays($owner, $key, $state);
        } elseif ($result[0] === 'false') {
            $this->violation('state', "$key was held, and its release is false");
            unset($this->held[$owner][$key]);
        } elseif ($lease->depth > 1 && ($state !== null || $until < $lease->lock->safe[$lease->index])) {
            $this->stays($owner, $key, $state);
        } else {
            /* The last level; or an inner one that was late, and found the lease gone. */
            unset($this->held[$owner][$key]);
            if ($state !== null) {
                $this->violation('state', "$key is held after its release");
            }
            $delay = (int) ((float) $call[5] * MS);
            if ($result[0] !== 'true') {
                $this->endLease($lease, $from, max($lease->expiry, $until + $delay));
                return;
            }
            $this->alone($lease->lock, $from, $lease->fence, !$confirm);
            $this->endLease($lease, $from, $until + $delay + ($confirm ? 0 : 200 * MS));
            if (!$confirm) {
                $lease->sent = $from;
                $this->unconfirmed[$owner][$key][] = $lease;
                if ($this->chaos->disturbed($from, $until + S)) {
                    $lease->lock->ended[$lease->index] = max($lease->expiry, $until + $delay + S);
                }
            }
        }
    }

    private function releaseAll(int $owner, string $result, int $from, int $until): void
    {
        foreach ($this->held[$owner] as $lease) {
            if ($result === 'true') {
                $this->alone($lease->lock, $from, $lease->fence);
            }
            $this->endLease($lease, $from, $result === 'Connection' ? max($until, $lease->expiry) : $until);
        }
        if ($result === 'false' && $this->held[$owner] === [] && array_filter($this->unconfirmed[$owner]) === []) {
            $this->violation('state', 'nothing was held, and releaseAll() is false');
        }
        $this->held[$owner] = $this->unconfirmed[$owner] = [];
    }

    private function prolong(int $owner, string $key, array $call, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $state, $from, $until);
        }
        if ($result[0] === 'false' && $lease !== null) {
            $this->violation('state', "$key was held, and prolongate() is false");
        }
        if ($result[0] === 'true' && $lease === null) {
            $this->violation('state', "$key was not held, and prolongate() is true");
        }
        if ($lease === null || $state === null) {
            $this->stays($owner, $key, $state);
            return;
        }
        if ($result[0] === 'true') {
            $this->alone($lease->lock, $from, $lease->fence);
        }
        $this->stays($owner, $key, $state);
        $this->renew($lease, $state, $from, $until, (int) (float) $call[5], $result[0] === 'true' || $result[0] === 'Held');
    }

    private function check(int $owner, string $key, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0]) && ($lease !== null || $state !== null)) {
            $this->judged($owner, $key, $result, $state, $from, $until);
        } elseif ($result[0] === 'none' && $lease !== null) {
            $this->alone($lease->lock, $from, $lease->fence, true);
            $this->stays($owner, $key, $state);
        } elseif (!$this->isVerdict($result[0]) && $result[0] !== 'Connection') {
            /* It waits for the answer to a claim that is out, which may not come. */
            $this->violation('state', "check() of $key is $result[0]");
        }
        /* Of a key that was lost it says so again, which proves nothing new. */
    }

    private function handOver(int $owner, string $key, array $call, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $state, $from, $until);
            return;
        }
        if ($lease === null) {
            $this->violation('state', "$key was not held, and handOver() is $result[0]");
            return;
        }
        if ($result[0] === 'true') {
            $this->alone($lease->lock, $from, $lease->fence);
        }
        $gone = max($lease->expiry, $until + (int) ((float) $call[5] * MS));
        if ($state === null) {
            $this->endLease($lease, $from, $gone);
            unset($this->held[$owner][$key]);
        } elseif ($result[0] === 'true') {
            $this->violation('state', "$key is held after handOver()");
        } else {
            $this->stays($owner, $key, $state);
            $lease->lock->ended[$lease->index] = $lease->expiry = $gone;
        }
    }

    private function adopt(int $owner, string $key, array $call, array $result, array $end, int $from, int $until): void
    {
        $state = $this->state($end[3]);
        $lock = $this->lock($key);
        if ($this->isVerdict($result[0])) {
            $this->verdictOnEarlier($owner, implode('@', $result), $until);
        } elseif ($result[0] === 'true' && $state !== null) {
            $ms = (float) $call[5];
            $this->newLease($owner, $key, $state, $from, $until,
                $ms > 0 ? (int) ($ms * MS) : max(0, (int) $call[6] - $until) + S, true);
        } elseif ($result[0] === 'false') {
            /* Without a ttl of its own, what is as good as over is not adopted. */
            $needed = (float) $call[5] > 0 ? 0 : 5 * MS;
            if ($until + $needed < (int) $call[6] && !$lock->breaks->meet($from - LONGEST_LEASE * MS, $until)) {
                $this->violation('busy', "$key: adopt() is false, but the lock waits to be adopted");
            }
        } elseif ($result[0] === 'true') {
            $this->violation('state', "$key was adopted and is not held");
        } else {
            $this->ghost($lock, $from, $until);
        }
    }
}

/* ------------------------------------------------------------------ the proofs, lock by lock */

final class Proof
{
    /** @var list<int> of the grants, in the order of their fences */
    private array $byFence, $fences, $moments;

    public function __construct(private Report $report, private Chaos $chaos, private Lock $lock)
    {
        $this->cutAtBreaks();
        $this->byFence = array_keys($lock->fence);
        $fence = $lock->fence;
        $granted = $lock->granted;
        array_multisort($fence, $granted, $this->byFence);
        $this->fences = $fence;
        $this->moments = [];
        foreach ($this->byFence as $i) {
            $this->moments[] = $chaos->moment($lock->fence[$i]);
        }
    }

    private function violation(string $kind, int $worker, int $line, string $text): void
    {
        $this->report->violation($kind, "worker-$worker:$line", "{$this->lock->name}: $text");
    }

    private function at(int $i, string $kind, string $text): void
    {
        $this->violation($kind, $this->lock->worker[$i], $this->lock->line[$i], $text);
    }

    private function other(int $i): string
    {
        return "worker-{$this->lock->worker[$i]}:{$this->lock->line[$i]}";
    }

    /* breakLock() frees it whoever holds it. */
    private function cutAtBreaks(): void
    {
        $lock = $this->lock;
        foreach ($lock->asked as $i => $asked) {
            $break = $lock->breaks->firstWithin($asked, $lock->safe[$i]);
            if ($break !== null) {
                $lock->safe[$i] = min($lock->safe[$i], $break);
            }
        }
    }

    public function run(): void
    {
        $this->noOverlap();
        $this->fencesRise();
        $this->fencesLieInTheirCalls();
        $this->aloneIsAlone();
        $this->lostIsLost();
        $this->busyIsBusy();
        $this->countContended();
    }

    private function noOverlap(): void
    {
        $lock = $this->lock;
        $granted = $lock->granted;
        $order = array_keys($granted);
        array_multisort($granted, $order);
        $safe = PHP_INT_MIN;
        $holder = $highest = 0;
        foreach ($order as $i) {
            if ($lock->safe[$i] <= $lock->granted[$i]) {
                continue; /* it was not safe for a moment */
            }
            if ($lock->granted[$i] < $safe) {
                $this->at($i, 'overlap', sprintf('granted %.6f s before the lease of %s ended',
                    ($safe - $lock->granted[$i]) / S, $this->other($holder)));
            }
            if ($lock->fence[$i] < $highest || ($lock->fence[$i] === $highest && !$lock->adopted[$i])) {
                $this->at($i, 'fence', "its fence {$lock->fence[$i]} is not above $highest, which was granted before");
            }
            $highest = max($highest, $lock->fence[$i]);
            if ($lock->safe[$i] > $safe) {
                [$safe, $holder] = [$lock->safe[$i], $i];
            }
        }
    }

    /* Also of the grants that were not safe for a moment: none that was over before another was asked for is above it. */
    private function fencesRise(): void
    {
        $lock = $this->lock;
        $granted = $lock->granted;
        $order = array_keys($granted);
        array_multisort($granted, $order);
        $highest = 0;
        $highestUntil = [];
        foreach ($order as $i) {
            $highestUntil[] = $highest = max($highest, $lock->fence[$i]);
        }
        foreach ($lock->asked as $i => $asked) {
            $before = first_after($granted, $asked - 1);
            if ($before > 0 && $highestUntil[$before - 1] > $lock->fence[$i] - ($lock->adopted[$i] ? 0 : 1)) {
                $this->at($i, 'fence', "its fence {$lock->fence[$i]} is not above that of a grant before");
            }
        }
        for ($n = 1; $n < count($this->fences); $n++) {
            $i = $this->byFence[$n];
            if ($this->fences[$n] === $this->fences[$n - 1] && !$lock->adopted[$i]) {
                $this->at($i, 'fence', "the same fence as {$this->other($this->byFence[$n - 1])}");
            }
        }
    }

    private function fencesLieInTheirCalls(): void
    {
        foreach ($this->byFence as $n => $i) {
            if (!$this->lock->adopted[$i] && ($this->moments[$n] < $this->lock->asked[$i] - CLOCK_SLACK
                || $this->moments[$n] > $this->lock->granted[$i] + CLOCK_SLACK)) {
                $this->at($i, 'fence', sprintf('its fence is from %.6f s after the call began, which lasted %.6f s',
                    ($this->moments[$n] - $this->lock->asked[$i]) / S,
                    ($this->lock->granted[$i] - $this->lock->asked[$i]) / S));
            }
        }
    }

    /* The next grant after that with the fence, by the order of fences; null: there was none. */
    private function next(int $fence): ?int
    {
        $n = first_after($this->fences, $fence);
        return $n < count($this->fences) ? $n : null;
    }

    /* Nobody else may have been granted it before: neither told so, nor by the fence's clock. */
    private function aloneIsAlone(): void
    {
        $lock = $this->lock;
        for ($at = 0; $at < count($lock->alone); $at += 5) {
            [$moment, $fence, $asked, $worker, $line] = array_slice($lock->alone, $at, 5);
            $n = $this->next($fence);
            if ($n === null || (!$asked && $lock->breaks->meet($this->chaos->moment($fence), $moment))) {
                continue;
            }
            $i = $this->byFence[$n];
            if ($lock->granted[$i] < $moment || $this->moments[$n] < $moment - CLOCK_SLACK) {
                $this->violation('alone', $worker, $line,
                    'said that nobody else has had it, but ' . $this->other($i) . ' was granted it before');
            }
        }
    }

    private function lostIsLost(): void
    {
        $lock = $this->lock;
        foreach ($lock->lost as [$from, $until, $fence, $asked, $late, $worker, $line, $unread]) {
            $n = $this->next($fence);
            $taken = $n !== null && $lock->asked[$this->byFence[$n]] < $until
                && $this->moments[$n] < $until + CLOCK_SLACK;
            $broken = $lock->breaks->meet($asked, $until);
            if ($late === 0 && !$broken && !$unread) {
                $this->violation('Lost', $worker, $line, 'lost within its lease, and nobody broke it');
            } elseif ($taken) {
                $this->report->count('Lost: another was granted it');
            } elseif ($broken) {
                $this->report->count('Lost: it was broken');
            } elseif ($lock->ghosts->meet($asked, $until)) {
                $this->report->count('Lost: a call that did not end well may have had it');
            } elseif ($this->chaos->cutOff($from, $until)) {
                $this->report->count('Lost: the connection was cut, so it could not be told');
            } elseif ($unread) {
                $this->report->count('Lost: nobody saw whether the answer came in time');
            } else {
                $this->violation('Lost', $worker, $line, 'nobody else was granted it');
            }
        }
    }

    private function busyIsBusy(): void
    {
        $lock = $this->lock;
        $tenures = new Intervals;
        foreach ($this->byFence as $n => $i) {
            $begin = $lock->adopted[$i] ? $lock->asked[$i] : max($lock->asked[$i], $this->moments[$n] - CLOCK_SLACK);
            $tenures->add($begin, $lock->ended[$i] + EXPIRY_SLACK);
        }
        foreach ($lock->busy as [$from, $until, $worker, $line]) {
            if ($tenures->meet($from, $until)) {
                $this->report->count('busy: another had it');
            } elseif ($lock->mayHold->meet($from, $until)) {
                $this->report->count('busy: a call that did not end well may have had it');
            } elseif ($this->chaos->cutOff($from - WINDOW, $until)) {
                $this->report->count('busy: a baton may have been lost with its connection');
            } else {
                $this->violation('busy', $worker, $line, 'refused, but nobody had it');
            }
        }
    }

    /* A section is contended if another asked for the lock between its own request and its end. */
    private function countContended(): void
    {
        $lock = $this->lock;
        $from = $lock->callFrom;
        $until = $lock->callUntil;
        array_multisort($from, $until);
        $latest = PHP_INT_MIN;
        $latestUntil = [];
        foreach ($until as $moment) {
            $latestUntil[] = $latest = max($latest, $moment);
        }
        $contended = 0;
        foreach ($lock->asked as $i => $asked) {
            $own = first_after($from, $asked) - 1;
            $contended += ($own > 0 && $latestUntil[$own - 1] >= $asked)
                || ($own + 1 < count($from) && $from[$own + 1] <= $lock->ended[$i]);
        }
        $this->report->count('contended', $contended);
    }
}

/* ------------------------------------------------------------------ all of it */

function check_left(string $folder, Report $report): void
{
    [$fences, $others] = [0, []];
    foreach (file("$folder/left", FILE_IGNORE_NEW_LINES) as $number => $line) {
        [$key, $ttl] = explode(' ', $line);
        if (!str_starts_with($key, 'rlock:f:')) {
            $others[] = $key;
            $report->violation('left', 'left:' . $number + 1, "$key, for $ttl ms");
            continue;
        }
        $fences++;
        if ($ttl < 0 || $ttl > FENCE_KEPT + LONGEST_LEASE) {
            $report->violation('left', 'left:' . $number + 1, "the fence $key lives for $ttl ms");
        }
    }
    echo "left on the server: $fences fences; other keys: ", implode(', ', $others) ?: 'none', "\n";
}

function quantile(array $sorted, float $which): float
{
    return $sorted === [] ? 0.0 : $sorted[(int) ($which * (count($sorted) - 1))] / MS;
}

$folder = $argv[1];
$began = microtime(true);
$report = new Report;
$chaos = new Chaos($folder, $report);
$histories = new Histories($report, $chaos);
foreach (glob("$folder/worker-*") as $path) {
    $histories->read($path, (int) substr($path, strrpos($path, '-') + 1));
}
foreach ($histories->locks as $lock) {
    (new Proof($report, $chaos, $lock))->run();
}
check_left($folder, $report);

$counts = $report->counts;
$seconds = ($chaos->until - $chaos->from) / S;
$sections = $counts['sections'] ?? 0;
$contended = $counts['contended'] ?? 0;
unset($counts['sections'], $counts['contended']);
ksort($counts);
foreach ($counts as $what => $count) {
    printf("%-60s %10d %10.2f per second\n", $what, $count, $count / max($seconds, 0.001));
}
sort($histories->overruns);
printf("undisturbed waits ended later than asked, in ms: median %.3f, 99 %% %.3f, most %.3f (%s)\n",
    quantile($histories->overruns, 0.5), quantile($histories->overruns, 0.99), quantile($histories->overruns, 1.0),
    $histories->longest[1]);
printf("%d sections in %.0f s, %.0f per second; %d of them contended\n", $sections, $seconds,
    $sections / max($seconds, 0.001), $contended);
printf("%d violations%s; checked in %.1f s\n", $report->violations, $report->violations === 0 ? ''
    : ' (' . implode(', ', array_map(fn ($kind, $count) => "$count $kind", array_keys($report->violationsByKind()),
        $report->violationsByKind())) . ')', microtime(true) - $began);
exit($report->violations === 0 ? 0 : 1);
