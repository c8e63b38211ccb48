<?php
/*
 * Whether the checker finds what it is there for: doctor.php FOLDER SMALL MAJORITY COPY
 *
 * Each way changes one fact in a COPY of a history that passes, FOLDER's or, where any will do, the SMALL one's, or that of
 * a MAJORITY. It names the kind of violation that check.php must find then, or is harmless, and must pass. It picks places that no fault excuses.
 */

require __DIR__ . '/proofs.php';

final class History
{
    /** @var array<string, list<list<string>>> file => its lines' words */
    public array $files = [];
    /* One to be another on the servers. */
    public array $fence = ['', ''];
    /* More that the servers are to have done: when, or null if nobody looked, and the command; and within which time of that, ns. */
    public array $writes = [];
    public int $within = 1000;
    public FaultLog $faults;
    public Servers $servers;

    /* Of the places that suit, this many are left alone: what is wrong there may be excused by something else. */
    private int $skip = 0;

    public function __construct(public string $folder)
    {
        foreach (glob("$folder/{worker-*,faults,left}", GLOB_BRACE) as $path) {
            $this->files[basename($path)] = array_map(fn (string $line) => explode(' ', $line), file($path, FILE_IGNORE_NEW_LINES));
        }
        $this->faults = new FaultLog($folder, new Report);
        $this->servers = new Servers($folder, $this->faults, 1);
    }

    /* The same, to be doctored in the next place. */
    public function skipping(int $places): self
    {
        $history = clone $this;
        $history->skip = $places;
        return $history;
    }

    public function write(string $copy): void
    {
        foreach ($this->files as $name => $lines) {
            file_put_contents("$copy/$name", implode('', array_map(fn (array $words) => implode(' ', $words) . "\n", $lines)));
        }
        foreach ($this->fence[0] === '' ? [] : glob("$copy/node-*/aof-*/*.incr.aof") as $path) {
            file_put_contents($path, str_replace($this->fence[0], $this->fence[1], file_get_contents($path)));
        }
        foreach (glob("$copy/node-*", GLOB_ONLYDIR) as $node) {
            $lives = glob("$node/aof-*/*.incr.aof");
            natsort($lives);
            $this->writeTo(end($lives), (int) substr($node, strrpos($node, '-') + 1), $copy);
        }
    }

    private function writeTo(string $path, int $node, string $copy): void
    {
        foreach ($this->writes as $write) {
            $moment = array_shift($write);
            /* What is kept of a lock has an end. */
            $commands = in_array($write[0], ['SET', 'ZADD', 'HSET'], true) && str_starts_with($write[1], 'rlock:')
                ? [['MULTI'], $write, ['PEXPIREAT', $write[1], '3600000'], ['EXEC']] : [$write];
            foreach ($commands as $command) {
                $words = array_map(fn (string $word) => '$' . strlen($word) . "\r\n$word\r\n", $command);
                file_put_contents($path, '*' . count($words) . "\r\n" . implode('', $words), FILE_APPEND);
            }
            clearstatcache();
            if ($moment !== null) {
                $wall = -$this->faults->offset($node, $moment, $moment); /* all times that are written are by our clock */
                file_put_contents("$copy/samples", implode(' ', [$moment, $moment + $this->within, $wall, substr($path, strlen($copy) + 1), filesize($path)]) . "\n", FILE_APPEND);
            }
        }
    }

    /* The calls with this result that no fault is near of: file, line of the end. Not of locks that are broken or lent. */
    public function calls(string $operation, string $result): Generator
    {
        foreach ($this->files as $name => $lines) {
            foreach ($lines as $n => $words) {
                $call = $lines[$n - 1] ?? [''];
                if ($words[0] === 'E' && $call[0] === 'B' && $call[3] === $operation && explode('@', $words[2])[0] === $result
                    && preg_match('/^(hot|cool)-\d$/', $call[4]) && !$this->faults->onTheWay->meet((int) $call[1] - SETTLED, (int) $words[1] + SETTLED)
                    && !$this->faults->stepped((int) $call[1] - 5 * S, (int) $words[1]) && !$this->faults->forgot((int) $call[1] - 5 * S, (int) $words[1])) {
                    yield [$name, $n];
                }
            }
        }
    }

    /* The first of them that suits and is not left alone. */
    public function one(string $operation, string $result, ?callable $suits = null): array
    {
        foreach ($this->calls($operation, $result) as [$name, $n]) {
            if ($suits === null || $suits($this->files[$name][$n - 1], $this->files[$name][$n], $this->files[$name], $n)) {
                if ($this->skip-- === 0) {
                    return [$name, $n];
                }
            }
        }
        throw new RuntimeException("There is no $operation that was $result and suits; take a longer history");
    }

    /* Somebody else's grant of the lock after that moment: by when it surely was. */
    public function grantAfter(string $lock, int $moment): ?int
    {
        $moments = array_map(fn (Grant $grant) => $grant->before, array_filter($this->servers->lock($lock)->grants, fn (Grant $grant) => $grant->after > $moment));
        return $moments === [] ? null : min($moments);
    }

    /* A worker that came to its end, and when; not that one. */
    public function ended(string $but = ''): array
    {
        foreach ($this->files as $name => $lines) {
            $last = end($lines);
            if ($name !== $but && str_starts_with($name, 'worker-') && $last[0] === 'E' && ($lines[count($lines) - 2][3] ?? '') === 'close') {
                return [$name, (int) $last[1]];
            }
        }
        throw new RuntimeException('No worker came to its end');
    }

