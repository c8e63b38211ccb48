<?php
/*
 * What the servers did, from their append-only files: which value each lock key had, from when to when, until when it
 * was to live, and under which fence. Of each write it is known in which order it came, and between which two times
 * (recorder.php).
 *
 * For a lock that is a list of grants, each of one token, whose fence may rise while it has the lock. Whoever takes the lock
 * over by its token has a grant of its own. On a majority a grant is one token on all servers. A foreign client's has no fence.
 * A share is a grant, too, for as long as the lock is held shared and the set of shares has it; a share that becomes exclusive,
 * and the other way round, is another grant of the same token. A name's token is always the same, so each time that it has the
 * lock is a grant of its own; what the name has is all of them together. A baton is nobody's.
 */

const MS = 1_000_000;
const S = 1_000_000_000;
/* How far apart our clock and the servers' may be read, and how late a server ends a lease. */
const CLOCK_SLACK = 6 * MS;

/* The index of the first element greater than the value. */
function first_after(array $sorted, int|array $value): int
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

    /* How much of the time between the two is in one of them. */
    public function overlap(int $from, int $until): int
    {
        $this->sorted || $this->sort();
        [$sum, $done] = [0, $from];
        for ($i = first_after($this->latest, $from); $i < count($this->from) && $this->from[$i] < $until; $i++) {
            $begin = max($done, $this->from[$i]);
            $end = min($until, $this->until[$i]);
            if ($end > $begin) {
                $sum += $end - $begin;
                $done = $end;
            }
        }
        return $sum;
    }

    /** @return list<array{int, int}> the times between the two that are in none of them, and longer than that */
    public function gaps(int $from, int $until, int $least): array
    {
        $this->sorted || $this->sort();
        $gaps = [];
        for ($i = first_after($this->latest, $from); $i < count($this->from) && $this->from[$i] < $until; $i++) {
            if ($this->from[$i] - $from > $least) {
                $gaps[] = [$from, $this->from[$i]];
            }
            $from = max($from, $this->until[$i]);
        }
        return $until - $from > $least ? [...$gaps, [$from, $until]] : $gaps;
    }

    /* How many of them there are between the two. */
    public function count(int $from, int $until): int
    {
        $this->sorted || $this->sort();
        $count = 0;
        for ($i = first_after($this->latest, $from - 1); $i < count($this->from) && $this->from[$i] <= $until; $i++) {
            $count += $this->until[$i] >= $from;
        }
        return $count;
    }
}

/* Who has a lock, as its value says, or the record of a share. */
final class Holder
{
    /* What the server compares; its random part; a detached lock's name, in hexadecimal; the process. */
    public readonly string $token, $random, $name;
    public readonly int $pid;
    /* What the call that took it gave as metadata: WORKER.CALL. */
    public readonly string $call;

    public function __construct(string $value)
    {
        $parts = explode(':', $value, 5);
        $this->name = explode('@', $parts[0], 2)[1] ?? '';
        $this->random = $parts[1] ?? '';
        $this->token = "$parts[0]:" . ($this->name === '' ? "$this->random:" : '');
        [$this->pid, $this->call] = [(int) ($parts[3] ?? 0), $parts[4] ?? ''];
    }

    /* As a value would say it. */
    public static function ofShare(string $token, string $record): string
    {
        return $token . (str_contains($token, '@') ? ':' : '') . explode(':', $record, 2)[1];
    }

    public static function isOurs(string $value): bool
    {
        return preg_match('/^rlock1[:@]/', $value) === 1;
    }
}

final class Grant
{
    /* What its token has that no other has; of a name's, that of the call which took it, or nothing. */
    public string $random = '';
    /* What the call that took it gave as metadata: WORKER.CALL. */
    public string $name = '';
    /* The process that took it. */
    public int $pid = 0;
    /* The name that a detached lock belongs to, in hexadecimal. */
    public string $holder = '';
    /* The random part of the token that it was taken over from. */
    public string $former = '';
    /** @var array<int, array{int, int}> fence => between which times it had that first */
    public array $fences = [];
    /** @var array<int, list<array{int, int, int, int}>> node => after, before, until when it lives then (by our clock), or 0: it is gone; its place in the file */
    public array $changes = [];
    /* When as many nodes had it as make a grant: at the earliest, and at the latest; PHP_INT_MAX: not for sure. */
    public int $after = PHP_INT_MAX, $before = PHP_INT_MAX;
    /* The place in the file of what was written first of it: on one server, that is the order of grants, however close they are. */
    public int $written = PHP_INT_MAX;
    public bool $passedOn = false;
    /* It was of the other kind before. */
    public bool $converted = false;
    /* So many nodes that have it make a grant; so many, that surely those have it that decide. */
    private int $quorum = 1, $surely = 1;

    public function __construct(public readonly string $token, public readonly bool $isForeign = false, public readonly bool $shared = false)
    {
    }

    /* That which it began with. */
    public function fence(): int
    {
        return array_key_first($this->fences) ?? 0;
    }

