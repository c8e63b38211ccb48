<?php
/*
 * The stress run: stress.php MODULE FOLDER SECONDS [server | cluster | sentinel]
 *
 * Starts a deployment (deployments.php), and workers; and harms them: kills workers, stops them
 * for longer than their leases, flushes the scripts, cuts connections, pauses a server, and does
 * to all of it what such a deployment has to bear. Writes into FOLDER the workers' histories (worker.php says
 * what is in them) and two more:
 *
 *   chaos    FROM UNTIL WHAT WORKER    what was done, between which times; kill, stop, cut, pause,
 *                                      restart, move, failover, flush, end (WORKER ended by itself with the status
 *                                      that follows), stall (the machine did not get to us), clock
 *                                      (the wall clock's microseconds follow)
 *   left     KEY TTL                   what is on the server when all leases have ended
 *
 * It proves nothing: check.php does.
 */

require __DIR__ . '/../server.inc';
require __DIR__ . '/deployments.php';

const WORKERS = 10;
/* Longer than any lease, baton or flag of the run. */
const LAST_LEASE = 8.0;
const WORKER_END = 20.0;

[, $module, $folder, $seconds] = $argv;
$deployment = match ($argv[4] ?? 'server') {
    'cluster' => new MovingCluster(),
    'sentinel' => new FailingMaster(),
    default => new OneServer(),
};

final class Stress
{
    private mixed $chaos;
    /** @var array<int, array{Process, ?int}> worker number => process, and when it goes on if it is stopped */
    private array $workers = [];
    private int $started = 0;
    private int $end;

    public function __construct(private Deployment $deployment, private string $module, private string $folder, int $seconds)
    {
        $this->chaos = fopen("$folder/chaos", 'a');
        mkdir("$folder/mailbox");
        $this->end = hrtime(true) + $seconds * 1_000_000_000;
    }

    private function note(int $from, string $what, int|string $worker = '-', int|string ...$more): void
    {
        fwrite($this->chaos, implode(' ', [$from, hrtime(true), $what, $worker, ...$more]) . "\n");
    }

    private function startWorker(): void
    {
        $number = ++$this->started;
        $log = ['file', "$this->folder/errors", 'a'];
        $process = new Process(
            [PHP_BINARY, '-n', '-d', "extension=$this->module", __DIR__ . '/worker.php', $this->deployment->url(),
                "$this->folder/worker-$number", "$this->folder/mailbox", (string) $this->end, (string) mt_rand()],
            [['file', '/dev/null', 'r'], $log, $log],
        );
        $this->workers[$number] = [$process, null];
    }

    /* A worker that is not stopped. */
    private function victim(): ?int
    {
        $running = array_keys(array_filter($this->workers, fn (array $worker) => $worker[1] === null));
        return $running === [] ? null : $running[array_rand($running)];
    }

    private function killWorker(): void
    {
        if (($number = $this->victim()) !== null) {
            $from = hrtime(true);
            $this->workers[$number][0]->kill();
            $this->note($from, 'kill', $number);
            unset($this->workers[$number]);
            $this->startWorker();
        }
    }

    private function stopWorker(): void
    {
        if (($number = $this->victim()) !== null) {
            $from = hrtime(true);
            $this->workers[$number][0]->signal(SIGSTOP);
            $this->workers[$number][1] = $from + mt_rand(20, 1500) * 1_000_000;
            $this->note($from, 'stop', $number);
        }
    }

    private function continueWorkers(bool $all): void
    {
        foreach ($this->workers as $number => [$process, $until]) {
            if ($until !== null && ($all || $until <= hrtime(true))) {
                $from = hrtime(true);
                $process->signal(SIGCONT);
                $this->note($from, 'continue', $number);
                $this->workers[$number][1] = null;
            }
        }
    }

    /* Those that ended by themselves; how, is the checker's to judge. */
    private function replaceEnded(bool $start): void
    {
        foreach ($this->workers as $number => [$process]) {
            if (!file_exists("/proc/$process->pid") || $this->isZombie($process->pid)) {
                $from = hrtime(true);
                $this->note($from, 'end', $number, str_replace(' ', '-', (string) $process->wait()));
                unset($this->workers[$number]);
                if ($start) {
                    $this->startWorker();
                }
            }
        }
    }

    private function isZombie(int $pid): bool
    {
        $stat = @file_get_contents("/proc/$pid/stat");
        return $stat === false || substr($stat, strrpos($stat, ')') + 2, 1) === 'Z';
    }

