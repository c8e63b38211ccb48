<?php
/*
 * One round of the stress run: stress.php MODULE FOLDER SECONDS DEPLOYMENT SEED
 *
 * Starts a deployment (deployments.php), workers (worker.php) and a recorder (recorder.php), and disturbs them
 * (faults.php), by turns for some seconds and not for some. What happened is in FOLDER then, as README.md says.
 * It proves nothing: check.php does.
 */

require __DIR__ . '/../server.inc';
require __DIR__ . '/deployments.php';
require __DIR__ . '/faults.php';

const WORKERS = 32;
/* Of so many keys in a hundred there are shares, unless RLOCK_STRESS_SHARED says another number. */
const SHARED = 35;
const WORKER_END = 30.0;
/* So long it is disturbed, and then left alone; s. */
const STORM = 4.0;
const CALM = 3.0;

[, $module, $folder, $seconds, $name, $seed] = $argv;
mt_srand((int) $seed);

final class Workers
{
    /** @var array<int, array{Process, ?int, int}> number => process, when it goes on if it is stopped, since when */
    private array $workers = [];
    private int $started = 0;
    public Faults $faults;

    public function __construct(private string $module, private string $folder, private string $servers, private int $replicas, private int $end)
    {
        mkdir("$folder/mailbox");
    }

    public function start(): void
    {
        $number = ++$this->started;
        $log = ['file', "$this->folder/errors", 'a'];
        $process = new Process(
            [PHP_BINARY, '-n', '-d', "extension=$this->module", ...(extension_loaded('pcntl') ? [] : ['-d', 'extension=pcntl']),
                __DIR__ . '/worker.php', $this->servers, (string) $this->replicas, (string) $number, $this->folder, (string) $this->end, (string) mt_rand(),
                is_numeric(getenv('RLOCK_STRESS_SHARED')) ? getenv('RLOCK_STRESS_SHARED') : (string) SHARED],
            [['file', '/dev/null', 'r'], $log, $log],
        );
        $this->workers[$number] = [$process, null, 0];
    }

    /* One that is not stopped. */
    public function running(): ?int
    {
        $running = array_keys(array_filter($this->workers, fn (array $worker) => $worker[1] === null));
        return $running === [] ? null : $running[array_rand($running)];
    }

    public function kill(int $number): void
    {
        $this->workers[$number][0]->kill();
        unset($this->workers[$number]);
        $this->start();
    }

    public function stop(int $number, int $milliseconds): void
    {
        $from = hrtime(true);
        $this->workers[$number][0]->signal('STOP');
        $this->workers[$number][1] = $from + $milliseconds * 1_000_000;
        $this->workers[$number][2] = $from;
    }

    public function continue(bool $all): void
    {
        foreach ($this->workers as $number => [$process, $until, $from]) {
            if ($until !== null && ($all || $until <= hrtime(true))) {
                $process->signal('CONT');
                $this->faults->note($from, 'stop', $number);
                $this->workers[$number][1] = null;
            }
        }
    }

    /* Those that ended by themselves; how, is the checker's to judge. How many are left. */
    public function replaceEnded(bool $start): int
    {
        foreach ($this->workers as $number => [$process]) {
            $stat = @file_get_contents("/proc/$process->pid/stat");
            if ($stat === false || substr($stat, strrpos($stat, ')') + 2, 1) === 'Z') {
                $this->faults->note(hrtime(true), 'end', $number, str_replace(' ', '-', (string) $process->wait()));
                unset($this->workers[$number]);
                $start && $this->start();
            }
        }
        return count($this->workers);
    }

    public function awaitEnd(): void
    {
        $patience = hrtime(true) + (int) (WORKER_END * 1e9);
        while ($this->replaceEnded(false) > 0 && hrtime(true) < $patience) {
            usleep(20_000);
        }
        foreach ($this->workers as $number => [$process]) {
            $this->faults->note(hrtime(true), 'hung', $number);
            $process->kill();
        }
    }
}

function make_deployment(string $name, string $folder): Deployment
{
    return match ($name) {
        'single' => new Masters($folder, 1),
        'majority' => new Masters($folder, 3),
        'tls' => new Encrypted($folder),
        'sentinel' => new Watched($folder, 0),
        'replicas' => new Watched($folder, 1),
        'cluster' => new Sharded($folder),
    };
}

$deployment = make_deployment($name, $folder);
file_put_contents("$folder/deployment", $name);
$recorder = proc_open(['setpriv', '--pdeathsig', 'KILL', PHP_BINARY, '-n', __DIR__ . '/recorder.php', $folder], [['pipe', 'r']], $pipes);
await('the recorder', fn () => file_exists("$folder/samples"));
$began = hrtime(true);
$end = $began + (int) ((float) $seconds * 1e9);
$workers = new Workers($module, $folder, $deployment->servers(), $deployment->replicas(), $end);
$faults = $workers->faults = new Faults($deployment, $workers, $folder);
for ($i = 0; $i < WORKERS; $i++) {
    $workers->start();
}
$next = $began + 300_000_000;
while (hrtime(true) < $end) {
    usleep(10_000);
    $workers->continue(false);
    $workers->replaceEnded(true);
    if (hrtime(true) >= $next) {
        $faults->strike();
        $storms = fmod((hrtime(true) - $began) / 1e9, STORM + CALM) < STORM;
        $next = hrtime(true) + ($storms ? mt_rand(5, 120) * 1_000_000 : (int) (CALM * 1e9));
    }
}
$workers->continue(true);
$workers->awaitEnd();
$faults->follow();
note_left($deployment, $folder);
$faults->note($began, 'run');