    public function hasFence(int $fence, int $after, int $before): void
    {
        [$first, $latest] = $this->fences[$fence] ?? [$after, $before];
        $this->fences[$fence] = [min($first, $after), min($latest, $before)];
        ksort($this->fences);
    }

    /* Whether it is what that one is, as another server saw it, or another life of this one. */
    public function isSame(Grant $other): bool
    {
        return $this->token === $other->token && $this->shared === $other->shared
            && (array_intersect_key($this->fences, $other->fences) !== [] || $this->fences === [] || $other->fences === []);
    }

    public function unite(Grant ...$others): void
    {
        foreach ($others as $other) {
            if ($this->changes !== [] && $other->firstSeen() < $this->firstSeen()) { /* a name's share names its last call, wherever it was moved to */
                [$this->random, $this->pid, $this->name] = [$other->random, $other->pid, $other->name];
            }
            foreach ($other->fences as $fence => [$after, $before]) {
                $this->hasFence($fence, $after, $before);
            }
            $this->former = $this->former ?: $other->former;
            foreach ($other->changes as $node => $changes) {
                /* The end of what had run out may be noticed when another has begun. */
                $news = array_filter($changes, fn (array $change, int $i) => $change[2] > 0 || $i === 0 || $changes[$i - 1][2] > $change[1], ARRAY_FILTER_USE_BOTH);
                $this->changes[$node] = [...$this->changes[$node] ?? [], ...$news];
            }
            $this->passedOn = $this->passedOn || $other->passedOn;
        }
        foreach ($this->changes as &$changes) {
            usort($changes, fn (array $a, array $b) => [$a[3], $a[2]] <=> [$b[3], $b[2]]); /* one token's end before the next one's beginning */
        }
    }

    public function firstSeen(): int
    {
        return min(array_column(array_merge(...array_values($this->changes)), 1));
    }

    /** @return array{int, int} by the clock, and which of the writes that it was then */
    public function firstWritten(): array
    {
        return min(array_map(fn (array $change) => [$change[1], $change[3]], array_merge(...array_values($this->changes))));
    }

    public function settle(int $quorum, int $surely): void
    {
        [$this->quorum, $this->surely] = [$quorum, $surely];
        $changes = array_merge(...array_values($this->changes));
        [, $this->written] = min(array_map(fn (array $change) => [$change[1], $change[3]], $changes)); /* of that server's file where it was first */
        if ($quorum === 1) {
            [$this->after, $this->before] = [min(array_column($changes, 0)), min(array_column($changes, 1))];
            return;
        }
        foreach ($changes as [$after, $before]) {
            if ($after < $this->after && $this->mayBeThere($after, $before)) {
                $this->after = $after;
            }
            if ($before < $this->before && $this->isThere($before, $before)) {
                $this->before = $before;
            }
        }
    }

    /* Whether it is what became of that one in one step: of the other kind. */
    public function follows(Grant $former): bool
    {
        if ($this->token !== $former->token || $this->shared === $former->shared) {
            return false;
        }
        $ends = array_filter(array_merge(...array_values($former->changes)), fn (array $change) => $change[2] === 0);
        return in_array($this->written, array_column($ends, 3), true);
    }

    /* Whether one call's exclusive lock became this share, which keeps the fence. */
    public function isDowngradeOf(Grant $former): bool
    {
        return $this->token === $former->token && $this->name === $former->name && $this->shared && !$former->shared;
    }

    /* The place in the file where it was last set again after it had been gone; or 0. Not by a server that reads what has long been over. */
    public function setAgain(): int
    {
        $last = 0;
        foreach ($this->changes as $changes) {
            $lives = array_column(array_filter($changes, fn (array $change) => $change[2] > 0), 2, 1); /* moment => until when it was to live in the end */
            foreach ($changes as $i => [, $before, $then, $written]) {
                $again = $i > 0 && $changes[$i - 1][2] === 0 && min($then, $lives[$before] ?? 0) > $before;
                $last = $again ? max($last, $written) : $last;
            }
        }
        return $last;
    }

    /* That which so many nodes have. */
    private static function nth(array $values, int $nodes): int
    {
        rsort($values);
        return $values[$nodes - 1] ?? 0;
    }

    /* Until when it lives, of what may be so at that moment the longest. */
    public function until(int $moment): int
    {
        return $this->longest($moment, $moment);
    }

    /* Whether it may have been there at some time between the two. */
    public function mayBeThere(int $from, int $until): bool
    {
        return $this->longest($from, $until) > $from;
    }

    /**
     * Between which two later moments a node gets it that had it not; null: none does. A replica may hear late of what is over.
     * @return ?array{int, int}
     */
    public function beginsAfter(int $moment): ?array
    {
        foreach ($this->surely > $this->quorum ? [] : $this->changes as $changes) {
            foreach ($changes as $i => [$after, $before, $then]) {
                if ($after >= $moment && $then > $before && ($i === 0 || $changes[$i - 1][2] === 0)) {
                    return [$after, $before];
                }
            }
        }
        return null;
    }

