<?php
/*
 * The client under test and another one share locks on one Redis. What each does is drawn from a seed; what they were told
 * is written down as the stress run's workers do it, and judged by its checker: tests/stress/README.md has both.
 */

require_once __DIR__ . '/program.php';

require_once __DIR__ . '/../server.inc';
require_once __DIR__ . '/../stress/deployments.php';
require_once __DIR__ . '/../stress/faults.php';

/* One call that a worker is to make: what is written down of it, and what is said to the client. */
final class Call
{
    public function __construct(public readonly string $operation, public readonly string $key, public readonly array $terms,
        public readonly array $command, public readonly int $owner = 0)
    {
    }
}

/* A program, what it is to do next, and its history. */
final class Worker
{
    /* A call that is worth a word on why it took so long; ns. */
    private const LONG = 100_000_000;

    public readonly Program $program;
    private mixed $history;
    private int $calls = 0, $sections = 0;
    /** @var list<array> what it was told at first and has not answered yet */
    private array $greetings;
    private ?Generator $plan = null;
    private ?Call $call = null;
    private ?array $result = null;
    private int $began = 0, $ended = 0, $delayed = 0, $asked = 0, $due = 0;

    public function __construct(string $command, public readonly int $number, private Schedule $schedule, string $folder, array $open)
    {
        $this->program = new Program($command, ['file', "$folder/errors", 'a']);
        $this->history = fopen("$folder/worker-$number", 'a');
        $this->greetings = [['do' => 'hello'], ['do' => 'open', 'owner' => 0, ...$open], ['do' => 'open', 'owner' => 1, ...$open]];
        array_map($this->program->say(...), $this->greetings);
    }

    /* What it answers to the first that it was told. Nobody waits for that: others' answers are noted when they come. */
    private function greeted(array $result): void
    {
        $command = array_shift($this->greetings);
        array_key_exists('result', $result) || throw new Broken("$command[do]: " . to_json($result));
        if ($command['do'] === 'hello') {
            $this->write('P', hrtime(true), $this->program->pid, str_replace(' ', '_', $result['result']['name']));
        } elseif ($command['renew'] ?? false) {
            $this->write('R', hrtime(true), $command['owner'], 0);
        }
    }

    private function write(string|int ...$words): void
    {
        fwrite($this->history, rtrim(implode(' ', $words)) . "\n");
    }

    /* What the next call may give as metadata, so that the server's record names it. */
    public function nextName(): string
    {
        return "$this->number." . $this->calls + 1;
    }

    /* When it has something to do by itself: ns; null: it awaits a result. */
    public function due(): ?int
    {
        return $this->call === null && $this->greetings === [] ? $this->due : null;
    }

    /* The next thing of its plan; of the next plan, until the run is over. False: there is none. */
    public function goOn(bool $over): bool
    {
        if ($this->plan === null || !$this->plan->valid()) {
            if ($over) {
                return false;
            }
            $this->plan = $this->schedule->plan($this);
        }
        $next = $this->plan->current();
        if ($next instanceof Call) {
            $this->make($next);
        } else {
            $this->due = hrtime(true) + (int) ($next * 1e6);
            $this->plan->next();
        }
        return true;
    }

    public function make(Call $call): void
    {
        [$this->call, $this->result] = [$call, null];
        $this->delayed = $this->delay();
        $this->calls++;
        $this->began = hrtime(true);
        $this->write('B', $this->began, $call->owner, $call->operation, $call->key ?: '-', ...$call->terms);
        $this->program->say(['owner' => $call->owner, ...$call->command]);
    }

    /* For how long the program has wanted a CPU and had none. */
    private function delay(): int
    {
        return (int) (explode(' ', @file_get_contents("/proc/{$this->program->pid}/schedstat") ?: '0 0')[1]);
    }

    /* Reads what has come: of a call its result, and then what is held. True: the call is over. */
    public function hear(): bool
    {
        for ($heard = $this->program->hear(); $heard !== null && $this->greetings !== []; $heard = $this->program->hear()) {
            $this->greeted($heard);
        }
        if ($heard === null) {
            return false;
        }
        if ($this->result === null) {
            [$this->result, $this->ended] = [$heard, hrtime(true)];
            if ($this->call->key !== '' && $this->call->operation !== 'quit') {
                $this->asked = hrtime(true);
                $this->program->say(['do' => 'lease', 'owner' => $this->call->owner, 'key' => $this->call->key]);
                return false;
            }
            $heard = ['result' => null];
        }
        $this->end($heard);
        return true;
    }