    public function append(string $name, int $from, int $until, string $call, string $end): void
    {
        $this->files[$name][] = explode(' ', "B $from $call");
        $this->files[$name][] = explode(' ', "E $until $end");
    }
}

/* A release in time of a lock that was taken by the call before. */
$timely = fn (array $call, array $end, array $lines, int $n) => $end[3] === '-' && $call[6] === '1' && $lines[$n - 2][0] === 'E'
    && $lines[$n - 2][2] === 'true' && array_slice($lines[$n - 3], 3, 2) === ['take', $call[4]] && (explode('/', $lines[$n - 2][3])[3] ?? 0) > $end[1];

/*
 * Somebody who held a lock for too long is told Lost, and all that the server did to the lock is known to have been done
 * within the same time: the owner took it ($taken), and a foreign client did, before that or after it.
 */
function lost_near_foreign(History $h, callable $order): void
{
    [$name, $end] = $h->ended();
    $end += 60 * S;
    $token = str_repeat('1', 32);
    $taken = [['SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '7'], ['SET', 'lock@nobodys', "rlock1:$token:host:1", 'PXAT', '20'], ['DEL', 'lock@nobodys']];
    $foreign = [['SET', 'lock@nobodys', 'foreign', 'PXAT', '20'], ['DEL', 'lock@nobodys']];
    $h->within = 50 * MS;
    $h->writes = array_map(fn (array $write) => [$end, ...$write], array_merge(...$order($taken, $foreign)));
    [$told, $safe] = [$end + 2 * MS, $end + 18 * MS];
    $h->append($name, $end, $told, '0 take nobodys 0 20 1', "true $token/7/1/$safe/$told");
    $h->append($name, $end + 51 * MS, $end + 52 * MS, '0 release nobodys 0 1', 'Lost@nobodys@34000 -');
}

/* What the lock holds when that token has it, taken by that call. */
function value(string $digit, string $call = ''): string
{
    return 'rlock1:' . str_repeat($digit, 32) . ':host:1' . ($call === '' ? '' : ":$call");
}

/* Somebody takes a lock for so many ms, by this owner. When it has it, and whose the call is. */
function it_is_taken(History $h, int $ttl = 2000, int $owner = 0): array
{
    [$name, $end] = $h->ended();
    $end += 60 * S;
    $token = str_repeat('1', 32);
    $h->writes = [[$end, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '7'], [$end, 'SET', 'lock@nobodys', "rlock1:$token:host:1", 'PXAT', (string) $ttl]];
    [$told, $safe] = [$end + 2 * MS, $end + ($ttl - 2) * MS];
    $h->append($name, $end, $told, "$owner take nobodys 0 $ttl 1", "true $token/7/1/$safe/$told");
    return [$name, $told];
}

/* What the grant of that worker's next call is called. */
function next_name(History $h, string $name): string
{
    return substr($name, strlen('worker-')) . '.' . count(array_filter($h->files[$name], fn (array $words) => $words[0] === 'B')) + 1;
}

/* The name "n" takes a detached lock for 2 s. When it has it, and whose the call is. */
function name_takes(History $h): array
{
    [$name, $end] = $h->ended();
    $end += 60 * S;
    $h->writes = [[$end, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '7'],
        [$end, 'SET', 'lock@nobodys', 'rlock1@6e:' . str_repeat('1', 32) . ':host:1', 'PXAT', '2000']];
    $h->append($name, $end, $end + 2 * MS, '0 detached-take nobodys 0 2000 1 6e', 'true ?');
    return [$name, $end + 2 * MS];
}

/*
 * The name "n" waits for a detached lock, which is passed on and never claimed: the baton goes when its time is up.
 * When it was told that it has it, and whose the call is.
 */
function name_is_passed_it(History $h): array
{
    [$name, $end] = $h->ended();
    $end += 60 * S;
    $h->append($name, $end, $end + 2 * MS, '0 detached-take nobodys 10 2000 1 6e', 'true ?');
    $h->writes = [[$end, 'SET', 'lock@nobodys', value('2'), 'PXAT', '1000'],
        [$end + MS, 'SET', 'lock@nobodys', '~' . str_repeat('2', 32), 'PXAT', '1000'],
        [$end + S + MS, 'DEL', 'lock@nobodys']];
    return [$name, $end + 2 * MS];
}

/*
 * Somebody takes a share for so many ms, of a lock that has shares for so many at most. When it has it, and whose the call is.
 */
function share_is_taken(History $h, int $ttl = 2000, int $limit = 0): array
{
    [$name, $end] = $h->ended();
    $end += 60 * S;
    $h->writes = [[$end, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '7'], ...another_share($end, '1', $ttl, 7), [$end, 'SET', 'lock@nobodys', '+shared', 'PXAT', (string) $ttl]];
    [$told, $safe] = [$end + 2 * MS, $end + ($ttl - 2) * MS];
    $h->append($name, $end, $told, "0 share nobodys 0 $ttl 1 $limit", 'true ' . str_repeat('1', 32) . "/7/1/$safe/$told/s");
    return [$name, $told];
}

/* It is given back, and was the last. */
function share_is_released(History $h, string $name, int $moment, string $result = 'true'): void
{
    $h->append($name, $moment, $moment + 2 * MS, '0 release nobodys 0 1', "$result -");
    $h->writes[] = [$moment + MS, 'DEL', 'lock@nobodys'];
}

/* Somebody else has it exclusively from then on. */
function another_has_it(int $moment, string $digit = '2', int $fence = 8, int $ttl = 2000): array
{
    return [[$moment, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', (string) $fence],
        [$moment, 'SET', 'lock@nobodys', value($digit), 'PXAT', (string) $ttl]];
}

/* Somebody has taken it and given it back, and so many ms later it is taken for the same again; the proxy has held what was sent. */
function late_copy(History $h, int $later): array
{
    [$name, $moment] = it_is_taken($h);
    share_is_released($h, $name, $moment + MS);
    array_push($h->writes, ...another_has_it($moment + $later * MS, '1'));
    $h->writes[] = [$moment + ($later + 100) * MS, 'DEL', 'lock@nobodys'];
    $h->files['faults'][] = [(string) ($moment - MS), (string) ($moment + $later * MS), 'hold', '1'];
    return [$name, $moment];
}

/* What the server writes for a share with this digit. */
function another_share(int $moment, string $digit, int $ttl = 2000, int $fence = 8): array
{
    $token = 'rlock1:' . str_repeat($digit, 32) . ':';
    return [[$moment, 'HSET', 'rlock:h:{lock@nobodys}:lock@nobodys', $token, "$fence:host:1"],
        [$moment, 'ZADD', 'rlock:s:{lock@nobodys}:lock@nobodys', (string) $ttl, $token]];
}

/* It is given back with a delay of 100 ms; another gets it after so many ms, and has it by so many. */
function it_is_delayed(History $h, int $granted, int $had): void
{
    [$name, $moment] = it_is_taken($h);
    $h->append($name, $moment, $moment + 2 * MS, '0 release nobodys 100 1', 'true -');
    $h->writes[] = [$moment + MS, 'SET', 'lock@nobodys', '-~' . str_repeat('1', 32) . ':host:1', 'PXAT', '160'];
    array_push($h->writes, ...another_has_it($moment + $granted * MS));
    [$other] = $h->ended($name);
    [$from, $told] = [$moment + 3 * MS, $moment + $had * MS];
    $safe = $from + 1990 * MS;
    $h->append($other, $from, $told, '0 take nobodys 500 2000 1', 'true ' . str_repeat('2', 32) . "/8/1/$safe/$told");
    $h->append($other, $told + MS, $told + 3 * MS, '0 release nobodys 0 1', 'true -');
    $h->writes[] = [$told + 2 * MS, 'DEL', 'lock@nobodys'];
}

/* In how many places a way is tried. */
const PLACES = 8;

/* Facts of the run, for which it takes places that suit. */
$ways = [
    'a check that says ours while another has it' => ['exclusive', function (History $h) {
        [$name, $n] = $h->one('check', 'none', fn ($call, $end, $lines, $n) => ($lines[$n + 1][3] ?? '') === 'release'
            && ($lines[$n + 2][2] ?? '') === 'true' && $h->grantAfter($call[4], (int) $end[1]) !== null);
        $moment = $h->grantAfter($h->files[$name][$n - 1][4], (int) $h->files[$name][$n][1]);
        $h->files[$name][$n - 1][1] = (string) ($moment + 1000);
    }],
    'a release in time after another has had it' => ['true', function (History $h) use ($timely) {
        [$name, $n] = $h->one('release', 'true', fn (...$call) => $timely(...$call) && $h->grantAfter($call[0][4], (int) $call[1][1]) !== null);
        $moment = $h->grantAfter($h->files[$name][$n - 1][4], (int) $h->files[$name][$n][1]);
        [$h->files[$name][$n - 1][1], $h->files[$name][$n][1]] = [(string) ($moment + 1000), (string) ($moment + 2000)];
    }],
    'a grant that no server gave' => ['granted', function (History $h) {
        [$name, $n] = $h->one('take', 'true', fn ($call, $end) => strlen($end[3]) > 1);
        $h->files[$name][$n][3] = preg_replace(['~^[0-9a-f]{32}/\d+~'], [str_repeat('0', 32) . '/1'], $h->files[$name][$n][3]);
    }],
    'a deadline that the server does not keep' => ['deadline', function (History $h) {
        [$name, $n] = $h->one('prolong', 'true', fn ($call, $end) => strlen($end[3]) > 1);
        $parts = explode('/', $h->files[$name][$n][3]);
        $parts[3] += 60 * S;
        $h->files[$name][$n][3] = implode('/', $parts);
    }],
    'a fence that falls' => ['fence', function (History $h) {
        [$name, $n] = $h->one('take', 'true', fn ($call, $end) => strlen($end[3]) > 1 && $call[1] > $h->faults->from + 5 * S);
        $fence = explode('/', $h->files[$name][$n][3])[1];
        $h->fence = [$fence, (string) ($fence - 60_000_000)];
        foreach ($h->files as &$lines) {
            foreach ($lines as &$words) {
                $words = str_replace("/$fence/", "/{$h->fence[1]}/", $words);
            }
        }
    }],
    'a Lost within the lease' => ['Lost', function (History $h) use ($timely) {
        [$name, $n] = $h->one('release', 'true', $timely);
        $h->files[$name][$n][2] = "Lost@{$h->files[$name][$n - 1][4]}@0";
    }],
    'a Timeout within the lease' => ['Timeout', function (History $h) use ($timely) {
        [$name, $n] = $h->one('release', 'true', $timely);
        $h->files[$name][$n][2] = "Timeout@{$h->files[$name][$n - 1][4]}@1000";
    }],
    'a lock said not to be ours that is' => ['look', function (History $h) {
        [$name, $n] = $h->one('prolong', 'true', fn ($call, $end, $lines, $n) => array_slice($lines[$n + 1] ?? [], 2, 3) === [$call[2], 'check', $call[4]] && ($lines[$n + 2][2] ?? '') === 'none'
            && strlen($end[3]) > 1 && (int) $call[5] > 400
            && !$h->faults->stepped((int) $call[1] - 6 * S, (int) $lines[$n + 2][1]) && !$h->faults->forgot((int) $call[1] - 2 * S, (int) $lines[$n + 2][1]));
        $h->files[$name][$n + 1][3] = 'is-locking';
        $h->files[$name][$n + 2][2] = 'false';
    }],
    'a waiter that was passed over' => ['order', function (History $h) {
        $report = new Report;
        $workers = new Workers($h->folder, $report, $h->faults);
        $servers = new Servers($h->folder, $h->faults, 1); /* a proof sets their grants against what workers tell */
        foreach ($workers->locks as $lock => $history) {
            $record = $servers->lock($lock);
            $proof = new Proof($report, $h->faults, $lock, $history, $record, false);
            $proof->run();
            $disorder = $proof->disorder();
            $served = array_filter($history->waits, fn (array $wait) => $wait[4]?->grant?->passedOn);
            foreach ($served as [$from, $until, $worker, $line, $lease, , , $delayed]) {
                foreach ($served as [$other, $end, , , $second]) {
                    $begin = $other - 2 * QUEUED - $delayed - 1; /* from then on the first will have waited */
                    if ($end < $until && $second->grant->before < $lease->grant->after && !$h->faults->any->meet($begin - SETTLED, $until)
                        && !$h->faults->is('stall', $begin - SETTLED, $until) && !$h->faults->is('failover', $begin - S, $until) && !$disorder->meet($begin - SETTLED, $until)) {
                        /* What its worker did meanwhile had ended by then. */
                        for ($n = $line - 2; $n >= 0 && $h->files["worker-$worker"][$n][1] > $begin; $n--) {
                            $h->files["worker-$worker"][$n][1] = (string) $begin;
                        }
                        return;
                    }
                }
            }
        }
        throw new RuntimeException('Nobody waited long enough undisturbed; take a longer history');
    }],
    'a release that is false' => ['state', function (History $h) use ($timely) {
        [$name, $n] = $h->one('release', 'true', $timely);
        $h->files[$name][$n][2] = 'false';
    }],
    'more losses than faults can excuse' => ['excused', function (History $h) use ($timely) {
        foreach ($h->files as $name => $lines) {
            foreach ($lines as $n => $end) {
                $call = $lines[$n - 1] ?? [''];
                if ($end[0] === 'E' && $end[2] === 'true' && $call[0] === 'B' && $call[3] === 'release' && $n > 2 && $timely($call, $end, $lines, $n)
                    && $h->faults->onTheWay->meet((int) $call[1], (int) $end[1])) {
                    $h->files[$name][$n][2] = "Lost@$call[4]@0";
                }
            }
        }
    }],
];

/* What is made up of a lock that nobody uses, after the end of the run, or of what is left. */
$madeUp = [
    'a fence that two have' => ['fence', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->append($name, $end, $end + 10 * MS, '0 take nobodys 10 1000 1', 'false -');
        $h->writes = [[$end, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '7']];
        foreach (['1', '2'] as $i => $digit) {
            $h->writes[] = [$end + (2 * $i + 1) * MS, 'SET', 'lock@nobodys', value($digit)];
            $h->writes[] = [$end + (2 * $i + 2) * MS, 'DEL', 'lock@nobodys'];
        }
    }],
    'a Lost though a foreign client had it before, not since' => ['Lost', fn (History $h) => lost_near_foreign($h, fn ($taken, $foreign) => [$foreign, $taken])],
    'a Lost though a foreign client had it only before it was set again' => ['Lost', fn (History $h) =>
        lost_near_foreign($h, fn ($taken, $foreign) => [$taken, $foreign, $taken])],
    'a refusal while nobody has it' => ['busy', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 take nobodys 0 1000 1', 'false -');
    }],
    'a wait that was given up early' => ['early', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 take nobodys 500 1000 1', 'false -');
    }],
    'a wait that was too long' => ['wait', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 63 * S, '0 take nobodys 500 1000 1', 'false -');
    }],
    'a failure without a cause' => ['failure', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 take nobodys 500 1000 1', 'Connection@nobodys@0 -');
    }],
    'a free lock that somebody waits for' => ['stall', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end, 'SET', 'lock@nobodys', value('1')], [$end + MS, 'DEL', 'lock@nobodys'],
            [$end + 2 * S, 'SET', 'lock@nobodys', value('2')], [$end + 2 * S + MS, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 2 * S, '0 take nobodys 2000 1000 1', 'false -');
    }],
    'a detached lock that its name does not keep' => ['deadline', function (History $h) {
        [, $moment] = name_takes($h);
        $h->writes[] = [$moment + 100 * MS, 'DEL', 'lock@nobodys'];
        $h->writes[] = [$moment + 200 * MS, 'SET', 'lock@nobodys', value('2'), 'PXAT', '1000'];
    }],
    'a release of a detached lock that is false though its name has it' => ['look', function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-release nobodys 0 6e', 'false ?');
    }],
    'a release of a detached lock that released nothing' => ['look', function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-release nobodys 0 6e', 'true ?');
    }],
    "a detached lock said to be a name's that is another's" => ['look', function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-is-locking nobodys 6d', 'true ?');
    }],
    "a detached lock's fence that is another's" => ['look', function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-fence nobodys 6e', '8 ?');
    }],
    'a detached lock that was passed on and never claimed' => ['look', function (History $h) {
        name_is_passed_it($h);
    }],
    'a prolongation before the claim' => ['look', function (History $h) {
        [$name, $moment] = name_is_passed_it($h);
        $h->files[$name] = array_slice($h->files[$name], 0, -2);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 detached-prolong nobodys 2000 6e', 'true ?');
    }],
    'a call that fails at a baton' => ['failure', function (History $h) {
        [$name, $moment] = name_is_passed_it($h);
        $h->append($name, $moment + MS, $moment + 301 * MS, '0 detached-prolong nobodys 2000 6d', 'Connection@nobodys@0 ?');
    }],
    "a name's fence that has risen since" => ['look', function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->writes[] = [$moment + 100 * MS, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '8'];
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-fence nobodys 6e', '7 ?');
    }],
    'a shorter lease whose fence does not rise' => ['fence', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->writes[] = [$moment + MS, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '6'];
        share_is_released($h, $name, $moment + 2 * MS);
    }],
    'a fence that its owner is told anew, and that falls' => ['fence', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 prolong nobodys 2000', 'true ' . str_repeat('1', 32) . '/6/1/0/0');
        share_is_released($h, $name, $moment + 3 * MS);
    }],
    'a fence that no server gave' => ['fence', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 prolong nobodys 2000', 'true ' . str_repeat('1', 32) . '/8/1/0/0');
        share_is_released($h, $name, $moment + 3 * MS);
    }],
    'a fence that is not above what another was told' => ['fence', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        share_is_released($h, $name, $moment + MS);
        array_push($h->writes, ...another_has_it($moment + 11 * MS, '2', 5));
        $h->append($name, $moment + 10 * MS, $moment + 12 * MS, '0 take nobodys 0 2000 1', 'true ' . str_repeat('2', 32) . '/5/1/0/0');
        share_is_released($h, $name, $moment + 13 * MS);
    }],
    'a verdict on what was given back' => ['state', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        share_is_released($h, $name, $moment + MS);
        $h->append($name, $moment + 10 * MS, $moment + 11 * MS, '0 take nobodys 0 2000 1', 'Lost@nobodys@1000 -');
    }],
    'a late share that is lost to others' => ['Lost', function (History $h) {
        [$name, $moment] = share_is_taken($h, 20, 1);
        array_push($h->writes, ...another_share($moment + 30 * MS, '2'));
        $h->append($name, $moment + 50 * MS, $moment + 52 * MS, '0 prolong nobodys 2000', 'Lost@nobodys@30000 -');
        $h->writes[] = [$moment + 53 * MS, 'DEL', 'lock@nobodys'];
    }],
    'a share that is used while another has it exclusively' => ['exclusive', function (History $h) {
        [$name, $moment] = share_is_taken($h);
        array_push($h->writes, ...another_has_it($moment + 100 * MS));
        $h->append($name, $moment + 200 * MS, $moment + 201 * MS, '0 prolong nobodys 2000', 'true ' . str_repeat('1', 32) . '/7/1/0/0/s');
        share_is_released($h, $name, $moment + 202 * MS);
    }],
    'one share more than may be' => ['limit', function (History $h) {
        [$name, $moment] = share_is_taken($h, 2000, 1);
        array_push($h->writes, ...another_share($moment + MS, '2'));
        share_is_released($h, $name, $moment + S);
    }],
    'more sharers than may be' => ['limit', function (History $h) {
        [$name, $moment] = share_is_taken($h, 2000, 1);
        $h->append($name, $moment + MS, $moment + 2 * MS, '1 sharers nobodys', '2 -');
        share_is_released($h, $name, $moment + S);
    }],
    'a share that is late, told Timeout though another had it exclusively' => ['Timeout', function (History $h) {
        [$name, $moment] = share_is_taken($h, 20);
        array_push($h->writes, ...another_has_it($moment + 30 * MS));
        share_is_released($h, $name, $moment + 50 * MS, 'Timeout@nobodys@30000');
    }],
    'a share that is late, told Lost though nobody had it exclusively' => ['Lost', function (History $h) {
        [$name, $moment] = share_is_taken($h, 20);
        array_push($h->writes, ...another_share($moment + 10 * MS, '2'));
        share_is_released($h, $name, $moment + 50 * MS, 'Lost@nobodys@30000');
    }],
    'a share that is refused though there is room' => ['busy', function (History $h) {
        [$name, $moment] = share_is_taken($h, 2000, 2);
        $h->append($name, $moment + MS, $moment + 2 * MS, '1 share nobodys 0 2000 1 2', 'false -');
        share_is_released($h, $name, $moment + S);
    }],
    'an only share that does not become exclusive' => ['busy', function (History $h) {
        [$name, $moment] = share_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 take nobodys 0 2000 1', 'false ' . str_repeat('1', 32) . '/7/1/0/0/s');
        share_is_released($h, $name, $moment + S);
    }],
    'readers that pass a writer' => ['order', function (History $h) {
        [$name, $moment] = share_is_taken($h);
        $reader = str_repeat('2', 32);
        array_push($h->writes, ...another_share($moment + 310 * MS, '2'));
        $h->append($name, $moment + 309 * MS, $moment + 312 * MS, '1 share nobodys 0 2000 1 0', "true $reader/8/1/0/0/s");
        $h->append($name, $moment + 313 * MS, $moment + 314 * MS, '1 release nobodys 0 1', 'true -');
        share_is_released($h, $name, $moment + 315 * MS);
        [$writer] = $h->ended($name);
        $h->append($writer, $moment + 10 * MS, $moment + 511 * MS, '0 take nobodys 500 1000 1', 'false -');
    }],
    'a room for shares that nobody enters' => ['stall', function (History $h) {
        [$name, $moment] = share_is_taken($h, 4000, 2);
        $h->append($name, $moment + 10 * MS, $moment + 2010 * MS, '1 share nobodys 2000 1000 1 2', 'false -');
        share_is_released($h, $name, $moment + 2011 * MS);
    }],
    'a share that is held exclusively' => ['state', function (History $h) {
        [$name, $moment] = share_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 prolong nobodys 2000', 'true ' . str_repeat('1', 32) . '/7/1/0/0');
        share_is_released($h, $name, $moment + S);
    }],
    'a release that leaves the lock where it is' => ['kept', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 release nobodys 0 1', 'true -');
        $h->writes[] = [$moment + S, 'DEL', 'lock@nobodys'];
    }],
    'a late copy that takes what was released' => ['kept', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        share_is_released($h, $name, $moment + MS);
        array_push($h->writes, ...another_has_it($moment + 100 * MS, '1'));
        $h->writes[] = [$moment + 200 * MS, 'DEL', 'lock@nobodys'];
    }],
    'a late copy that takes what was released, after its deadline' => ['kept', function (History $h) {
        late_copy($h, 800 + intdiv($h->faults->setBack($h->faults->until), MS));
    }],
    'a lock that is handed over, and not for as long as told' => ['deadline', function (History $h) {
        [$name, $end] = $h->ended();
        $call = next_name($h, $name);
        [, $moment] = it_is_taken($h);
        $h->writes[1][3] = value('1', $call);
        $h->append($name, $moment + MS, $moment + 3 * MS, '0 hand-over nobodys 500', 'true -');
        array_push($h->writes, [$moment + 2 * MS, 'SET', 'rlock:f:{lock@nobodys}:lock@nobodys', '8'],
            [$moment + 2 * MS, 'SET', 'lock@nobodys', 'rlock1:' . str_repeat('2', 32) . ":::$call", 'PXAT', '100'], [$moment + 102 * MS, 'DEL', 'lock@nobodys']);
    }],
    'a wait that was given up though the lease did not outlast it' => ['early', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '1 take nobodys 5000 1000 0', 'false -');
        share_is_released($h, $name, $moment + 3 * MS);
    }],
    'a lease that is shorter than was asked for' => ['short', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->files[$name][count($h->files[$name]) - 2][6] = '3000';
        share_is_released($h, $name, $moment + MS);
    }],
    'a release that wakes nobody' => ['wake', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        share_is_released($h, $name, $moment + 300 * MS);
        [$waiter] = $h->ended($name);
        $h->append($waiter, $moment + 10 * MS, $moment + 610 * MS, '0 take nobodys 600 1000 1', 'false -');
    }],
    'locks of which one was refused, and another is kept' => ['kept', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->append($name, $end, $end + 10 * MS, '0 take nobodys,other 10 1000 1', 'false - -');
        array_splice($h->files[$name], -2, 0, [['P', (string) $end, '1']]);
        array_push($h->writes, ...another_has_it($end + 5 * MS, '1', 7));
        $h->writes[] = [$end + S, 'DEL', 'lock@nobodys'];
    }],
    'a grant said to be broken that nobody had' => ['look', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '1 break nobodys 9', 'true -');
    }],
    'a key without an end' => ['left', function (History $h) {
        [, $moment] = name_takes($h);
        $h->writes[] = [$moment + MS, 'PERSIST', 'rlock:f:{lock@nobodys}:lock@nobodys'];
        $h->writes[] = [$moment + 2 * MS, 'DEL', 'rlock:f:{lock@nobodys}:lock@nobodys'];
    }],
    'a break of one grant that leaves it where it is' => ['kept', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '1 break nobodys 7', 'true -');
        share_is_released($h, $name, $moment + S);
    }],
    'a refusal that keeps the lock' => ['kept', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end, 'SET', 'lock@nobodys', value('1', next_name($h, $name)), 'PXAT', '2000'], [$end + S, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 2 * MS, '0 take nobodys 0 2000 1', 'false -');
    }],
    'a refusal by a lock that only the caller has' => ['busy', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end, 'SET', 'lock@nobodys', value('1', next_name($h, $name)), 'PXAT', '2000'], [$end + MS, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 2 * MS, '0 take nobodys 0 2000 1', 'false -');
    }],
    'a take without an answer that is not undone' => ['undone', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end, 'SET', 'lock@nobodys', value('1', next_name($h, $name)), 'PXAT', '2000'], [$end + S, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 300 * MS, '0 take nobodys 0 2000 1', 'Connection@nobodys@0 -');
        $h->append($name, $end + 400 * MS, $end + 402 * MS, '0 take nobodys 0 2000 1', 'false -');
    }],
    'a take without an answer that arrives after it was undone' => ['undone', function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end + 500 * MS, 'SET', 'lock@nobodys', value('1', next_name($h, $name)), 'PXAT', '2000'], [$end + S, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 300 * MS, '0 take nobodys 0 2000 1', 'Connection@nobodys@0 -');
        $h->append($name, $end + 400 * MS, $end + 402 * MS, '0 take nobodys 0 2000 1', 'false -');
    }],
    'a delay that is not kept' => ['cooldown', fn (History $h) => it_is_delayed($h, 20, 21)],
    'a lease that no thread renews, though one is to' => ['renewal', function (History $h) {
        [$name, $moment] = it_is_taken($h, 20, 7);
        $h->writes[] = [$moment + 30 * MS, 'DEL', 'lock@nobodys'];
        array_splice($h->files[$name], -2, 0, [['R', $h->files[$name][count($h->files[$name]) - 2][1], '7', '0']]);
        $h->append($name, $moment + 50 * MS, $moment + 51 * MS, '7 release nobodys 0 1', 'Timeout@nobodys@30000 -');
    }],
    'a holder() that sees nobody where somebody is' => ['look', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + S, $moment + S + MS, '1 holder nobodys', 'false -');
        share_is_released($h, $name, $moment + S + 2 * MS);
    }],
    'a holder() that sees somebody where nobody is' => ['look', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        share_is_released($h, $name, $moment + MS);
        $h->append($name, $moment + S, $moment + S + MS, '1 holder nobodys', 'true -');
    }],
    'an adoption that is refused though the token has the lock' => ['look', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        $h->append($name, $moment + MS, $moment + 2 * MS, '1 adopt nobodys 0 0 ' . str_repeat('1', 32), 'false -');
        share_is_released($h, $name, $moment + S);
    }],
    'a server that answers what it never may' => ['failure', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 take nobodys 500 1000 1', 'Server:WRONGTYPE@nobodys@0 -');
    }],
    'an operation that nobody judges' => ['state', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 unheard-of nobodys', 'true -');
    }],
    'a child that used the lock' => ['fork', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 fork hot-1', 'false -');
    }],
    'an end in the midst of a call' => ['process', function (History $h) {
        [$name, $end] = $h->ended();
        $h->files[$name][] = explode(' ', 'B ' . $end + S . ' 0 take hot-1 0 1000 1');
    }],
    'a lock left on the server' => ['left', function (History $h) {
        $h->files['left'][] = ['lock@hot-1', '250'];
    }],
    'a fence that never expires' => ['left', function (History $h) {
        $h->files['left'][] = ['rlock:f:{lock@hot-1}:lock@hot-1', '-1'];
    }],
];