    /* The last moment from which on a node has it that had it not. */
    public function lastBegan(): int
    {
        $last = 0;
        foreach ($this->changes as $changes) {
            foreach ($changes as $i => [, $before, $then]) {
                $last = $then > $before && ($i === 0 || $changes[$i - 1][2] === 0) ? max($last, $before) : $last;
            }
        }
        return $last;
    }

    /* How many nodes may have had it. */
    public function mayBeOn(int $from, int $until): int
    {
        return count(array_filter($this->onEach($from, $until), fn (int $then) => $then > $from));
    }

    private function longest(int $from, int $until): int
    {
        return self::nth($this->onEach($from, $until), $this->quorum);
    }

    /** @return list<int> until when it lives on each node, of what may be so between the two the longest */
    private function onEach(int $from, int $until): array
    {
        $longest = [];
        foreach ($this->changes as $changes) {
            $most = 0;
            foreach ($changes as [$after, $before, $then]) {
                if ($before <= $from) {
                    $most = $then;
                } elseif ($after <= $until) {
                    $most = max($most, $then);
                }
            }
            $longest[] = $most;
        }
        return $longest;
    }

    /* Whether it was there all the time between the two, with some time left at the end. */
    public function isThere(int $from, int $until, int $left = 0): bool
    {
        $shortest = [];
        foreach ($this->changes as $changes) {
            $least = 0;
            foreach ($changes as [$after, $before, $then]) {
                if ($before <= $from) {
                    $least = $then;
                } elseif ($after <= $until) {
                    $least = min($least, $then);
                }
            }
            $shortest[] = $least;
        }
        return self::nth($shortest, $this->surely) > $until + $left;
    }

    /** @return list<int> moments between the two at which something has just changed */
    public function moments(int $from, int $until): array
    {
        $moments = [];
        foreach ($this->changes as $changes) {
            foreach ($changes as [$after, $before]) {
                if ($after > $from && $before < $until) {
                    $moments[] = $before;
                }
            }
        }
        sort($moments);
        return $moments;
    }
}

/* What the servers tell of one lock. */
final class LockRecord
{
    /** @var array<string, Grant> by what no two have in common */
    public array $grants = [];
    /** @var array<string, list<Grant>> */
    public array $byRandom = [], $byName = [];
    /** @var array<int, list<Grant>> */
    public array $byFence = [];
    /** @var array<string, non-empty-list<Grant>> name of a detached lock => its tokens' */
    public array $byHolder = [];
    /* When somebody had it on any server, or it was passed on to somebody, or kept from all; and when no share could be had, whatever its limit. */
    public Intervals $taken, $closed;
    /* When it was kept for a waiter that did not come in time. */
    public Intervals $lapsed;
    /** @var list<array{int, int, bool, int}> the same without what was only passed on: after, before, whether the lease ran out, the node if it is a share, or 0 */
    public array $tenures = [];
    /** @var array{list<int>, list<int>, list<int>, list<int>} what kept the lock taken: since when, until when that stood in the lock's key, the latest of those so far, and until when it was to live */
    private array $lives = [[], [], [], []];
    /** @var list<array{int, string}> keys that were left without an end: by when, which */
    public array $endless = [];
    /** @var list<array{int, int, int}> fences that fell: by when, from which, to which */
    public array $falls = [];
    /** @var list<array{int, int, Grant}> shares that were taken: by when, how many others there surely were then, which */
    public array $entries = [];
    /** @var array<int, Intervals> limit => when there may have been so many shares */
    private array $crowded = [];
    private int $quorum, $surely;

    public function __construct(public readonly string $name)
    {
        [$this->taken, $this->closed, $this->lapsed] = [new Intervals, new Intervals, new Intervals];
    }

    public function addLife(int $since, int $before, int $until): void
    {
        [$this->lives[0][], $this->lives[1][], $this->lives[3][]] = [$since, $before, $until];
    }

    /* Until when at most it was to be taken, by what its key was at some time between the two; of several servers, by any. */
    public function takenUntil(int $from, int $until): int
    {
        [$since, $before, $latest, $ends] = $this->lives;
        $most = 0;
        for ($i = first_after($since, $until) - 1; $i >= 0 && $latest[$i] >= $from; $i--) {
            $most = $before[$i] >= $from ? max($most, $ends[$i]) : $most;
        }
        return $most;
    }

    /* They are noted when they end; in the order in which they began, they are found faster. */
    public function sortLives(): void
    {
        array_multisort($this->lives[0], $this->lives[1], $this->lives[3]);
        $latest = 0;
        foreach ($this->lives[1] as $i => $before) {
            $this->lives[2][$i] = $latest = max($latest, $before);
        }
    }

    /* When there may have been so many shares, on any server. */
    public function crowded(int $limit): Intervals
    {
        if (!isset($this->crowded[$limit])) {
            $this->crowded[$limit] = new Intervals;
            foreach (array_unique(array_column($this->tenures, 3)) as $node) {
                $node > 0 && $this->addCrowds($node, $limit);
            }
        }
        return $this->crowded[$limit];
    }