    private function end(array $lease): void
    {
        $this->ended - $this->began < self::LONG || $this->write('D', $this->ended, $this->delay() - $this->delayed);
        $this->write('E', $this->ended, $this->told(), $this->call->key === '' ? '' : $this->state($lease['result'] ?? null));
        $answer = $this->result['result'] ?? null;
        [$call, $this->call] = [$this->call, null];
        $isNew = in_array($call->operation, ['take', 'share'], true) && $answer === true && ($lease['result']['depth'] ?? 0) === 1;
        $this->sections += $isNew ? 1 : 0;
        $this->due = hrtime(true);
        $this->plan?->valid() && $this->plan->send($answer);
    }

    private function told(): string
    {
        $result = $this->result;
        if (!isset($result['error'])) {
            $answer = $result['result'] ?? null;
            return match (true) {
                is_bool($answer) => $answer ? 'true' : 'false',
                $this->call->operation === 'holder' => $answer === null ? 'false' : 'true',
                default => is_string($answer) ? 'true' : 'none',
            };
        }
        $kind = match ($result['error']) {
            'lost' => 'Lost',
            'timeout' => $result['held'] ?? false ? 'Held' : 'Timeout',
            'expired' => 'TooLate',
            'connection' => 'Connection',
            'server' => 'Server:' . ($result['code'] ?? ''),
            default => 'Misuse',
        };
        return "$kind@" . ($this->call->key ?: '-') . '@' . (int) round(($result['late'] ?? 0) * 1000);
    }

    private function state(?array $lease): string
    {
        return $lease === null ? '-' : implode('/', [explode(':', $lease['token'])[1], $lease['fence'] ?? 0, $lease['depth'],
            $lease['left'] > 0 ? $this->asked + (int) ($lease['left'] * 1e6) : 0, hrtime(true), ...$lease['shared'] ?? false ? ['s'] : []]);
    }

    public function sections(): int
    {
        return $this->sections;
    }
}

/* What workers do: each plan is a way to use a lock, which yields calls, and pauses in ms. */
final class Schedule
{
    private const HOT = ['hot-1', 'hot-2', 'hot-3'];
    private const READ = ['read-1', 'pool-2'];
    /* The only key that locks are broken of. */
    private const BROKEN = 'broken';
    /** @var list<array{string, int, string}> tokens that were handed over: key, until when they are good, token */
    private array $handed = [];

    public function __construct(private string $level)
    {
    }

    private static function one(mixed ...$choices): mixed
    {
        return $choices[mt_rand(0, count($choices) - 1)];
    }

    public function plan(Worker $worker): Generator
    {
        $draw = mt_rand(1, 100);
        return match (true) {
            $this->handed !== [] && mt_rand(0, 1) => $this->adopt(),
            $draw <= 90 => $this->section($worker, self::one(...self::HOT)),
            $draw <= 92 && $this->level !== 'renewal' => $this->rivals($worker, self::one(...self::HOT)),
            $draw <= 94 => $this->delayed($worker, 'cool-1'),
            $draw <= 97 => $this->breaking($worker),
            $draw <= 99 && in_array($this->level, ['core', 'queue', 'shares'], true) => $this->handOver($worker, self::one(...self::HOT)),
            default => $this->notHeld(self::one(...self::HOT)),
        };
    }

    private function take(Worker $worker, string $key, int $owner = 0, ?int $ttl = null, ?int $wait = null): Call
    {
        $ttl ??= $this->level === 'renewal' ? self::one(200, 400) : self::one(80, 250, 500, 1000);
        $wait ??= $this->level === 'core' ? 0 : self::one(0, 20, 200, 500);
        $common = ['key' => $key, 'wait' => $wait, 'ttl' => $ttl, 'metadata' => $worker->nextName()];
        $limit = $key === 'pool-2' ? 2 : 0;
        return in_array($key, self::READ, true) && mt_rand(0, 4) > 0
            ? new Call('share', $key, [$wait, $ttl, 1, $limit], ['do' => 'share', ...$common, ...$limit > 0 ? ['limit' => $limit] : []], $owner)
            : new Call('take', $key, [$wait, $ttl, 1], ['do' => 'take', ...$common], $owner);
    }

    private static function release(string $key, int $owner = 0, int $delay = 0): Call
    {
        return new Call('release', $key, [$delay, 1], ['do' => 'release', 'key' => $key, 'delay' => $delay], $owner);
    }

