<?php
/*
 * Reads what was done to a run, and what its workers wrote down. README.md has the format.
 */

require_once __DIR__ . '/servers.php';

/* For how long the place of a waiter that was killed is kept. */
const FLAG = 1500 * MS;

/* What was found: violations, and counts of all that was judged. */
final class Report
{
    /** @var array<string, int> */
    public array $counts = [];
    /** @var array<string, int> */
    public array $violations = [];

    public function count(string $what, int $by = 1): void
    {
        $this->counts[$what] = ($this->counts[$what] ?? 0) + $by;
    }

    /* The first few of each kind in full. */
    public function violation(string $kind, string $where, string $text): void
    {
        $this->violations[$kind] = ($this->violations[$kind] ?? 0) + 1;
        if ($this->violations[$kind] <= 5) {
            echo "VIOLATION $kind $where: $text\n";
        }
    }
}

final class FaultLog
{
    /* What strikes what is on its way to a server or back; what makes servers forget; steps of their clocks; a machine that did not run. */
    private const ON_THE_WAY = ['hold', 'stray', 'late', 'lose', 'cut', 'mute', 'outage', 'drop', 'pause', 'freeze', 'restart', 'forget', 'move', 'failover', 'link'];
    private const SHORT = ['lose', 'cut', 'drop'];

    /** @var array<string, Intervals> */
    private array $kinds = [];
    /** @var array<int, Intervals> worker => when it was stopped */
    private array $stops = [];
    /** @var array<int, int> worker => when it was certainly dead */
    public array $killed = [];
    /** @var array<int, int> worker => when it had certainly ended by itself */
    public array $ended = [];
    /** @var array<int, list<array{int, int, int}>> node => from, until, offset */
    private array $clocks = [];
    /** @var array<int, array<int, array{int, int}>> */
    private array $ends = [];
    public Intervals $onTheWay, $any;
    public int $from = 0, $until = 0;
    /* What counts has been acknowledged by the replica that is promoted. */
    public readonly bool $acknowledged;

    public function __construct(string $folder, Report $report)
    {
        [$this->onTheWay, $this->any] = [new Intervals, new Intervals];
        $this->acknowledged = trim(file_get_contents("$folder/deployment")) === 'replicas';
        foreach (glob("$folder/faults*") as $path) {
            foreach (file($path, FILE_IGNORE_NEW_LINES) as $number => $line) {
                $this->note(explode(' ', $line), basename($path) . ':' . $number + 1, $report);
            }
        }
    }

    private function note(array $words, string $where, Report $report): void
    {
        [$from, $until, $what, $target] = [(int) $words[0], (int) $words[1], $words[2], (int) ($words[3] ?? 0)];
        switch ($what) {
            case 'run':
                [$this->from, $this->until] = [$from, $until];
                return;
            case 'end':
                $this->ended[$target] = $until;
                $words[4] === '0' || $report->violation('process', $where, "worker-$target ended with $words[4]");
                return;
            case 'hung':
                $report->violation('process', $where, "worker-$target did not end");
                return;
            case 'kill':
                $this->killed[$target] = $until;
                break;
            case 'stop':
                ($this->stops[$target] ??= new Intervals)->add($from, $until);
                break;
            case 'forward':
            case 'back':
                $this->clocks[$target][] = [$from, $until, (int) $words[4]];
                break;
            case 'forget':
                $this->ends[$target][(int) $words[4] - 1] = [$from, $until];
                break;
        }
        $report->count("fault: $what");
        $until += match (true) {
            in_array($what, self::SHORT, true) => 50 * MS,
            $what === 'link' => $until - $from + 400 * MS, /* what was lost is sent again later each time */
            default => 0,
        };
        ($this->kinds[$what] ??= new Intervals)->add($from, $until);
        if ($what !== 'stall') {
            $this->any->add($from, $until);
        }
        if (in_array($what, self::ON_THE_WAY, true)) {
            $this->onTheWay->add($from, $until);
        }
    }

    public function is(string|array $kinds, int $from, int $until): bool
    {
        foreach ((array) $kinds as $kind) {
            if (isset($this->kinds[$kind]) && $this->kinds[$kind]->meet($from, $until)) {
                return true;
            }
        }
        return false;
    }

    /* How many, and how long together. */
    public function howMany(array $kinds, int $from, int $until): int
    {
        return array_sum(array_map(fn ($kind) => isset($this->kinds[$kind]) ? $this->kinds[$kind]->count($from, $until) : 0, $kinds));
    }

    public function howLong(string $kind, int $from, int $until): int
    {
        return isset($this->kinds[$kind]) ? $this->kinds[$kind]->overlap($from, $until) : 0;
    }

    /* Servers that came back without their latest writes. */
    public function forgot(int $from, int $until): bool
    {
        return !$this->acknowledged && $this->is(['forget', 'failover'], $from, $until);
    }

    public function stepped(int $from, int $until): bool
    {
        return $this->is(['forward', 'back'], $from, $until);
    }

    public function stopped(int $worker, int $from, int $until): int
    {
        return isset($this->stops[$worker]) ? $this->stops[$worker]->overlap($from, $until) : 0;
    }

    /* A node's clock against the true one, in us, between the two times: if it was set meanwhile, that which lets a lease live the longest. */
    public function offset(int $node, int $after, int $before): int
    {
        $offset = 0;
        foreach ($this->clocks[$node] ?? [] as [$from, $until, $new]) {
            if ($until <= $after) {
                $offset = $new;
            } elseif ($from <= $before) {
                $offset = min($offset, $new);
            }
        }
        return $offset;
    }