/* The same of a lock on a majority of servers. */
$ofMajority = [
    'a lock on a majority that is used while another has it' => ['exclusive', function (History $h) {
        [$name, $moment] = it_is_taken($h);
        array_push($h->writes, ...another_has_it($moment + 100 * MS));
        $h->append($name, $moment + 200 * MS, $moment + 201 * MS, '0 prolong nobodys 2000', 'true ' . str_repeat('1', 32) . '/7/1/0/0');
        share_is_released($h, $name, $moment + 202 * MS);
    }],
    'a late lock on a majority, told Lost though nobody else asked for it' => ['Lost', function (History $h) {
        [$name, $moment] = it_is_taken($h, 20);
        $h->writes[] = [$moment + 30 * MS, 'DEL', 'lock@nobodys'];
        $h->append($name, $moment + 50 * MS, $moment + 51 * MS, '0 release nobodys 0 1', 'Lost@nobodys@30000 -');
    }],
    'a late lock on a majority, told Timeout though another has had it' => ['Timeout', function (History $h) {
        [$name, $moment] = it_is_taken($h, 20);
        array_push($h->writes, ...another_has_it($moment + 30 * MS));
        share_is_released($h, $name, $moment + 50 * MS, 'Timeout@nobodys@30000');
    }],
    'a refusal on a majority while nobody has it' => ['busy', function (History $h) {
        [$name, $end] = $h->ended();
        $h->append($name, $end + 60 * S, $end + 60 * S + MS, '0 take nobodys 0 1000 1', 'false -');
    }],
];