    private function use(string $key, int $owner = 0): Call
    {
        $ttl = self::one(80, 250, 500, 1000);
        return match (mt_rand(0, 4)) {
            0 => new Call('check', $key, [], ['do' => 'check', 'key' => $key], $owner),
            1 => new Call('is-locking', $key, [], ['do' => 'look', 'key' => $key], $owner),
            2 => new Call('holder', $key, [], ['do' => 'holder', 'key' => $key], $owner),
            default => new Call('prolong', $key, [$ttl], ['do' => 'prolong', 'key' => $key, 'ttl' => $ttl], $owner),
        };
    }

    /* Takes it, now and then a level deeper, uses it for a while, which may be longer than its lease, and gives it back. */
    private function section(Worker $worker, string $key): Generator
    {
        if ($this->level === 'shares' && mt_rand(0, 1)) {
            $key = self::one(...self::READ);
        }
        if ((yield $this->take($worker, $key)) !== true) {
            yield 1;
            return;
        }
        $depth = 1;
        for ($left = mt_rand(0, 2); $left > 0; $left--) {
            yield mt_rand(0, 2);
            yield $this->use($key);
        }
        if (mt_rand(0, 9) === 0) {
            $depth += (yield $this->take($worker, $key)) === true ? 1 : 0;
        } elseif (mt_rand(0, 99) === 0) {
            yield self::one(90, 300);
        } elseif (in_array($key, self::READ, true) && mt_rand(0, 4) === 0) {
            yield new Call('downgrade', $key, [], ['do' => 'downgrade', 'key' => $key]);
        }
        for (; $depth > 0; $depth--) {
            yield self::release($key);
        }
    }

    /* Two owners in one process. */
    private function rivals(Worker $worker, string $key): Generator
    {
        if ((yield $this->take($worker, $key, owner: 1, ttl: 1000)) === true) {
            if ((yield $this->take($worker, $key, wait: $this->level === 'core' ? 0 : 20)) === true) {
                yield self::release($key);
            }
            yield self::release($key, owner: 1);
        }
    }

    /* Keeps the key unavailable for a while after. */
    private function delayed(Worker $worker, string $key): Generator
    {
        if ((yield $this->take($worker, $key, ttl: 1000)) === true) {
            yield self::release($key, delay: self::one(10, 50));
        }
    }

    private function breaking(Worker $worker): Generator
    {
        $taken = yield $this->take($worker, self::BROKEN);
        if ($taken !== true || mt_rand(0, 1)) {
            yield new Call('break', self::BROKEN, [0], ['do' => 'break', 'key' => self::BROKEN], 1);
        }
        if ($taken === true) {
            yield self::release(self::BROKEN);
        }
    }

    private function handOver(Worker $worker, string $key): Generator
    {
        if ((yield $this->take($worker, $key)) !== true) {
            return;
        }
        $ttl = self::one(50, 300);
        $began = hrtime(true);
        $token = yield new Call('hand-over', $key, [$ttl], ['do' => 'hand_over', 'key' => $key, 'ttl' => $ttl]);
        if (is_string($token)) {
            $this->handed[] = [$key, $began + $ttl * 1_000_000, $token];
        } else {
            yield self::release($key); /* it may be ours still */
        }
    }

    /* What somebody has handed over. */
    private function adopt(): Generator
    {
        [$key, $until, $token] = array_shift($this->handed);
        $ttl = self::one(700, 1000); /* twice as long as a call: so much of it is left when it is asked for twice */
        $adopted = yield new Call('adopt', $key, [$ttl, $until, explode(':', $token)[1]], ['do' => 'adopt', 'key' => $key, 'token' => $token, 'ttl' => $ttl], 1);
        if ($adopted === true) {
            yield $this->use($key, 1);
            yield self::release($key, 1);
        }
    }

    private function notHeld(string $key): Generator
    {
        yield self::release($key);
        yield new Call('is-locking', $key, [], ['do' => 'look', 'key' => $key]);
        yield new Call('prolong', $key, [500], ['do' => 'prolong', 'key' => $key, 'ttl' => 500]);
    }
}

/* The programs of a run, in a process of its own, so that a fault that takes its time holds nobody up. */
final class Driver
{
    /* So long a program may take to come to the end of its plan, and to close; ns. */
    private const PATIENCE = 20_000_000_000;

    /** @var array<int, Worker> */
    private array $workers = [];
    /** @var array<int, array{int, int}> those that are stopped: since when, until when */
    private array $stopped = [];
    private int $started = 0, $sections = 0;
    private mixed $faults;
    private bool $over = false;