    private function addCrowds(int $node, int $limit): void
    {
        $steps = [];
        foreach ($this->tenures as [$after, $before, , $of]) {
            if ($of === $node) {
                $steps[] = [$after, 1];
                $steps[] = [$before + 20 * MS, -1];
            }
        }
        usort($steps, fn (array $a, array $b) => [$a[0], -$a[1]] <=> [$b[0], -$b[1]]);
        $held = $since = 0;
        foreach ($steps as [$moment, $step]) {
            $held += $step;
            if ($held === $limit && $step > 0) {
                $since = $moment;
            } elseif ($held === $limit - 1 && $step < 0) {
                $this->crowded[$limit]->add($since, $moment);
            }
        }
    }

    /* A token under one fence is the same grant on every node, and so is one that came before its fence. */
    private function uniteMoved(): void
    {
        $known = [];
        foreach ($this->grants as $id => $grant) {
            $first = null;
            foreach ($known[$grant->token] ?? [] as $other => $earlier) {
                if (!$grant->isSame($earlier)) {
                    continue;
                }
                $united = $first === null ? [$id, $grant] : [$other, $earlier];
                $first ??= $earlier;
                $first->unite($united[1]);
                unset($this->grants[$united[0]], $known[$grant->token][$united[0]]);
            }
            $first === null && !$grant->isForeign && $known[$grant->token][$id] = $grant;
        }
        $exclusive = array_map(fn (Grant $grant) => $grant->firstWritten(), array_filter($this->grants, fn (Grant $grant) => !$grant->shared && !$grant->isForeign));
        sort($exclusive);
        foreach ($known as $grants) {
            count($grants) > 1 && $this->uniteTakenBack($grants, $exclusive);
        }
    }

    /*
     * A share that had ended, and was taken back, has another fence then. Where somebody had the lock exclusively in between, it was not
     * taken back: a call whose answers were lost was granted a second one.
     * @param array<int, Grant> $grants a token's
     * @param list<array{int, int}> $exclusive when somebody was first written to have the lock exclusively, in order
     */
    private function uniteTakenBack(array $grants, array $exclusive): void
    {
        $era = fn (Grant $grant) => first_after($exclusive, $grant->firstWritten());
        uasort($grants, fn (Grant $a, Grant $b) => [$a->fence(), $a->shared] <=> [$b->fence(), $b->shared]);
        $last = null;
        foreach ($grants as $id => $grant) {
            if ($grant->shared && $last?->shared && !str_contains($grant->token, '@') && $era($grant) === $era($last)) {
                $last->unite($grant);
                unset($this->grants[$id]);
            } else {
                $last = $grant;
            }
        }
    }

    public function settle(int $quorum, int $surely): void
    {
        [$this->quorum, $this->surely] = [$quorum, $surely];
        $quorum === 1 && $this->uniteMoved();
        $this->sortLives();
        foreach ($this->grants as $grant) {
            $grant->settle($quorum, $surely);
            $this->byRandom[$grant->random][] = $grant;
            $this->byName[$grant->name][] = $grant;
            foreach (array_keys($grant->fences) as $fence) {
                $this->byFence[$fence][] = $grant;
            }
            $this->byHolder[$grant->holder][] = $grant;
        }
        unset($this->byHolder['']);
        array_map($this->markConverted(...), array_filter($this->byRandom, fn (array $grants) => count($grants) > 1));
    }

    /** @param list<Grant> $grants a token's */
    private function markConverted(array $grants): void
    {
        usort($grants, fn (Grant $a, Grant $b) => [$a->before, $a->written] <=> [$b->before, $b->written]);
        foreach ($grants as $i => $grant) {
            $grant->converted = $i > 0 && $grant->random !== '' && $grant->shared !== $grants[$i - 1]->shared;
        }
    }

    /* All that a detached lock's name had, or all that it had exclusively. */
    public function allOf(string $holder, bool $exclusively = false): ?Grant
    {
        $grants = array_filter($this->byHolder[$holder] ?? [], fn (Grant $grant) => !$exclusively || !$grant->shared);
        if ($grants === []) {
            return null;
        }
        $all = new Grant("rlock1@$holder:");
        $all->unite(...$grants);
        $all->settle($this->quorum, $this->surely);
        return $all;
    }
}

final class Servers
{
    /** @var array<string, LockRecord> */
    public array $locks = [];
    /** @var array<string, array{list<int>, list<int>, list<int>, list<int>}> file => after, before, wall, size */
    private array $samples = [];
    public int $writes = 0;

    public function __construct(private string $folder, private FaultLog $faults, private int $quorum)
    {
        foreach (new SplFileObject("$folder/samples") as $line) {
            $words = explode(' ', rtrim($line, "\n"));
            if (count($words) === 5) {
                foreach ([(int) $words[0], (int) $words[1], (int) $words[2], (int) $words[4]] as $i => $number) {
                    $this->samples[$words[3]][$i][] = $number;
                }
            }
        }
        array_walk($this->samples, self::withoutTorn(...));
        foreach (glob("$folder/node-*") as $node) {
            $lives = glob("$node/aof-*");
            natsort($lives);
            foreach ($lives as $life) {
                $this->readLife((int) substr($node, strrpos($node, '-') + 1), $life);
            }
        }
        /* Which of two is the master is not written, and a replica may be behind. */
        $surely = in_array(trim(file_get_contents("$folder/deployment")), ['sentinel', 'replicas'], true) ? 2 : $quorum;
        foreach ($this->locks as $lock) {
            $lock->settle($quorum, $surely);
        }
    }