/* What a checker that is too strict would find. */
$harmless = [
    'a delay whose end a waiter awaits that was granted the lock before' => fn (History $h) => it_is_delayed($h, 85, 105),
    'a take without an answer that was undone' => function (History $h) {
        [$name, $end] = $h->ended();
        $end += 60 * S;
        $h->writes = [[$end, 'SET', 'lock@nobodys', value('1', next_name($h, $name)), 'PXAT', '2000'],
            [$end + 401 * MS, 'DEL', 'lock@nobodys']];
        $h->append($name, $end, $end + 300 * MS, '0 take nobodys 0 200 1', 'TooLate@nobodys@0 -');
        $h->append($name, $end + 400 * MS, $end + 402 * MS, '0 take nobodys 0 2000 1', 'false -');
    },
    'a holder() that sees nobody in a baton that nobody took' => function (History $h) {
        [$name] = name_is_passed_it($h);
        $h->files[$name] = array_slice($h->files[$name], 0, -2);
        $h->append($name, $h->writes[2][0] + 10 * MS, $h->writes[2][0] + 11 * MS, '0 holder nobodys', 'false -');
    },
    'a detached lock that another process releases by its name' => function (History $h) {
        [$name, $moment] = name_takes($h);
        $h->writes[] = [$moment + S, 'DEL', 'lock@nobodys'];
        $h->append($name, $moment + S, $moment + S + MS, '0 detached-release nobodys 0 6e', 'true ?');
    },
    'a detached lock that runs out when nobody looks any more' => function (History $h) {
        name_takes($h);
        $h->writes[] = [null, 'DEL', 'lock@nobodys'];
    },
    'a name that meets a baton which nobody claims' => function (History $h) {
        [$name, $moment] = name_is_passed_it($h);
        $h->files[$name] = array_slice($h->files[$name], 0, -2);
        $h->append($name, $moment + MS, $moment + 2 * MS, '0 detached-prolong nobodys 2000 6e', 'false ?');
        $h->append($name, $moment + 302 * MS, $moment + 303 * MS, '0 detached-take nobodys 0 2000 1 6e', 'false ?');
    },
    'a shorter lease' => function (History $h) {
        [$name, $moment] = it_is_taken($h);
        array_push($h->writes, ...another_has_it($moment + 2 * MS, '1', 8, 100));
        $token = str_repeat('1', 32);
        $h->append($name, $moment + MS, $moment + 3 * MS, '0 prolong nobodys 100', "true $token/8/1/" . $moment + 98 * MS . '/' . $moment + 3 * MS);
        share_is_released($h, $name, $moment + 4 * MS);
    },
    'a late copy that takes for nobody what was released' => function (History $h) {
        [$name, $moment] = late_copy($h, 100);
        $h->append($name, $moment + 150 * MS, $moment + 151 * MS, '0 take nobodys 0 2000 1', 'false -');
    },
    'a late share whose place others took' => function (History $h) {
        [$name, $moment] = share_is_taken($h, 20, 1);
        $h->writes[] = [$moment + 29 * MS, 'ZREM', 'rlock:s:{lock@nobodys}:lock@nobodys', 'rlock1:' . str_repeat('1', 32) . ':'];
        array_push($h->writes, ...another_share($moment + 30 * MS, '2'));
        $h->append($name, $moment + 50 * MS, $moment + 52 * MS, '0 prolong nobodys 2000', 'Timeout@nobodys@30000 -');
        $h->writes[] = [$moment + 53 * MS, 'DEL', 'lock@nobodys'];
    },
    'a share that is late, beside others' => function (History $h) {
        [$name, $moment] = share_is_taken($h, 20);
        array_push($h->writes, ...another_share($moment + 10 * MS, '2'));
        share_is_released($h, $name, $moment + 50 * MS, 'Timeout@nobodys@30000');
    },
    'a share that becomes exclusive, and a share again' => function (History $h) {
        [$name, $moment] = share_is_taken($h);
        $token = str_repeat('1', 32);
        array_push($h->writes, ...another_has_it($moment + MS, '1', 9));
        $h->append($name, $moment, $moment + 3 * MS, '0 take nobodys 0 2000 1', "true $token/9/2/0/0");
        array_push($h->writes, ...another_share($moment + 5 * MS, '1', 2000, 9));
        $h->writes[] = [$moment + 5 * MS, 'SET', 'lock@nobodys', '+shared', 'PXAT', '2000'];
        $h->append($name, $moment + 4 * MS, $moment + 7 * MS, '0 downgrade nobodys', "true $token/9/2/0/0/s");
        $h->append($name, $moment + 8 * MS, $moment + 9 * MS, '0 release nobodys 0 1', "true $token/9/1/0/0/s");
        share_is_released($h, $name, $moment + 10 * MS);
    },
    'a call that lasts longer since it looked for its verdict' => function (History $h) {
        [$name, $end] = $h->ended();
        $h->files[$name][] = ['T', $end + 60 * S, '7'];
        $h->append($name, $end + 61 * S, $end + 61 * S + 650 * MS, '7 is-locking nobodys', 'false -');
    },
    'a Lost since a foreign client had it' => fn (History $h) => lost_near_foreign($h, fn ($taken, $foreign) => [$taken, $foreign]),
    'a Lost since a foreign client had it after it was set again' => fn (History $h) =>
        lost_near_foreign($h, fn ($taken, $foreign) => [$taken, $taken, $foreign]),
];