    /* `commands`: one for each. `orders`: where Workers tells what to do. */
    public function __construct(array $commands, private Schedule $schedule, private string $folder, private array $open, private mixed $orders)
    {
        $this->faults = fopen("$folder/faults-workers", 'a');
        array_map($this->start(...), $commands);
    }

    /* Until it is told that the run is over, and all have ended. */
    public function run(): void
    {
        for ($patience = PHP_INT_MAX; ($this->goOn() || !$this->over) && hrtime(true) < $patience;) {
            $this->continue($this->over);
            $patience = $this->over ? min($patience, hrtime(true) + self::PATIENCE) : $patience;
        }
        $this->end();
    }

    private function note(int $from, string $what, int $number, int|string ...$more): void
    {
        fwrite($this->faults, implode(' ', [$from, hrtime(true), $what, $number, ...$more]) . "\n");
    }

    private function start(string $command): void
    {
        $number = ++$this->started;
        $this->workers[$number] = new Worker($command, $number, $this->schedule, $this->folder, $this->open);
    }

    /* One that is not stopped; 0: there is none. */
    private function running(): int
    {
        $running = array_keys(array_diff_key($this->workers, $this->stopped));
        return $running === [] ? 0 : $running[array_rand($running)];
    }

    private function obey(array $order): int
    {
        [$what, $number, $milliseconds] = $order + [1 => 0, 0];
        match ($what) {
            'kill' => $this->replace($number),
            'stop' => $this->stop($number, $milliseconds),
            'end' => $this->over = true,
            default => null,
        };
        return match ($what) {
            'running' => $this->running(),
            'sections' => $this->sections + array_sum(array_map(fn (Worker $worker) => $worker->sections(), $this->workers)),
            default => 0,
        };
    }

    /* By another, since it was killed. */
    private function replace(int $number): void
    {
        $worker = $this->workers[$number];
        unset($this->workers[$number], $this->stopped[$number]);
        $this->sections += $worker->sections();
        $worker->program->end(kill: true);
        $this->start($worker->program->command);
    }

    private function stop(int $number, int $milliseconds): void
    {
        $this->stopped[$number] = [hrtime(true), hrtime(true) + $milliseconds * 1_000_000];
        $this->workers[$number]->program->signal(SIGSTOP);
    }

    private function continue(bool $all): void
    {
        foreach ($this->stopped as $number => [$from, $until]) {
            if ($all || $until <= hrtime(true)) {
                $this->workers[$number]->program->signal(SIGCONT);
                $this->note($from, 'stop', $number);
                unset($this->stopped[$number]);
            }
        }
    }

    /* Each does what is due, for some ms at most. False: all plans are at their end. */
    private function goOn(): bool
    {
        $until = hrtime(true) + 5_000_000;
        $busy = false;
        foreach ($this->workers as $worker) {
            $due = $worker->due();
            if ($due !== null && $due <= hrtime(true)) {
                $busy = $worker->goOn($this->over) || $busy;
            } else {
                $busy = true;
                $until = min($until, $due ?? $until);
            }
        }
        [$read, $none] = [[-1 => $this->orders] + array_map(fn (Worker $worker) => $worker->program->stream(), $this->workers), []];
        @stream_select($read, $none, $none, 0, max(0, intdiv($until - hrtime(true), 1000)));
        foreach (array_keys(array_intersect_key($read ?: [], $this->workers)) as $number) {
            $this->hear($number);
        }
        if (isset($read[-1])) {
            fwrite($this->orders, $this->obey(json_decode(fgets($this->orders))) . "\n");
        }
        return $busy;
    }

    /* One that has ended by itself, or says what is no result, is a violation. */
    private function hear(int $number): void
    {
        try {
            $this->workers[$number]->hear();
        } catch (Broken $e) {
            echo "worker-$number: {$e->getMessage()}\n";
            $this->note(hrtime(true), 'end', $number, str_replace([' ', "\n"], '-', $e->getMessage()));
            $this->replace($number);
        }
    }

    /* Each closes its owners, and ends. */
    private function end(): void
    {
        foreach ($this->workers as $number => $worker) {
            if ($worker->due() === null) {
                $this->note(hrtime(true), 'hung', $number);
                $worker->program->end(kill: true);
                continue;
            }
            foreach ([0, 1] as $owner) {
                $worker->make(new Call('close', '', [], ['do' => 'close'], $owner));
                for ($until = hrtime(true) + 5_000_000_000; !$worker->hear() && hrtime(true) < $until;) {
                    usleep(200);
                }
            }
            $this->note(hrtime(true), 'end', $number, $worker->program->end());
        }
    }
}