    /* For how long, in ns, a request is good beyond its deadline at most: its sender may know the clock from before it was set back. */
    public function setBack(int $moment): int
    {
        $most = 0;
        foreach ($this->clocks as $settings) {
            $offset = $highest = 0;
            foreach ($settings as [$from, , $new]) {
                if ($from < $moment) {
                    $offset = $new;
                    $highest = max($highest, $new);
                }
            }
            $most = max($most, $highest - $offset);
        }
        return $most * 1000;
    }

    /* Until when a node keeps what it has had since then and was to keep until then: for longer, if its clock was set back. */
    public function kept(int $node, int $since, int $until): int
    {
        $offset = $this->offset($node, $since, $since);
        foreach ($this->clocks[$node] ?? [] as [$from, , $new]) {
            if ($from >= $since && $from < $until) {
                $until += max(0, $offset - $new) * 1000;
                $offset = $new;
            }
        }
        return $until;
    }

    /** @return array{int, int} between which times a node's life ended: without a fault, when nobody looks any more */
    public function endOfLife(int $node, int $life): array
    {
        return $this->ends[$node][$life] ?? [$this->until + 3600 * S, $this->until + 3600 * S];
    }
}

/* One taking of a lock as its owner's calls tell it. */
final class Lease
{
    public int $depth = 1;
    public string $random = '';
    /** @var list<array{int, int, int}> the fences that its owner was told: since when it may have had it, when it was told, the fence */
    public array $fences = [];
    /* Until when its owner was told that it is safe, by the last word. */
    public int $safe = 0;
    /* When it was last asked for and was still its owner's: of the server; by the owner's own clock. */
    public int $asked = 0, $believed = 0;
    public bool $released = false;
    /* It was of the other kind before; and is under a fence that was told before: it was exclusive. */
    public bool $converted = false, $keepsFence = false;
    /* Until when a copy of a request that grants it may still do so. */
    public int $grantedUntil = 0;
    /* Until when a thread renews it; 0: none does. */
    public int $renewedUntil = 0;
    /** @var list<array{int, int, int}> told at, safe until, the owner's next call that may change that */
    public array $told = [];
    public ?array $open = null;
    public ?Grant $grant = null;
    /* By whose order it stands among the grants. */
    public ?int $place = null;

    public function __construct(public readonly int $worker, public readonly int $line, public readonly string $name,
        public readonly int $from, public readonly int $until, public readonly bool $shared = false)
    {
        [$this->asked, $this->grantedUntil] = [$until, $until + LATE_COPY];
    }

    public function where(): string
    {
        return "worker-$this->worker:$this->line";
    }

    /* The owner's next word on this lock. */
    public function change(int $moment): void
    {
        if ($this->open !== null) {
            $this->told[] = [...$this->open, $moment];
            $this->open = null;
        }
    }
}

/* One call for a detached lock, by its name. */
final class NamedCall
{
    /* Whether it said that the name has, or had, the lock; null: neither. Until when the name has it then. The fence that it told. */
    public ?bool $said = null;
    public int $safe = 0, $fence = 0;
    /* Of a release: for how long it keeps the lock from all. */
    public int $delay = 0;

    /* `call`: what a grant that it took is called; `wait`: for how long it may wait; `takesEffect`: until when what it may have sent may end the name's lock. */
    public function __construct(public readonly string $operation, public readonly string $name, public readonly int $worker, public readonly int $line,
        public readonly string $call, public readonly int $from, public readonly int $until, public readonly int $wait, public readonly int $takesEffect)
    {
    }

    public function where(): string
    {
        return "worker-$this->worker:$this->line";
    }

    public function takes(): bool
    {
        return in_array($this->operation, ['take', 'share'], true);
    }

    /* Whether its answer is about the lock as exclusive: a share does not count. */
    public function isExclusive(): bool
    {
        return $this->operation === 'take' || ($this->operation === 'downgrade' && $this->said === false);
    }

    /* A name that has a share asks but once for more. */
    public function gaveUpEarly(): bool
    {
        return $this->takes() && $this->said === false && $this->until - $this->from < $this->wait;
    }
}

/* What the workers tell of one lock. */
final class LockHistory
{
    /** @var list<Lease> */
    public array $leases = [];
    /** @var list<array{string, Lease, int, int, int, int, int, int}> verdict, lease, from, until, late us, worker, line, safe until */
    public array $verdicts = [];
    /** @var list<array{int, int, int, int, int, int, bool, string}> refusals: from, until, how long it surely asked, policy, worker, line, whether of a share, what a grant of that call is called */
    public array $busy = [];
    /** @var list<array{int, int, int, int, ?Lease, bool, bool, int}> waits: from, until, worker, line, what came of it, whether it was granted, whether a share, for how long it had no CPU */
    public array $waits = [];
    /** @var list<array{Lease, int, int, int, int}> shares that were not made exclusive: lease, from, until, worker, line */
    public array $refusals = [];
    /** @var list<array{int, int, int, int}> how many sharers there were: number, from, worker, line */
    public array $crowds = [];
    /* When somebody asked for it exclusively. */
    public Intervals $asks;
    /* So many shares there may be, as the calls for them say; 0: any number. */
    public int $limit = 0;
    /** @var list<array{bool, Lease, int, int, int, int}> whether it was still ours, as the server said: said, lease, from, until, worker, line */
    public array $looks = [];
    /** @var list<array{bool, int, int, int, int}> what holder() said: whether anybody has it, from, until, worker, line */
    public array $holders = [];
    /** @var list<array{string, int, int, int, int}> adoptions that were false: the token's random part, from, until, worker, line */
    public array $refusedAdoptions = [];
    /** @var list<array{Lease, int, int, int, int, int}> handed over: which, with a lease of how many ns, from, until, worker, line */
    public array $handedOver = [];
    /** @var array<string, int> a token's random part => when somebody first asked to adopt it */
    public array $adoptedSince = [];
    /** @var list<array{int, int, int, int, int}> refusals by getLocks(): the process, from, until, worker, line */
    public array $refusedTogether = [];
    /** @var list<array{Lease, int, int, int, int}> releases: lease, from, until, worker, line */
    public array $releases = [];
    /** @var list<array{int, int, int, int, int}> breaks of one grant: its fence, from, until, worker, line */
    public array $broken = [];
    /** @var list<array{int, int, int, int}> releases with a delay: when it had begun for sure, until when it lasts at least, worker, line */
    public array $cooldowns = [];
    /** @var list<array{string, int, int, int, int, int, int}> takes that got no answer: what a grant of it is called, since when, until when a copy may take it; from, until, worker and line of its owner's next call that did */
    public array $undone = [];
    /** @var array<string, list<NamedCall>> name => the calls for its detached lock */
    public array $named = [];
    public Intervals $adoptions;
    /** @var array<int, Intervals> fence => when the grant with that fence was broken; 0: whoever had it */
    private array $breaks = [];

