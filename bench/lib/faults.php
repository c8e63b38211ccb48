<?php
/*
 * The faults of bench/faults. In each, A has the lock and works under it, and B wants it next; or, where a copy comes
 * late, asks for it afterwards. Times are parts of the lease.
 */

declare(strict_types=1);

const FAULTS = [
    'killed' => 'the holder is killed',
    'stopped' => 'the holder is stopped for two leases, then awake',
    'restarted' => 'Redis is restarted with its data',
    'emptied' => 'Redis is restarted without its data',
    'failover' => 'a failover loses the last write',
    'cut' => 'ten seconds cut between the holder and Redis',
    'copy' => 'a copy of the take comes after the release',
    'late-copy' => "the same copy comes when the take's own call has long ended",
    'waiters' => '40 waiters are stopped',
    'deleted' => 'the key is deleted by hand',
];

const WAITERS = 40;
const STEP_MS = 50;                // between two writes, as in workers/faults
const PATIENCE = 60_000_000_000;

/**
 * What rlock's cells are held to: what its loser is told, at most how many late writes there are (null: as many as go into
 * the time between two renewals), and, if it is less than the lease and a second, after how many seconds the next is in.
 */
const PROMISED = [
    'killed' => [['none'], 0],
    'stopped' => [['before', 'after'], 1],      // the process may wake up between the check and the write
    'restarted' => [['none', 'error'], 0],
    'emptied' => [['before', 'after', 'error'], null],
    'failover' => [['before', 'after', 'error'], null],
    'cut' => [['none', 'error'], 0],
    'copy' => [['none'], 0],
    'late-copy' => [['none'], 0, 0.5],
    'waiters' => [['none'], 0, 9.0],            // a waiter asks by itself every 8 s at least
    'deleted' => [['before', 'after'], null],
];
/** Where a thread renews and interrupts, it needs a CPU for that first, while the script has one already. */
const PROMISED_RENEWING = ['stopped' => [['before', 'after'], 5]] + PROMISED;
const BUSY = 1.0;

/** What rlock promises and did not do in that cell. */
function broken_promise(FaultRow $row, int $lease_ms): ?string
{
    if (!str_starts_with($row->lock, 'rlock')) {
        return null;
    }
    $promised = $row->lock === 'rlock' ? PROMISED : PROMISED_RENEWING;
    [$told, $writes, $next] = [...$promised[$row->fault], $lease_ms / 1000 + BUSY];
    $writes ??= intdiv($lease_ms, 3 * STEP_MS) + 3;
    return match (true) {
        !in_array($row->told, $told, true) => 'its loser was to be told: ' . implode(' or ', $told) . ", and not: $row->told",
        $row->writes > $writes => "$row->writes late writes",
        $row->next === null || $row->next > $next => $row->next === null ? 'nobody was in next' : "the next was in after $row->next s",
        default => null,
    };
}

/** One fault for one contender: a server, and processes that want its lock. */
final class Cell
{
    private const KEY = 'bench:faults';
    /** Seconds that a restart takes: longer than a step, so that a holder that asks at each step asks meanwhile. */
    private const RESTART = 0.3;

    public readonly Server $server;
    public readonly Recorder $recorder;
    private readonly Random\Randomizer $random;
    /** @var array<string, Process> */ private array $sections = [];
    private ?Process $proxy = null;
    private ?Server $replica = null;

    /** @param list<string> $command the contender's */
    public function __construct(private readonly array $command, private readonly int $lease_ms, private readonly float $cut, int $seed)
    {
        $this->server = new Server(arguments: ['--appendonly', 'yes', '--appendfsync', 'always', '--appenddirname', 'data']);
        $this->recorder = new Recorder($this->server->directory);
        $this->random = new Random\Randomizer(new Random\Engine\Mt19937($seed));
    }