    /* A server that is started again cuts off what it had not written whole when it was killed, and goes on from there. */
    private static function withoutTorn(array &$samples): void
    {
        $sizes = &$samples[3];
        for ($i = count($sizes) - 2; $i >= 0; $i--) {
            $sizes[$i] = min($sizes[$i], $sizes[$i + 1]);
        }
    }

    public function lock(string $name): LockRecord
    {
        return $this->locks[$name] ??= new LockRecord($name);
    }

    private function readLife(int $node, string $life): void
    {
        $state = new ServerState($this, $this->faults, $node, $this->quorum);
        $files = glob("$life/*.incr.aof");
        natsort($files);
        foreach ($files as $path) {
            $base = preg_replace('/incr\.aof$/', 'base.aof', $path);
            [$after, $before, $wall, $sizes] = $this->samples[substr($path, strlen($this->folder) + 1)] ?? [[], [], [], []];
            $state->begin($after[0] ?? $this->faults->from, $before[0] ?? $this->faults->until);
            if (file_exists($base) && $sizes !== []) {
                $bytes = "*1\r\n$5\r\nMULTI\r\n" . file_get_contents($base) . "*1\r\n$4\r\nEXEC\r\n";
                $this->replay($state, $bytes, [$after[0]], [$before[0]], [$wall[0]], [PHP_INT_MAX]);
            }
            $state->isNews = true;
            $this->replay($state, file_get_contents($path), $after, $before, $wall, $sizes);
        }
        $state->stop($this->faults->endOfLife($node, (int) substr($life, strrpos($life, '-') + 1)));
    }

    /* What a server wrote when nobody looked any more, such as the end of a lease that ran out then, has no time: it is left out. */
    private function replay(ServerState $state, string $bytes, array $after, array $before, array $wall, array $sizes): void
    {
        [$at, $length, $sample, $inside] = [0, min(strlen($bytes), (int) end($sizes)), 0, false];
        while ($at < $length) {
            if ($bytes[$at] === '#') {
                $at = strpos($bytes, "\n", $at) + 1;
                continue;
            }
            $line = strpos($bytes, "\r\n", $at);
            if ($line === false) {
                return; /* torn */
            }
            $count = (int) substr($bytes, $at + 1, $line - $at - 1);
            $at = $line + 2;
            $words = [];
            for (; $count > 0; $count--) {
                $line = $at < strlen($bytes) ? strpos($bytes, "\r\n", $at) : false;
                if ($line === false) {
                    return;
                }
                $size = (int) substr($bytes, $at + 1, $line - $at - 1);
                $words[] = substr($bytes, $line + 2, $size);
                $at = $line + 4 + $size;
            }
            if ($at > $length) {
                return;
            }
            $this->writes++;
            $name = strtoupper($words[0]);
            if ($name === 'MULTI') {
                $inside = true;
            } elseif ($name === 'EXEC') {
                $inside = false;
            } else {
                $state->apply($name, $words);
            }
            if (!$inside) {
                while ($sizes[$sample] < $at) {
                    $sample++;
                }
                $state->commit($after[$sample], $before[$sample], $wall[$sample]);
            }
        }
    }
}

/* One server's keys, as its file makes them. */
final class ServerState
{
    /* A lock's keys: what each holds, and until when it lives, in ms. */
    private const KEYS = ['lock@' => 'lock', 'rlock:f:' => 'fence', 'rlock:s:' => 'shares', 'rlock:h:' => 'record', 'rlock:t:' => 'turnstile'];
    private const NONE = ['lock' => ['', 0], 'fence' => ['', 0], 'shares' => [[], 0], 'record' => [[], 0], 'turnstile' => ['', 0]];
    /* As long as the lock holds this, it is held by the shares of the set. */
    private const SHARED = '+shared';

    /* Whether what is written has happened just then; else it is what the file begins with. */
    public bool $isNews = false;
    /** @var array<string, array<string, array{string|array<string, float|string>, int}>> lock => its keys */
    private array $locks = [];
    /** @var array<string, array{string, int, int, int}> lock => what its own key holds: the value, until when by the server's clock, since when, until when */
    private array $keys = [];
    /** @var array<string, true> those that are being changed; of which the lock was deleted, too; or what lay in its list was taken */
    private array $touched = [], $deleted = [], $popped = [];
    /** @var array<string, array<string, true>> lock => shares of which something is written, so that they were there then, however late that reached the file */
    private array $alive = [];
    /** @var array<string, int> lock => its last fence */
    private array $fences = [];
    /** @var array<string, array<string, Grant>> lock => token => what it had last */
    private array $latest = [];
    /** @var array<string, array<string, array{int, int, ?Grant, string, int, int}>> lock => place => since when it is taken, until when it lives, whose, the value, until when by the server's clock, the fence */
    private array $taken = [];