    public function __construct()
    {
        [$this->asks, $this->adoptions] = [new Intervals, new Intervals];
    }

    public function break(int $fence, int $from, int $until): void
    {
        ($this->breaks[$fence] ??= new Intervals)->add($from, $until);
    }

    /* The grant with one of these fences; none: any. */
    public function isBroken(array $fences, int $from, int $until): bool
    {
        foreach ($fences === [] ? array_keys($this->breaks) : [0, ...$fences] as $broken) {
            if (isset($this->breaks[$broken]) && $this->breaks[$broken]->meet($from, $until)) {
                return true;
            }
        }
        return false;
    }
}

final class Workers
{
    /* What a server may answer while it is struck. */
    private const MAY_REFUSE = ['BUSY', 'LATE', 'LOADING', 'OOM', 'READONLY', 'MASTERDOWN', 'NOREPLICAS', 'CLUSTERDOWN', 'TRYAGAIN', 'MOVED', 'ASK', 'UNBLOCKED'];

    /** @var array<string, LockHistory> */
    public array $locks = [];
    /** @var array<string, int> the worst of each */
    public array $longest = [];
    private int $worker, $number, $calls;
    /* The worker's process, as far as it is known. */
    private int $pid;
    /* For how much of the call that ends now its process wanted a CPU and had none. */
    private int $delayed;
    /** @var array<int, array<string, Lease>> */
    private array $held;
    /** @var array<int, list<array{string, string, int, int}>> takes without an answer: key, what a grant of it is called, since when, until when a copy may take it */
    private array $unanswered;
    /** @var array<int, int> owner => for how long a thread renews its leases */
    private array $renews;
    /** @var array<int, true> owners that an interrupt may come from */
    private array $interrupts;
    private bool $majority, $oneServer;

    public function __construct(string $folder, private Report $report, private FaultLog $faults)
    {
        $deployment = trim(file_get_contents("$folder/deployment"));
        $this->majority = $deployment === 'majority';
        $this->oneServer = in_array($deployment, ['single', 'tls'], true);
        foreach (glob("$folder/worker-*") as $path) {
            $this->read($path, (int) substr($path, strrpos($path, '-') + 1));
        }
    }

    public function lock(string $key): LockHistory
    {
        return $this->locks[$key] ??= new LockHistory;
    }

    private function violation(string $kind, string $text): void
    {
        $this->report->violation($kind, "worker-$this->worker:$this->number", $text);
    }

    private function read(string $path, int $worker): void
    {
        [$this->worker, $this->number, $this->calls, $this->delayed, $this->pid] = [$worker, 0, 0, 0, 0];
        $this->held = $this->unanswered = $this->renews = $this->interrupts = [];
        $call = null;
        $began = null; /* the call that was interrupted: the owner judged, and gave back, before the end was written */
        $last = 0;
        $file = fopen($path, 'r');
        while (($line = fgets($file)) !== false) {
            $this->number++;
            if (!str_ends_with($line, "\n")) {
                isset($this->faults->killed[$worker]) || $this->violation('process', 'a torn line, but nobody killed it');
                break;
            }
            $words = explode(' ', rtrim($line, "\n"));
            $time = (int) $words[1];
            if ($time < $last) {
                $this->violation('state', 'time goes backwards');
            }
            [$before, $last] = [$last, $time];
            switch ($words[0]) {
                case 'P':
                    $this->pid = (int) $words[2];
                    break;
                case 'D':
                    $this->delayed = (int) $words[2];
                    break;
                case 'B':
                    $this->calls++;
                    $this->delayed = 0;
                    $call = $words;
                    $this->begin($call);
                    break;
                case 'E':
                    $call === null ? $this->violation('state', 'an end without a beginning') : $this->call($call, $words);
                    $began = $words[2] === 'interrupted' ? (int) ($call[1] ?? $before) : null;
                    $call = null;
                    break;
                case 'R':
                    $this->renews[(int) $words[2]] = (int) $words[3] > 0 ? (int) $words[3] * MS : PHP_INT_MAX >> 1;
                    break;
                case 'T':
                    $this->interrupts[(int) $words[2]] = true;
                    break;
                case 'I':
                    $this->interrupt((int) $words[2], explode('@', $words[3]), $began ?? $before, $time);
                    $began = null;
                    break;
            }
        }
        $killed = $this->faults->killed[$worker] ?? null;
        if ($call !== null && $call[3] !== 'quit' && $killed === null) {
            $this->violation('process', "ended in the midst of $call[3]");
        }
        foreach ($this->held as $held) {
            foreach ($held as $key => $lease) {
                $lease->change($killed ?? $last);
                if ($killed === null && ($call[3] ?? '') !== 'quit') {
                    $this->violation('state', "ended with $key, which it had not given back");
                } elseif ($killed === null && isset($this->faults->ended[$worker])) {
                    $this->lock($key)->releases[] = [$lease, $last, $this->faults->ended[$worker], $worker, $this->number];
                }
            }
        }
        if ($call !== null) {
            $this->asked($call[3], explode(',', $call[4]), $call, ($killed ?? $last) + FLAG);
        }
        if ($call !== null && $call[3] === 'break') {
            $this->lock($call[4])->break((int) ($call[5] ?? 0), (int) $call[1], (int) $call[1] + 3 * S);
        }
        if ($call !== null && str_starts_with($call[3], 'detached-')) {
            $this->named($call, 'killed', $killed ?? $last);
        }
        if ($call !== null && $call[3] === 'adopt') {
            $this->lock($call[4])->adoptions->add((int) $call[1], (int) $call[1] + 3 * S);
        }
    }