    public function play(string $fault): Verdict
    {
        match ($fault) {
            'killed' => $this->killed(),
            'stopped' => $this->stopped(),
            'restarted' => $this->restarted(true),
            'emptied' => $this->restarted(false),
            'failover' => $this->failover(),
            'cut' => $this->cut(),
            'copy' => $this->copy(0.0),
            'late-copy' => $this->copy(3.0),
            'waiters' => $this->waiters(),
            'deleted' => $this->deleted(),
        };
        foreach (['A', 'B'] as $who) {
            $this->recorder->look($who, ['done', 'told', 'error', 'gone'], hrtime(true) + PATIENCE);
        }
        return $this->recorder->verdict();
    }

    // ==== the faults ====

    private function killed(): void
    {
        $holder = $this->holder();
        $this->next();
        $this->strike();
        $holder->signal(SIGKILL);
        $holder->wait();
        $this->recorder->note('A', 'gone');
    }

    private function stopped(): void
    {
        $holder = $this->holder();
        $this->next();
        $this->strike();
        $holder->signal(SIGSTOP);
        $this->recorder->note('A', 'stopped');
        $this->recorder->pass(2 * $this->lease_ms / 1000);
        $this->recorder->note('A', 'awake');
        $holder->signal(SIGCONT);
    }

    private function restarted(bool $with_data): void
    {
        $this->holder();
        $this->next();
        $this->strike();
        $this->server->kill();
        $this->recorder->note('Redis', 'killed');
        $this->recorder->pass(self::RESTART);
        if (!$with_data) {
            exec('rm -r ' . escapeshellarg($this->server->directory . '/data'));
        }
        $this->server->start();
        $this->recorder->note('Redis', $with_data ? 'back' : 'back_empty');
    }

    /** The replica has lost its master just before the take, and then has its place. */
    private function failover(): void
    {
        $replica = new Server();
        $replica->ask('REPLICAOF', '127.0.0.1', (string) $this->server->port);
        while (!str_contains($replica->ask('INFO', 'replication'), 'master_link_status:up')) {
            usleep(10_000);
        }
        $this->holder(just_before: fn () => $replica->ask('REPLICAOF', 'NO', 'ONE'));
        $this->next();
        $this->strike();
        rename($replica->socket, $this->server->socket);    // whoever connects from now on finds the replica
        $this->server->kill();
        $this->recorder->note('replica', 'is_master');
        $this->replica = $replica;
    }

    private function cut(): void
    {
        $this->holder($this->proxy());
        $this->next();
        $this->strike();
        $this->proxy->tell('deaf');
        $this->recorder->note('A', 'cut_off');
        $this->recorder->pass($this->cut);
        $this->proxy->tell('hear');
        $this->recorder->note('A', 'connected');
    }

    private function copy(float $later): void
    {
        $address = $this->proxy();
        $this->proxy->tell('record');
        $holder = $this->section('A', $this->lease_ms, intdiv($this->work(), 4), $address);
        $holder->go();
        $this->recorder->await('A', 'in');
        $this->proxy->tell('enough');
        $this->recorder->await('A', 'done');
        $this->recorder->pass($later);
        $this->section('B', $this->lease_ms, $this->work());
        $this->proxy->tell('deliver');
        $this->recorder->note('copy', 'came');
        $this->strike(at_once: true);
        $this->next();
    }

    private function waiters(): void
    {
        $lease_ms = 5 * $this->lease_ms;
        $holder = $this->section('A', $lease_ms, 3 * $this->lease_ms);
        $names = array_map(fn (int $i) => "w$i", range(1, WAITERS));
        $waiters = array_map(fn (string $name) => $this->section($name, $this->lease_ms, $this->work()), $names);
        $this->section('B', $this->lease_ms, $this->work());
        $holder->go();
        $this->recorder->await('A', 'in');
        array_map(fn (Process $waiter) => $waiter->go(), $waiters);
        array_map(fn (string $name) => $this->recorder->await($name, 'asks'), $names);
        $this->recorder->pass($this->lease_ms / 1000);      // now they wait, all of them
        $this->strike(at_once: true);
        array_map(fn (Process $waiter) => $waiter->signal(SIGSTOP), $waiters);
        $this->recorder->note('40', 'stopped');
        $this->next();
        $this->recorder->look('A', ['out'], hrtime(true)) && throw new RuntimeException('the machine is too slow for this');
        $this->recorder->look('B', ['done', 'told', 'error'], hrtime(true) + PATIENCE);
        array_map(fn (Process $waiter) => $waiter->signal(SIGKILL), $waiters);
    }