    public function __construct(private Servers $servers, private FaultLog $faults, private int $node, private int $quorum)
    {
    }

    public function apply(string $name, array $words): void
    {
        if (in_array($name, ['DEL', 'UNLINK'], true) && count($words) > 2) {
            array_map(fn (string $key) => $this->apply($name, [$name, $key]), array_slice($words, 1));
            return;
        }
        [$lock, $key] = $this->key($words[1] ?? '');
        if ($lock === null) {
            if ($name === 'LPOP') {
                $this->popped[self::lockOf($words[1])] = true;
            }
            return;
        }
        [$value, $lives] = $this->locks[$lock][$key];
        if ($key === 'record' && $name === 'HSET') {
            $this->alive[$lock][$words[2]] = true;
        }
        if ($key === 'lock' && in_array($name, ['DEL', 'UNLINK'], true)) {
            $this->deleted[$lock] = true;
        }
        $this->locks[$lock][$key] = match ($name) {
            'SET' => [$words[2], match (strtoupper($words[3] ?? '')) {
                'PXAT' => (int) $words[4],
                'KEEPTTL' => $lives,
                default => 0,
            }],
            'INCRBY' => [(string) ((int) $value + (int) $words[2]), $lives],
            'SETRANGE' => [substr_replace($value, $words[3], (int) $words[2], strlen($words[3])), $lives],
            'PERSIST' => [$value, 0],
            'PEXPIREAT' => [$value, (int) $words[2]],
            'DEL', 'UNLINK' => self::NONE[$key],
            'RESTORE', 'RESTORE-ASKING' => [self::restored($words[3]) ?? $value, (int) $words[2]],
            'ZADD' => [self::added($value, array_slice($words, 2)), $lives],
            'HSET', 'HMSET' => [self::paired(array_slice($words, 2)) + $value, $lives],
            'ZREM', 'HDEL' => [array_diff_key($value, array_flip(array_slice($words, 2))), $lives],
            'ZREMRANGEBYSCORE' => [self::outside($value, $words[2], $words[3]), $lives],
            default => [$value, $lives],
        };
        if ($this->locks[$lock][$key][0] === []) {
            $this->locks[$lock][$key] = self::NONE[$key]; /* a set or hash that is empty is gone */
        }
    }

    /** @return array{?string, string} the name of the lock that the key belongs to, and which of its keys it is */
    private function key(string $key): array
    {
        foreach (self::KEYS as $prefix => $which) {
            if (str_starts_with($key, $prefix)) {
                $lock = self::lockOf($key);
                $this->locks[$lock] ??= self::NONE;
                $this->touched[$lock] = true;
                return [$lock, $which];
            }
        }
        return [null, ''];
    }

    private static function lockOf(string $key): string
    {
        return substr($key, strrpos($key, '@') + 1);
    }

    /** @param list<string> $pairs field, value, field, value, ... */
    private static function paired(array $pairs): array
    {
        return array_column(array_chunk($pairs, 2), 1, 0);
    }

    /** @param list<string> $pairs score, member, score, member, ... */
    private static function added(array $set, array $pairs): array
    {
        foreach (array_chunk($pairs, 2) as [$score, $member]) {
            $set[$member] = (float) $score;
        }
        return $set;
    }

    private static function outside(array $set, string $least, string $most): array
    {
        $bound = fn (string $text) => match (ltrim($text, '(')) {
            '-inf' => -INF,
            '+inf' => INF,
            default => (float) ltrim($text, '('),
        };
        [$low, $high] = [$bound($least), $bound($most)];
        return array_filter($set, fn (float $score) => $score < $low || ($least[0] === '(' && $score === $low)
            || $score > $high || ($most[0] === '(' && $score === $high));
    }

    /* A string, a hash or a sorted set that came from another node, which is not compressed; null: something else. */
    private static function restored(string $dump): string|array|null
    {
        $at = 1;
        return match (ord($dump[0])) {
            0 => self::text($dump, $at),
            4 => self::fields($dump, $at),
            5 => self::scores($dump, $at),
            16 => self::paired(self::listpack(self::text($dump, $at))),
            17 => self::added([], self::reversedPairs(self::listpack(self::text($dump, $at)))),
            default => null,
        };
    }

    private static function length(string $dump, int &$at): int
    {
        $first = ord($dump[$at++]);
        return match ($first >> 6) {
            0 => $first & 63,
            1 => ($first & 63) << 8 | ord($dump[$at++]),
            default => unpack('N', $dump, ($at += 4) - 4)[1],
        };
    }

    private static function text(string $dump, int &$at): string
    {
        $length = self::length($dump, $at);
        return substr($dump, ($at += $length) - $length, $length);
    }

    private static function fields(string $dump, int &$at): array
    {
        $hash = [];
        for ($left = self::length($dump, $at); $left > 0; $left--) {
            $field = self::text($dump, $at);
            $hash[$field] = self::text($dump, $at);
        }
        return $hash;
    }