/** @return array{int, string} */
function check(string $folder): array
{
    exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-d', 'memory_limit=-1', __DIR__ . '/check.php', $folder])) . ' 2>&1', $output, $status);
    return [$status, implode("\n", $output)];
}

/* A fresh copy with one fact changed, and what the checker says of it. */
function check_doctored(History $history, string $copy, callable $doctor): array
{
    exec('rm -rf ' . escapeshellarg($copy) . ' && cp -r ' . escapeshellarg($history->folder) . ' ' . escapeshellarg($copy));
    try {
        $doctor($history);
    } catch (RuntimeException $e) {
        return [0, $e->getMessage()];
    }
    $history->write($copy);
    return check($copy);
}

function say(bool $good, string $verdict, string $name, string $output): int
{
    echo $good ? $verdict : 'MISSED  ', $name, "\n", $good ? '' : preg_replace('/^/m', '        ', substr($output, 0, 2000)) . "\n";
    return (int) !$good;
}

function must_pass(string $folder): void
{
    [$status, $output] = check($folder);
    if ($status !== 0) {
        echo "$output\nThe history as it was does not pass\n";
        exit(1);
    }
}

gc_disable(); /* what is read stays until the end */
[, $folder, $small, $majority, $copy] = $argv;
array_map(must_pass(...), [$folder, $small, $majority]);
$failed = 0;
foreach ([$folder => $ways, $small => $madeUp, $majority => $ofMajority] as $original => $doctored) {
    $history = new History($original);
    foreach ($doctored as $name => [$kind, $doctor]) {
        $found = false;
        for ($skip = 0; $skip < PLACES && !$found; $skip++) {
            [$status, $output] = check_doctored($history->skipping($skip), $copy, $doctor);
            $found = $status === 1 && preg_match("/^VIOLATION $kind /m", $output);
        }
        $failed += say($found, 'found   ', $name, $output);
    }
}
foreach ($harmless as $name => $doctor) {
    [$status, $output] = check_doctored(new History($small), $copy, $doctor);
    $failed += say($status === 0, 'passes  ', $name, $output);
}
exit($failed === 0 ? 0 : 1);