/* The driver, as the faults see it. */
final class Workers
{
    public function __construct(private mixed $orders)
    {
    }

    public function order(string|int ...$words): int
    {
        @fwrite($this->orders, json_encode($words) . "\n");
        $answer = fgets($this->orders);
        return $answer === false ? throw new RuntimeException('The programs are gone') : (int) $answer;
    }

    public function running(): ?int
    {
        return $this->order('running') ?: null;
    }

    public function kill(int $number): void
    {
        $this->order('kill', $number);
    }

    public function stop(int $number, int $milliseconds): void
    {
        $this->order('stop', $number, $milliseconds);
    }
}

final class Live
{
    public const LEVELS = ['core', 'queue', 'shares', 'renewal', 'majority'];

    private string $folder;

    /* `commands`: the client's under test, and the other's. `forgets`: no history is kept. */
    public function __construct(private array $commands, private string $level, private int $seed, private bool $forgets)
    {
        $base = is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir();
        $this->folder = "$base/rlock-conformance." . getmypid() . ".$level.$seed";
        mkdir($this->folder, 0700);
        foreach (['proxy' => '', 'clock.so' => '-shared -fPIC'] as $target => $how) {
            $source = __DIR__ . '/../stress/' . basename($target, '.so') . '.c';
            passthru("cc -O2 $how -o $this->folder/$target $source", $status);
            $status === 0 || throw new RuntimeException("$source is not compiled");
        }
    }

    /* Runs for so many seconds, or until so many sections were done; with faults or without. @return array{bool, string} whether all was well, and the checker's words */
    public function run(float $seconds, bool $storms, int $sections = 0): array
    {
        mt_srand($this->seed);
        $majority = $this->level === 'majority';
        $deployment = new Masters($this->folder, $majority ? 3 : 1);
        file_put_contents("$this->folder/deployment", $majority ? 'majority' : 'single');
        $recorder = proc_open(['setpriv', '--pdeathsig', 'KILL', PHP_BINARY, '-n', __DIR__ . '/../stress/recorder.php', $this->folder], [['pipe', 'r']], $pipes);
        await('the recorder', fn () => file_exists("$this->folder/samples"));
        $began = hrtime(true);
        [$orders, $obeyed] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $driver = $this->drive($orders, $obeyed, [
            'servers' => array_map(fn (Node $node) => ['host' => '127.0.0.1', 'port' => $node->port], $deployment->nodes),
            'prefix' => 'lock@', 'timeout' => 300, ...$this->level === 'renewal' ? ['renew' => true] : [],
        ]);
        $workers = new Workers($orders);
        $faults = new Faults($deployment, $workers, $this->folder);
        $end = $began + (int) ($seconds * 1e9);
        for ($next = $began + 300_000_000; $sections > 0 ? $workers->order('sections') < $sections : hrtime(true) < $end;) {
            usleep(10_000);
            if ($storms && hrtime(true) >= $next) {
                $faults->strike();
                $next = hrtime(true) + mt_rand(5, 250) * 1_000_000;
            }
        }
        $workers->order('end');
        pcntl_waitpid($driver, $status);
        note_left($deployment, $this->folder);
        $faults->note($began, 'run');
        fclose($pipes[0]);
        proc_close($recorder);
        return $this->judge();
    }

    private function drive(mixed $orders, mixed $obeyed, array $open): int
    {
        $driver = pcntl_fork();
        if ($driver === 0) {
            fclose($orders);
            try {
                (new Driver([...$this->commands, ...$this->commands], new Schedule($this->level), $this->folder, $open, $obeyed))->run();
            } catch (Throwable $e) {
                echo "$e\n";
            }
            posix_kill(getmypid(), SIGKILL); /* what the other process has begun is its own to end */
        }
        fclose($obeyed);
        return $driver;
    }

    private function judge(): array
    {
        touch("$this->folder/left");
        exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-d', 'memory_limit=-1', __DIR__ . '/../stress/check.php', $this->folder])) . ' 2>&1', $report, $status);
        $violations = preg_grep('/^VIOLATION|^PHP|Exception|^\d+ sections/', $report);
        if ($status === 0 || $this->forgets) {
            exec('rm -rf ' . escapeshellarg($this->folder));
            return [$status === 0, implode("\n", $violations)];
        }
        return [false, implode("\n", $violations) . "\nThe history is in $this->folder"];
    }
}