    private static function scores(string $dump, int &$at): array
    {
        $set = [];
        for ($left = self::length($dump, $at); $left > 0; $left--) {
            $member = self::text($dump, $at);
            $set[$member] = unpack('e', $dump, ($at += 8) - 8)[1];
        }
        return $set;
    }

    /** @return list<string> */
    private static function listpack(string $bytes): array
    {
        $elements = [];
        for ($at = 6; ord($bytes[$at]) !== 0xff;) {
            $first = ord($bytes[$at]);
            [$head, $size] = match (true) {
                $first < 0x80 => [1, 0],
                $first < 0xc0 => [1, $first & 63],
                $first < 0xe0 => [2, 0],
                $first < 0xf0 => [2, ($first & 15) << 8 | ord($bytes[$at + 1])],
                $first === 0xf0 => [5, unpack('V', $bytes, $at + 1)[1]],
                default => [1, [0xf1 => 2, 0xf2 => 3, 0xf3 => 4, 0xf4 => 8][$first]],
            };
            $content = substr($bytes, $at + $head, $size);
            $elements[] = match (true) {
                $first < 0x80 => (string) $first,
                $first < 0xc0 || ($first >= 0xe0 && $first <= 0xf0) => $content,
                $first < 0xe0 => (string) ((($first & 31) << 8 | ord($bytes[$at + 1])) - ($first & 16 ? 8192 : 0)),
                default => (string) unpack('P', str_pad($content, 8, ord($content[-1]) & 0x80 ? "\xff" : "\0"))[1],
            };
            $length = $head + $size;
            $at += $length + ($length < 128 ? 1 : ($length < 16384 ? 2 : 3));
        }
        return $elements;
    }

    private static function reversedPairs(array $elements): array
    {
        return array_merge(...array_map(array_reverse(...), array_chunk($elements, 2)));
    }

    public function commit(int $after, int $before, int $wall): void
    {
        /* The server's clock against ours, which is read when the file has been looked at. */
        $shift = $wall * 1000 - $before + $this->faults->offset($this->node, $after, $before) * 1000;
        foreach ($this->touched as $name => $_) {
            foreach ($this->locks[$name] as $key => [$value, $lives]) {
                if ($lives === 0 && $value !== self::NONE[$key][0]) {
                    $this->servers->lock($name)->endless[] = [$before, $key];
                }
            }
            $this->keyIs($name, ...$this->locks[$name]['lock'], ...[$shift, $after, $before]);
            $this->fenceIs($name, (int) $this->locks[$name]['fence'][0], $before);
            $places = $this->places($this->locks[$name], $after + $shift, $this->alive[$name] ?? []);
            foreach ($this->taken[$name] ?? [] as $place => [, $until, $grant]) {
                /* Of a share's end nothing is written; a turnstile that ran out may be set anew in the same step. */
                if (!isset($places[$place]) || ($grant?->shared && $until < $after - CLOCK_SLACK && !isset($this->alive[$name][$place])) || ($place === 'turnstile' && $until < $before)) {
                    $this->end($name, $place, $after, $before);
                }
            }
            foreach ($places as $place => [$value, $lives, $fence]) {
                $former = $this->taken[$name][$place] ?? null;
                if ($former === null || array_slice($former, 3) !== [$value, $lives, $fence] || isset($this->deleted[$name])) {
                    $this->change($name, $place, $value, $lives, $fence, $lives * MS - $shift, $after, $before);
                }
            }
        }
        $this->touched = $this->deleted = $this->popped = $this->alive = [];
    }

    /* It never falls, unless the key is gone. */
    private function fenceIs(string $name, int $fence, int $before): void
    {
        if ($this->isNews && $fence > 0 && $fence < ($this->fences[$name] ?? 0)) {
            $this->servers->lock($name)->falls[] = [$before, $this->fences[$name], $fence];
        }
        $this->fences[$name] = $fence;
    }

    private function keyIs(string $name, string $value, int $lives, int $shift, int $after, int $before): void
    {
        $last = $this->keys[$name] ?? null;
        if ($last !== null && [$last[0], $last[1]] !== [$value, $lives]) {
            $this->servers->lock($name)->addLife($last[2], $before, $last[3]);
            unset($this->keys[$name]);
        }
        if ($value !== '' && !isset($this->keys[$name])) {
            $this->keys[$name] = [$value, $lives, $after, $lives * MS - $shift];
        }
    }

    /**
     * Who has the lock, and what keeps others from it, each at a place of its own. The turnstile counts only while there are shares.
     * @param array<string, true> $alive shares that were there for sure
     * @return array<string, array{string, int, int}> place => value, until when it lives, its fence
     */
    private function places(array $lock, int $now, array $alive): array
    {
        [$value, $lives] = $lock['lock'];
        if ($value !== self::SHARED) {
            return $value === '' ? [] : ['lock' => [$value, $lives, Holder::isOurs($value) ? (int) $lock['fence'][0] : 0]];
        }
        $places = $lock['turnstile'][0] === '' ? [] : ['turnstile' => ['+first', $lock['turnstile'][1], 0]];
        foreach ($lock['shares'][0] as $member => $ends) {
            $record = $lock['record'][0][$member] ?? null;
            if ($ends * MS < $now - CLOCK_SLACK && !isset($alive[$member])) {
                continue;
            } elseif ($member === '-') {
                $places[$member] = ['-', (int) $ends, 0];
            } elseif ($record !== null) {
                $places[$member] = [Holder::ofShare($member, $record), (int) $ends, (int) $record];
            }
        }
        return $places;
    }