    /* From here on the owner's last word on these locks is not its last any more. */
    private function begin(array $call): void
    {
        $owner = (int) $call[2];
        $keys = in_array($call[3], ['release-all', 'close', 'quit'], true) ? array_keys($this->held[$owner] ?? []) : explode(',', $call[4]);
        foreach ($keys as $key) {
            ($this->held[$owner][$key] ?? null)?->change((int) $call[1]);
        }
        if ($call[3] === 'adopt') {
            $since = &$this->lock($call[4])->adoptedSince[$call[7]];
            $since = min($since ?? PHP_INT_MAX, (int) $call[1]);
        }
    }

    private function call(array $call, array $end): void
    {
        [$from, $owner, $operation, $until] = [(int) $call[1], (int) $call[2], $call[3], (int) $end[1]];
        $result = explode('@', $end[2]);
        $keys = $call[4] === '-' ? [] : explode(',', $call[4]);
        $takes = in_array($operation, ['take', 'share', 'detached-take', 'detached-share'], true);
        $this->asked($operation, $keys, $call, $until);
        $this->report->count("$operation: " . (is_numeric($result[0]) ? 'a number' : $result[0]));
        $this->duration($operation, $result[0], $owner, $from, $until, $takes ? (int) ((float) $call[5] * MS) : 0,
            $takes && $call[7] === '1' && count($keys) === 1 && $operation !== 'detached-take' && !$this->upgrades($call));
        $lease = match (true) {
            $takes => $call[6],
            in_array($operation, ['prolong', 'hand-over', 'adopt', 'detached-prolong'], true) => $call[5],
            default => 0, /* what is left of one that was asked for before */
        };
        $this->failure($result[0], $operation, $from, $until, (int) ((float) $lease * MS));
        if ($result[0] === 'interrupted') {
            $lease = $operation === 'prolong' ? $this->held[$owner][$keys[0]] ?? null : null;
            if ($lease !== null) { /* it may have made the lease shorter */
                $lease->safe = min($lease->safe, $until);
            }
            return; /* the next line says what by */
        }
        if (str_starts_with($operation, 'detached-')) {
            $this->isVerdict($result[0]) ? $this->verdictOnNothing($result) : $this->named($call, $result[0], $until);
            return;
        }
        match ($operation) {
            'take', 'share' => count($keys) === 1 ? $this->take($owner, $keys[0], $call, $result, $end[3], $from, $until)
                : $this->takeSeveral($owner, $keys, $result, array_slice($end, 3), $from, $until),
            'release' => $this->release($owner, $keys[0], (int) ((float) $call[5] * MS), (int) $call[6], $result, $end[3], $from, $until),
            'release-all', 'close' => $this->releaseAll($owner, $result, $from, $until),
            'prolong' => $this->prolong($owner, $keys[0], (int) ((float) $call[5] * MS), $result, $end[3], $from, $until),
            'check' => $this->check($owner, $keys[0], $result, $end[3], $from, $until),
            'downgrade' => $this->downgrade($owner, $keys[0], $result, $end[3], $from, $until),
            'is-locking', 'among', 'ttl', 'holder', 'sharers' => $this->look($operation, $owner, $keys[0], $result, $end[3], $from, $until),
            'hand-over' => $this->handOver($owner, $keys[0], (int) ((float) $call[5] * MS), $result, $end[3], $from, $until),
            'adopt' => $this->adopt($owner, $keys[0], $call[7], $result, $end[3], $from, $until),
            'break' => $this->break($keys[0], (int) ($call[5] ?? 0), $result[0], $from, $until),
            'fork' => $result[0] === 'true' || $this->violation('fork', 'a child could use a lock of its parent'),
            'foreign' => null,
            default => $this->violation('state', "an operation that nobody judges: $operation"),
        };
    }

    /* Who wants what, and with which limit. */
    private function asked(string $operation, array $keys, array $call, int $until): void
    {
        foreach ($keys as $key) {
            in_array($operation, ['take', 'detached-take'], true) && $this->lock($key)->asks->add((int) $call[1], $until);
            in_array($operation, ['share', 'detached-share'], true) && $this->lock($key)->limit = (int) $call[8];
        }
    }