    private function flushScripts(): void
    {
        $from = hrtime(true);
        $this->master()('SCRIPT', 'FLUSH');
        $this->note($from, 'flush');
    }

    private function cutConnections(): void
    {
        $master = $this->master();
        preg_match_all('/^id=(\d+) .*? name=rlock /m', $master('CLIENT', 'LIST'), $clients);
        $ids = $clients[1];
        shuffle($ids);
        foreach (array_slice($ids, 0, mt_rand(1, 2)) as $id) {
            $from = hrtime(true);
            $master('CLIENT', 'KILL', 'ID', $id);
            $this->note($from, 'cut');
        }
    }

    private function pauseServer(): void
    {
        $from = hrtime(true);
        $milliseconds = mt_rand(10, 300);
        $this->master()('CLIENT', 'PAUSE', $milliseconds, mt_rand(0, 1) ? 'WRITE' : 'ALL');
        usleep($milliseconds * 1000);
        $this->note($from, 'pause');
    }

    private function upset(): void
    {
        $from = hrtime(true);
        $what = $this->deployment->upset();
        $this->note($from, $what);
    }

    private function master(): RawClient
    {
        $masters = $this->deployment->masters();
        return $masters[array_rand($masters)];
    }

    private function noteClock(): void
    {
        $best = null;
        for ($i = 0; $i < 10; $i++) {
            [$from, $wall, $until] = [hrtime(true), (int) (microtime(true) * 1e6), hrtime(true)];
            if ($best === null || $until - $from < $best[2] - $best[0]) {
                $best = [$from, $wall, $until];
            }
        }
        $this->note($best[0], 'clock', '-', $best[1]);
    }

    private function harm(): void
    {
        if (mt_rand(1, 100) <= $this->deployment->share()) {
            $this->upset();
            return;
        }
        $draw = mt_rand(1, 92);
        match (true) {
            $draw <= 25 => $this->killWorker(),
            $draw <= 50 => $this->stopWorker(),
            $draw <= 65 => $this->cutConnections(),
            $draw <= 80 => $this->flushScripts(),
            default => $this->pauseServer(),
        };
    }

    public function run(): void
    {
        $this->noteClock();
        for ($i = 0; $i < WORKERS; $i++) {
            $this->startWorker();
        }
        $next = hrtime(true) + 500_000_000;
        while (hrtime(true) < $this->end) {
            $from = hrtime(true);
            usleep(20_000);
            if (hrtime(true) - $from > 100_000_000) {
                $this->note($from, 'stall');
            }
            $this->continueWorkers(false);
            $this->replaceEnded(true);
            if (hrtime(true) >= $next) {
                $this->noteClock();
                $this->harm();
                $next = hrtime(true) + mt_rand(50, 1000) * 1_000_000;
            }
        }
        $this->continueWorkers(true);
        $this->awaitWorkers();
        $this->noteLeft();
        $this->noteClock();
    }

    private function awaitWorkers(): void
    {
        $patience = hrtime(true) + (int) (WORKER_END * 1e9);
        while ($this->workers !== [] && hrtime(true) < $patience) {
            usleep(20_000);
            $this->replaceEnded(false);
        }
        foreach ($this->workers as $number => [$process]) {
            $this->note(hrtime(true), 'hung', $number);
            $process->kill();
        }
    }

    /** @return array<string, int> key => ms left */
    private function keys(): array
    {
        $left = [];
        foreach ($this->deployment->masters() as $master) {
            $cursor = '0';
            do {
                [$cursor, $keys] = $master('SCAN', $cursor, 'COUNT', 1000);
                foreach ($keys as $key) {
                    $left[$key] = $master('PTTL', $key);
                }
            } while ($cursor !== '0');
        }
        return array_filter($left, fn (int $ttl) => $ttl !== -2);
    }

    /* As soon as only fences are left, at the latest when nothing else may be. */
    private function noteLeft(): void
    {
        $patience = hrtime(true) + (int) (LAST_LEASE * 1e9);
        do {
            usleep(100_000);
            $keys = $this->keys();
            $others = array_filter($keys, fn (string $key) => !str_starts_with($key, 'rlock:f:'), ARRAY_FILTER_USE_KEY);
        } while ($others !== [] && hrtime(true) < $patience);
        foreach ($keys as $key => $ttl) {
            file_put_contents("$this->folder/left", "$key $ttl\n", FILE_APPEND);
        }
    }
}

(new Stress($deployment, $module, $folder, (int) $seconds))->run();