    private function deleted(): void
    {
        $this->holder();
        $this->next();
        $this->strike();
        foreach ($this->server->ask('KEYS', '*') as $key) {
            if (!str_starts_with($key, 'rlock:') && in_array($this->server->ask('PTTL', $key), range(1, $this->lease_ms), true)) {
                $this->server->ask('DEL', $key);
                $this->recorder->note('key', 'deleted');
            }
        }
    }

    // ==== who takes part ====

    private function work(): int
    {
        return intdiv(3 * $this->lease_ms, 5);
    }

    private function section(string $name, int $lease_ms, int $work_ms, ?string $address = null): Process
    {
        $wait = (string) max(30, (int) (3 * $this->cut));
        $section = $this->sections[$name] = new Process([...$this->command, $address ?? $this->server->socket, self::KEY,
            (string) $lease_ms, (string) $work_ms, $wait, $name, $this->recorder->path]);
        $this->recorder->await($name, 'ready');
        return $section;
    }

    /** A, when it has the lock; B is there, too. */
    private function holder(?string $address = null, ?callable $just_before = null): Process
    {
        $this->section('B', $this->lease_ms, $this->work());
        $holder = $this->section('A', $this->lease_ms, $this->work(), $address);
        $just_before && $just_before();
        $holder->go();
        $this->recorder->await('A', 'in');
        return $holder;
    }

    /** B asks, too. */
    private function next(): void
    {
        $this->sections['B']->go();
        $this->recorder->await('B', 'asks');
    }

    /** At some moment of the holder's work, which the seed tells. */
    private function strike(bool $at_once = false): void
    {
        if (!$at_once) {
            $this->recorder->pass($this->random->getInt(5, 20) / 100 * $this->lease_ms / 1000);
        }
        $this->recorder->note('fault', 'strikes');
    }

    private function proxy(): string
    {
        $socket = $this->server->directory . '/proxy.sock';
        $this->proxy = new Process([PHP_BINARY, '-n', dirname(__DIR__, 2) . '/tests/tools/proxy.php', $socket, $this->server->socket]);
        $this->proxy->line();
        return $socket;
    }
}

/** A process that is told something on its standard input, and ends with us, also if it is stopped. */
final class Process
{
    /** @var resource */ private $process;
    /** @var list<resource> */ private array $pipes = [];

    /** @param list<string> $command */
    public function __construct(array $command)
    {
        $this->process = proc_open(['setpriv', '--pdeathsig', 'KILL', ...$command], [['pipe', 'r'], ['pipe', 'w']], $this->pipes)
            ?: throw new RuntimeException("cannot start $command[0]");
    }

    public function __destruct()
    {
        if (is_resource($this->process)) {
            $this->signal(SIGKILL);
            $this->wait();
        }
    }

    /** Says it, and awaits the answer. */
    public function tell(string $line): string
    {
        fwrite($this->pipes[0], "$line\n");
        return $this->line();
    }

    public function line(): string
    {
        return fgets($this->pipes[1]) ?: throw new RuntimeException('a process has ended early');
    }

    public function go(): void
    {
        fwrite($this->pipes[0], "go\n");
    }

    public function signal(int $signal): void
    {
        proc_terminate($this->process, $signal);
    }

    public function wait(): void
    {
        proc_close($this->process);
    }
}