    /* No call lasts longer than its deadline allows, whatever happens, and no wait ends before its time. */
    private function duration(string $operation, string $result, int $owner, int $from, int $until, int $wait, bool $patient): void
    {
        $stopped = $this->faults->stopped($this->worker, $from, $until);
        $excused = $stopped + max($this->delayed, $this->faults->howLong('stall', $from, $until));
        $over = $until - $from - $wait - $excused;
        /* What was left when it last looked counts from when it goes on, if what has come by then leads further. */
        $end = ($wait > 0 ? WAIT_END : 0) + (isset($this->interrupts[$owner]) ? INTERRUPT : 0) + ($stopped > 0 ? CALL_TIMEOUT : 0);
        if (!in_array($operation, ['fork', 'foreign'], true) && $over > CALL_TIMEOUT + $end + CALL_SLACK) {
            $this->violation('wait', sprintf('%s (%s) lasted %.3f s longer than it asked for', $operation, $result, $over / S));
        }
        if ($excused === 0 && $over > ($this->longest[$operation] ?? 0)) {
            $this->longest[$operation] = $over;
        }
        if ($patient && $result === 'false' && $until - $from < $wait) {
            $this->violation('early', sprintf('gave up %.6f s before its time', ($wait - $until + $from) / S));
        }
    }

    private function failure(string $result, string $operation, int $from, int $until, int $lease): void
    {
        if ($result === 'Server:OOM' && $this->faults->is('full', $from, $until)) {
            return;
        }
        if ($result === 'Misuse') {
            $this->violation('failure', "$operation: an RLockException of no kind");
        } elseif (str_starts_with($result, 'Server:') && !in_array(substr($result, strlen('Server:')), self::MAY_REFUSE, true)) {
            $this->violation('failure', "$operation: $result, whatever the fault");
        } elseif ($result === 'TooLate') {
            /* A machine too busy for a lease so short; or an adoption that was asked for twice was told what was left, which counts from the first. */
            $twice = $operation === 'adopt' && $this->faults->onTheWay->meet($from - S, $until);
            if ($until - $from < ($lease * 98 / 100 - 3 * MS) / ($twice ? 2 : 1)) {
                $this->violation('failure', "$operation: said that the lease had run out when the answer came, but it had not");
            }
        } elseif ($result === 'Connection' || str_starts_with($result, 'Server:')) {
            /*
             * A connection that was struck before is met only now; after a machine that did not run, and at the beginning, all
             * connect at once; and who had no CPU for a third of its time had too little.
             */
            if (!$this->faults->onTheWay->meet($from - S, $until) && $this->faults->stopped($this->worker, $from, $until) === 0
                && $this->delayed < CALL_TIMEOUT / 3
                && !$this->faults->is('stall', $from - S, $until) && !$this->faults->stepped($from - S, $until)) {
                $this->violation('failure', "$operation: $result without a cause");
            }
        }
    }

    /* Whether the owner has a share of what it asks for exclusively, which it asks once. */
    private function upgrades(array $call): bool
    {
        return $call[3] === 'take' && ($this->held[(int) $call[2]][$call[4]] ?? null)?->shared;
    }

    /** @return ?array{string, int, int, int, int, bool} what the owner says that it holds: token, fence, depth, safe until, said at, whether it is a share; null: nothing */
    private function state(string $text): ?array
    {
        if ($text === '-' || $text === '?') {
            return null;
        }
        $parts = explode('/', $text);
        return [$parts[0], (int) $parts[1], (int) $parts[2], (int) $parts[3], (int) $parts[4], isset($parts[5])];
    }

    /* What the owner said of the lease at the end of a call. */
    private function told(Lease $lease, ?array $state, int $until): void
    {
        if ($state === null) {
            return;
        }
        $lease->random = $lease->random ?: $state[0];
        $this->toldFence($lease, $state[1], $until);
        $lease->safe = $state[3];
        $lease->open = $state[3] > 0 ? [$state[4], $state[3]] : null;
        if ($lease->random !== $state[0]) {
            $this->violation('state', 'the token is another than before');
        }
        if ($lease->shared !== $state[5]) {
            $this->violation('state', $lease->shared ? 'a share is held exclusively' : 'an exclusive lock is a share');
        }
    }

    private function toldFence(Lease $lease, int $fence, int $until): void
    {
        [, $since, $last] = end($lease->fences) ?: [0, $lease->from, 0];
        if ($fence < $last) {
            $this->violation('fence', "its fence was $last, and is $fence");
        } elseif ($fence > $last) {
            $lease->fences[] = [$since, $until, $fence];
        }
    }

    /* Until when a lease that was asked for then is safe; if it was held before, the longer of the two. */
    private static function promised(int $from, int $ttl, ?Lease $former = null): int
    {
        return max($from + intdiv($ttl * 99, 100) - 2 * MS, $former->safe ?? 0);
    }

    /* The owner was told of no less than it asked for, whenever within the call that was looked at. */
    private function lastsAsAsked(?array $state, int $promised, int $from, int $until): void
    {
        if (($state[4] ?? 0) === 0) {
            return;
        }
        $this->report->count('short: judged');
        $safe = ($state[3] ?: $until) + $state[4] - $until;
        if ($safe < $promised - MS && !$this->faults->onTheWay->meet($from - S, $state[4]) && !$this->faults->is('stall', $from - S, $state[4])) {
            $this->violation('short', sprintf('its owner was told that it is safe for %.6f s, and had asked for %.6f s', ($safe - $until) / S, ($promised - $until) / S));
        }
    }