    private function change(string $name, string $place, string $value, int $lives, int $fence, int $until, int $after, int $before): void
    {
        $lock = $this->servers->lock($name);
        $last = $this->taken[$name][$place] ?? null;
        $grant = in_array($value[0], ['-', '+', '~'], true) ? null : $this->grant($lock, $value, $fence, $place !== 'lock', $last);
        if ($last !== null && ($grant !== $last[2] || $last[3][0] !== $value[0])) {
            $this->end($name, $place, $after, $before);
        } elseif ($grant !== null && $last !== null && $last[1] < $after) {
            $lock->lapsed->add($last[1], $before); /* it ran out, and is set again by whoever had it */
        }
        if ($last === null && $grant?->shared && $this->isNews) {
            $others = array_filter($this->taken[$name] ?? [], fn (array $taken) => $taken[2]?->shared && $taken[1] > $before + CLOCK_SLACK);
            $lock->entries[] = [$before, count($others), $grant];
        }
        $this->taken[$name][$place] = [$this->taken[$name][$place][0] ?? $after, $until, $grant, $value, $lives, $fence];
        if ($grant !== null) {
            $grant->changes[$this->node][] = [$after, $before, $until, $this->servers->writes];
            $fence > 0 && $this->quorum === 1 && $grant->hasFence($fence, $after, $before);
        }
    }

    private function end(string $name, string $place, int $after, int $before): void
    {
        $lock = $this->servers->lock($name);
        [$since, $until, $grant, $value] = $this->taken[$name][$place];
        unset($this->taken[$name][$place]);
        $over = min($before, $this->faults->kept($this->node, $since, max($until, $since)) + 20 * MS);
        $ranOut = $until < $before || $this->faults->is('forward', $since, $before);
        $grant?->shared || $lock->closed->add($since, $over);
        $place === 'turnstile' || $lock->taken->add($since, $over);
        if ($value[0] === '~' || $value[0] === '+') {
            $ranOut && $lock->lapsed->add($since, $over);
        } else {
            $lock->tenures[] = [$since, min($before, max($until, $since)), $ranOut, $grant?->shared ? $this->node : 0];
        }
        if ($grant !== null) {
            $grant->changes[$this->node][] = [$after, $before, 0, $this->servers->writes];
        }
    }

    /*
     * Whose the value is: by the token, since a server that has forgotten a grant, and whose clock was set back, gives its fence
     * again. What is set again under its fence, after it had ended, is the same grant.
     */
    private function grant(LockRecord $lock, string $value, int $fence, bool $shared, ?array $last): Grant
    {
        if (!Holder::isOurs($value)) {
            $grant = $lock->grants[$value] ??= new Grant($value, isForeign: true);
            $grant->random = $value;
            return $grant;
        }
        $holder = new Holder($value);
        $deleted = isset($this->deleted[$lock->name]);
        if ($last !== null && $last[2]?->token === $holder->token && !($deleted && $holder->name !== '')) {
            return $last[2];
        }
        $latest = &$this->latest[$lock->name][$holder->token];
        if ($this->quorum > 1) {
            $latest = $lock->grants["$holder->token$holder->random"] ??= new Grant($holder->token);
        } elseif ($latest === null || $latest->shared !== $shared || $holder->name !== '' || !isset($latest->fences[$fence])) {
            $latest = $lock->grants[] = new Grant($holder->token, shared: $shared);
        }
        $grant = $latest;
        if ($grant->changes === []) {
            [$grant->random, $grant->pid, $grant->name, $grant->holder] = [$holder->random, $holder->pid, $holder->call, $holder->name];
        }
        $direct = $last !== null && !$deleted;
        $grant->passedOn = $grant->passedOn || $direct && $last[3][0] === '~' && !isset($this->popped[$lock->name]);
        if ($direct && Holder::isOurs($last[3]) && $holder->name === '') {
            $grant->former = (new Holder($last[3]))->random;
        }
        return $grant;
    }

    /* It begins with what it has, which is not news if it had it before. */
    public function begin(int $after, int $before): void
    {
        $this->closeAll($after, $before);
        $this->locks = $this->latest = $this->fences = [];
        $this->isNews = false;
    }

    /* It was killed for good, or the run was over. */
    public function stop(array $when): void
    {
        $this->servers->writes++; /* behind the last write */
        $this->closeAll(...$when);
    }

    private function closeAll(int $after, int $before): void
    {
        foreach ($this->keys as $name => [, , $since, $until]) {
            $this->servers->lock($name)->addLife($since, $before, $until);
        }
        $this->keys = [];
        foreach ($this->taken as $name => $places) {
            foreach (array_keys($places) as $place) {
                $this->end($name, $place, $after, $before);
            }
        }
    }
}