    private function newLease(int $owner, string $key, ?array $state, int $from, int $until, bool $shared = false): Lease
    {
        $lease = new Lease($this->worker, $this->number, "$this->worker.$this->calls", $from, $until, $shared);
        $this->lock($key)->leases[] = $lease;
        $this->held[$owner][$key] = $lease;
        $lease->renewedUntil = isset($this->renews[$owner]) ? $from + $this->renews[$owner] : 0;
        $this->told($lease, $state, $until);
        $this->report->count('sections');
        $shared && $this->report->count('sections: shares');
        if ($state !== null && $state[2] !== 1) {
            $this->violation('state', "$key is held $state[2] deep after one take");
        }
        return $lease;
    }

    private function isVerdict(string $result): bool
    {
        return $result === 'Lost' || $result === 'Timeout' || $result === 'Held';
    }

    private function verdict(string $key, Lease $lease, array $result, int $from, int $until): void
    {
        $this->lock($key)->verdicts[] = [$result[0], $lease, $from, $until, (int) $result[2], $this->worker, $this->number, $lease->safe];
        if ($result[0] !== 'Held') {
            $lease->released = true;
        }
    }

    /* Of what was given back, nothing is told later. */
    private function verdictOnNothing(array $result): void
    {
        $this->violation('state', "$result[0] on $result[1], which was not held, or was not asked about");
    }

    /* What was lost is told in the midst of anything; it was found at some time since the line before. */
    private function interrupt(int $owner, array $result, int $before, int $time): void
    {
        $this->report->count("interrupt: $result[0]");
        $lease = $this->held[$owner][$result[1]] ?? null;
        if ($lease === null) {
            $this->verdictOnNothing($result);
            return;
        }
        $lease->change($time);
        $this->verdict($result[1], $lease, $result, $before, $time);
        unset($this->held[$owner][$result[1]]);
    }

    /* The verdict of a call on a key, of which the lease ends with it unless it is held again. */
    private function judged(int $owner, string $key, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        $state = $this->state($text);
        if ($lease === null || $result[1] !== $key || ($state !== null && $result[0] !== 'Held')) {
            $this->verdictOnNothing($result);
            $this->stays($owner, $key, $text, $until);
            return;
        }
        $this->verdict($key, $lease, $result, $from, $until);
        if ($result[0] === 'Held') {
            $this->told($lease, $state, $until);
            $lease->asked = $from;
        } else {
            unset($this->held[$owner][$key]);
        }
    }

    /* A call that must have left the lease as it was. */
    private function stays(int $owner, string $key, string $text, int $until): void
    {
        if ($text === '?') {
            return;
        }
        $lease = $this->held[$owner][$key] ?? null;
        $state = $this->state($text);
        if (($lease === null) !== ($state === null) || ($lease !== null && $state[2] !== $lease->depth)) {
            $this->violation('state', $state === null ? "$key is not held any more" : "$key is held otherwise than before");
            unset($this->held[$owner][$key]);
        } elseif ($lease !== null) {
            $this->told($lease, $state, $until);
        }
    }

    /* The same grant, at all its levels, is of the other kind from now on. */
    private function changeKind(int $owner, string $key, Lease $former, string $text, int $from, int $until): void
    {
        [$former->asked, $former->released] = [$from, true];
        $lease = new Lease($this->worker, $this->number, $former->name, $from, $until, !$former->shared);
        [$lease->depth, $lease->random, $lease->converted, $lease->keepsFence] = [$former->depth, $former->random, true, $lease->shared];
        $this->held[$owner][$key] = $this->lock($key)->leases[] = $lease;
        $this->report->count($lease->shared ? 'downgrade: done' : 'upgrade: done');
        $this->stays($owner, $key, $text, $until);
    }

    /* A change of kind that got no answer may have given the lock up. */
    private function isGivenUp(int $owner, string $key, string $text): bool
    {
        $lease = $text === '-' ? $this->held[$owner][$key] ?? null : null;
        unset($this->held[$owner][$lease === null ? '' : $key]);
        return $lease !== null && $lease->released = true;
    }

    private function downgrade(int $owner, string $key, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        $exclusive = $lease !== null && !$lease->shared;
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
        } elseif (in_array($result[0], ['true', 'false'], true) && ($result[0] === 'true') !== $exclusive) {
            $this->violation('state', "$key was " . ($exclusive ? '' : 'not ') . "held exclusively, and downgrade() is $result[0]");
        } elseif ($result[0] === 'true') {
            $this->changeKind($owner, $key, $lease, $text, $from, $until);
        } elseif ($result[0] === 'false' || !$this->isGivenUp($owner, $key, $text)) {
            $this->stays($owner, $key, $text, $until);
        }
    }

    /*
     * A take without an answer is undone at its owner's next contact with the server, which is surely the same one if there is
     * but one, or for the same key.
     */
    private function isContacted(int $owner, string $key, int $from, int $until): void
    {
        foreach ($this->unanswered[$owner] ?? [] as $i => [$taken, $name, $since, $grantedUntil]) {
            if ($this->oneServer || ($taken === $key && !$this->majority)) {
                $this->lock($taken)->undone[] = [$name, $since, $grantedUntil, $from, $until, $this->worker, $this->number];
                unset($this->unanswered[$owner][$i]);
            }
        }
    }

    private function take(int $owner, string $key, array $call, array $result, string $text, int $from, int $until): void
    {
        if ($result[0] === 'true' || $result[0] === 'false') {
            $this->isContacted($owner, $key, $from, $until);
        } elseif (!$this->isVerdict($result[0])) {
            $this->unanswered[$owner][] = [$key, "$this->worker.$this->calls", $from, $until + LATE_COPY];
        }
        $state = $this->state($text);
        $lock = $this->lock($key);
        $lease = $this->held[$owner][$key] ?? null;
        $lease === null || $lease->grantedUntil = $until + LATE_COPY;
        $shared = $call[3] === 'share';
        $upgrades = $this->upgrades($call);
        $result[0] === 'true' && $this->lastsAsAsked($state, self::promised($from, (int) ((float) $call[6] * MS), $lease), $from, $until);
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
        } elseif ($result[0] === 'true' && $text === '-') {
            $this->violation('state', "$key was granted and is not held");
        } elseif ($result[0] === 'true' && $lease !== null) {
            $lease->depth++;
            $lease->asked = $from;
            $upgrades ? $this->changeKind($owner, $key, $lease, $text, $from, $until) : $this->stays($owner, $key, $text, $until);
        } elseif ($result[0] === 'true') {
            $lock->waits[] = [$from, $until, $this->worker, $this->number, $this->newLease($owner, $key, $state, $from, $until, $shared), true, $shared, $this->delayed];
        } elseif ($result[0] === 'false' && $upgrades) {
            $this->stays($owner, $key, $text, $until);
            $lock->refusals[] = [$lease, $from, $until, $this->worker, $this->number];
        } elseif ($result[0] === 'false') {
            $this->stays($owner, $key, $text, $until);
            $lock->busy[] = [$from, $until, (int) ((float) $call[5] * MS) - $this->delayed, (int) $call[7], $this->worker, $this->number, $shared, "$this->worker.$this->calls"];
            $lock->waits[] = [$from, $until, $this->worker, $this->number, null, false, $shared, $this->delayed];
        } elseif (!$upgrades || !$this->isGivenUp($owner, $key, $text)) {
            $this->stays($owner, $key, $text, $until);
        }
    }

    private function takeSeveral(int $owner, array $keys, array $result, array $texts, int $from, int $until): void
    {
        $verdict = $this->isVerdict($result[0]);
        foreach ($keys as $i => $key) {
            if ($result[0] === 'false' && $this->pid > 0) {
                $this->lock($key)->refusedTogether[] = [$this->pid, $from, $until, $this->worker, $this->number];
            }
            if ($result[0] !== 'true') {
                $verdict && $result[1] === $key ? $this->judged($owner, $key, $result, $texts[$i], $from, $until)
                    : $this->stays($owner, $key, $texts[$i], $until);
            } elseif ($texts[$i] === '-') {
                $this->violation('state', "$key is not held after getLocks()");
            } else {
                $this->newLease($owner, $key, $this->state($texts[$i]), $from, $until);
            }
        }
        if ($verdict && !in_array($result[1], $keys, true)) {
            $this->verdictOnNothing($result);
        }
    }

    private function release(int $owner, string $key, int $delay, int $confirm, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
        } elseif ($lease === null) {
            if ($result[0] === 'true' || $text !== '-') {
                $this->violation('state', "$key was not held, and its release is $result[0]");
            }
        } elseif ($result[0] === 'false') {
            $this->violation('state', "$key was held, and its release is false");
            unset($this->held[$owner][$key]);
        } elseif ($lease->depth > 1 && ($result[0] === 'true' || $text !== '-')) {
            $result[0] === 'true' && $lease->depth--;
            $lease->believed = $result[0] === 'true' ? $from : $lease->believed;
            $this->stays($owner, $key, $text, $until);
        } else {
            unset($this->held[$owner][$key]);
            $lease->released = true;
            if ($text !== '-') {
                $this->violation('state', "$key is held after its release");
            }
            if ($result[0] === 'true' && $confirm) {
                $this->lock($key)->verdicts[] = ['true', $lease, $from, $until, 0, $this->worker, $this->number, $lease->safe];
                $this->lock($key)->releases[] = [$lease, $from, $until, $this->worker, $this->number];
                $this->cooldown($key, $delay, $from, $until);
            } elseif ($result[0] === 'true') {
                $lease->believed = $from;
            }
        }
    }

    /* Counted from when the server released it, which was after the call began. */
    private function cooldown(string $key, int $delay, int $from, int $until): void
    {
        if ($delay > 0) {
            $this->lock($key)->cooldowns[] = [$until, $from + $delay, $this->worker, $this->number];
        }
    }

    private function releaseAll(int $owner, array $result, int $from, int $until): void
    {
        foreach ($this->held[$owner] ?? [] as $key => $lease) {
            if ($this->isVerdict($result[0]) && $result[1] === $key) {
                $this->verdict($key, $lease, $result, $from, $until);
            }
            if ($result[0] === 'true') {
                $this->lock($key)->verdicts[] = ['true', $lease, $from, $until, 0, $this->worker, $this->number, $lease->safe];
            }
            if (in_array($result[0], ['true', 'false', 'none'], true)) {
                $this->lock($key)->releases[] = [$lease, $from, $until, $this->worker, $this->number];
            }
            $lease->released = true;
        }
        $this->held[$owner] = [];
    }

    private function prolong(int $owner, string $key, int $ttl, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        $lease === null || $lease->grantedUntil = $until + LATE_COPY;
        if ($lease !== null && $result[0] !== 'true' && ($result[1] ?? $key) === $key) { /* it may have made the lease shorter */
            $lease->safe = min($lease->safe, $from + intdiv($ttl * 99, 100) - 2 * MS);
        }
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
            return;
        }
        if (($result[0] === 'false' && $lease !== null) || ($result[0] === 'true' && $lease === null)) {
            $this->violation('state', "$key was " . ($lease === null ? 'not ' : '') . "held, and prolongate() is $result[0]");
        }
        if ($result[0] === 'true' && $lease !== null) {
            $lease->asked = $from;
            $this->lock($key)->looks[] = [true, $lease, $from, $until, $this->worker, $this->number];
            $this->lastsAsAsked($this->state($text), self::promised($from, $ttl), $from, $until);
        }
        $this->stays($owner, $key, $text, $until);
    }

    private function check(int $owner, string $key, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0])) {
            /* Of a key that was lost it says so again, which proves nothing new. */
            if ($lease !== null || $result[1] !== $key) {
                $this->judged($owner, $key, $result, $text, $from, $until);
            }
            return;
        }
        if ($result[0] === 'none' && $lease !== null) {
            $lease->believed = $from;
        }
        $this->stays($owner, $key, $text, $until);
    }

    private function look(string $operation, int $owner, string $key, array $result, string $text, int $from, int $until): void
    {
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
            return;
        }
        $lease = $this->held[$owner][$key] ?? null;
        is_numeric($result[0]) && $this->lock($key)->crowds[] = [(int) $result[0], $from, $this->worker, $this->number];
        if ($operation === 'holder' && ($result[0] === 'true' || $result[0] === 'false')) {
            $this->lock($key)->holders[] = [$result[0] === 'true', $from, $until, $this->worker, $this->number];
        } elseif ($result[0] === 'true' || $result[0] === 'false') {
            if ($lease !== null) {
                $this->lock($key)->looks[] = [$result[0] === 'true', $lease, $from, $until, $this->worker, $this->number];
                $lease->asked = $result[0] === 'true' ? $from : $lease->asked;
            } elseif ($result[0] === 'true') {
                $this->violation('state', "$key was not held, and $operation is true");
            }
        }
        $this->stays($owner, $key, $text, $until);
    }

    private function handOver(int $owner, string $key, int $ttl, array $result, string $text, int $from, int $until): void
    {
        $lease = $this->held[$owner][$key] ?? null;
        if ($this->isVerdict($result[0])) {
            $this->judged($owner, $key, $result, $text, $from, $until);
        } elseif ($lease === null) {
            $this->violation('state', "$key was not held, and handOver() is $result[0]");
        } elseif ($text === '-') {
            $lease->asked = $result[0] === 'true' ? $from : $lease->asked;
            $lease->released = true;
            if ($result[0] === 'true') {
                $this->lock($key)->handedOver[] = [$lease, $ttl, $from, $until, $this->worker, $this->number];
            }
            unset($this->held[$owner][$key]);
        } elseif ($result[0] === 'true') {
            $this->violation('state', "$key is held after handOver()");
        } else {
            $this->stays($owner, $key, $text, $until);
        }
    }

    private function adopt(int $owner, string $key, string $random, array $result, string $text, int $from, int $until): void
    {
        if ($this->isVerdict($result[0])) {
            $this->verdictOnNothing($result);
            return;
        }
        /* One that is false may have been done, and over when it was asked for again. */
        $answered = in_array($result[0], ['true', 'false'], true);
        if ($result[0] !== 'false' || $this->faults->onTheWay->meet($from, $until)) {
            $this->lock($key)->adoptions->add($from, $until + ($answered ? 0 : 2 * S));
        }
        if ($result[0] === 'true' && $text === '-') {
            $this->violation('state', "$key was adopted and is not held");
        } elseif ($result[0] === 'true') {
            $this->newLease($owner, $key, $this->state($text), $from, $until);
        } elseif ($result[0] === 'false') {
            $this->lock($key)->refusedAdoptions[] = [$random, $from, $until, $this->worker, $this->number];
        }
    }

    private function break(string $key, int $fence, string $result, int $from, int $until): void
    {
        if ($result !== 'false') {
            $this->lock($key)->break($fence, $from, $until + ($result === 'true' ? 0 : 2 * S));
        }
        if ($result === 'true' && $fence > 0) {
            $this->lock($key)->broken[] = [$fence, $from, $until, $this->worker, $this->number];
        }
    }

    private function named(array $call, string $result, int $until): void
    {
        [$from, $operation, $lock, $name] = [(int) $call[1], substr($call[3], strlen('detached-')), $this->lock($call[4]), end($call)];
        $answered = in_array($result, ['true', 'false'], true);
        $takes = in_array($operation, ['take', 'share'], true);
        $wait = $takes ? (int) ((float) $call[5] * MS) : 0;
        $named = new NamedCall($operation, $name, $this->worker, $this->number, "$this->worker.$this->calls", $from, $until, $wait,
            $until + ($answered || !in_array($operation, ['release', 'prolong'], true) ? 0 : LATE_RELEASE));
        $lock->named[$name][] = $named;
        if ($takes && $answered) {
            $lock->waits[] = [$from, $until, $this->worker, $this->number, null, $result === 'true', $operation === 'share', $this->delayed];
            $result === 'true' || $lock->busy[] = [$from, $until, $wait - $this->delayed, (int) $call[7], $this->worker, $this->number, $operation === 'share', $named->call];
        }
        $named->said = match (true) {
            $answered => $result === 'true',
            is_numeric($result) => (int) $result > 0,
            $result === 'none' => $this->majority ? null : false, /* of a majority there is no fence */
            default => null,
        };
        $named->fence = $operation === 'fence' ? (int) $result : 0;
        $named->delay = $operation === 'release' ? (int) ((float) $call[5] * MS) : 0;
        $named->safe = match (true) {
            $operation === 'ttl' => $from + (int) $result * MS,
            $result === 'true' && ($takes || $operation === 'prolong') => $from + (int) ((float) $call[$takes ? 6 : 5] * MS * 0.99) - 2 * MS,
            default => 0,
        };
    }
}
