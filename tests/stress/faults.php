<?php
/*
 * What disturbs a stress run. Each fault is done at once, or for a short while, and noted with its times in FOLDER/faults:
 *
 *   FROM UNTIL WHAT TARGET MORE...
 *
 * The proxies note theirs, which they time themselves, in FOLDER/faults-N.
 */

final class Faults
{
    /* For how long that may have been, with the calm between two strikes; ns. */
    private const UNHEARD = 8_000_000_000;

    private mixed $file;
    /** @var array<string, int> name => share */
    private array $shares;

    public function __construct(private Deployment $deployment, private Workers $workers, string $folder)
    {
        $this->file = fopen("$folder/faults", 'a');
        $this->shares = [
            'hold' => 60, 'stray' => 15, 'late' => 15, 'lose' => 20, 'cut' => 10, 'mute' => 10, 'outage' => 6,
            'kill' => 12, 'stop' => 20, 'flush' => 5, 'drop' => 8, 'pause' => 6, 'freeze' => 6, 'full' => 5,
            ...(getenv('RLOCK_STRESS_NAMESPACE') ? ['link' => 6] : []), ...$deployment->faults(),
        ];
    }

    public function note(int $from, string $what, int|string $target = '-', int|string ...$more): void
    {
        fwrite($this->file, implode(' ', [$from, hrtime(true), $what, $target, ...$more]) . "\n");
    }

    /* What is written to a master that Sentinel replaces by itself is lost from when it could not be heard any more. */
    public function follow(): void
    {
        if ($this->deployment->hasMoved()) {
            $from = hrtime(true) - self::UNHEARD;
            $this->deployment->follow();
            $this->note($from, 'failover', 'unasked');
        }
    }

    public function strike(): void
    {
        $this->follow();
        $draw = mt_rand(1, array_sum($this->shares));
        foreach ($this->shares as $what => $share) {
            $draw -= $share;
            if ($draw <= 0) {
                method_exists($this, $what) ? $this->$what($this->deployment->anyMaster()) : $this->upset($what);
                return;
            }
        }
    }

    /* What only such a deployment has to bear. */
    private function upset(string $what): void
    {
        $from = hrtime(true);
        $this->deployment->upset($what);
        $this->note($from, $what);
    }

    /* On the way: the proxy notes when it has struck. */

    private function hold(Node $node): void
    {
        $node->order('hold ' . mt_rand(20, 2000));
    }

    private function stray(Node $node): void
    {
        $node->order('stray ' . mt_rand(1, 400));
    }

    private function late(Node $node): void
    {
        $node->order('late ' . mt_rand(20, 700));
    }

    private function lose(Node $node): void
    {
        $node->order('lose');
    }

    private function cut(Node $node): void
    {
        $node->order('cut');
    }

    private function mute(Node $node): void
    {
        $node->order('mute');
    }

    private function outage(Node $node): void
    {
        $node->order('outage ' . mt_rand(20, 900));
    }

    /* Of the namespace: what is sent meanwhile is lost, and sent again by the kernel, later each time. */
    private function link(): void
    {
        $from = hrtime(true);
        exec('ip link set lo down');
        usleep(mt_rand(20_000, 900_000));
        exec('ip link set lo up');
        $this->note($from, 'link');
    }

    /* To the workers. */

    private function kill(): void
    {
        if (($number = $this->workers->running()) !== null) {
            $from = hrtime(true);
            $this->workers->kill($number);
            $this->note($from, 'kill', $number);
        }
    }

    private function stop(): void
    {
        if (($number = $this->workers->running()) !== null) {
            $this->workers->stop($number, mt_rand(20, 1500));
        }
    }

    /* To the servers. */

    private function flush(Node $node): void
    {
        $from = hrtime(true);
        $node->client()('SCRIPT', 'FLUSH');
        $this->note($from, 'flush', $node->number);
    }

    /* Closes connections of rlock's. */
    private function drop(Node $node): void
    {
        $from = hrtime(true);
        $client = $node->client();
        preg_match_all('/^id=(\d+) .*? name=rlock:/m', $client('CLIENT', 'LIST'), $clients);
        shuffle($clients[1]);
        foreach (array_slice($clients[1], 0, mt_rand(1, 3)) as $id) {
            $client('CLIENT', 'KILL', 'ID', $id);
        }
        $this->note($from, 'drop', $node->number);
    }

    private function pause(Node $node): void
    {
        $from = hrtime(true);
        $milliseconds = mt_rand(10, 300);
        $node->client()('CLIENT', 'PAUSE', $milliseconds, mt_rand(0, 1) ? 'WRITE' : 'ALL');
        usleep($milliseconds * 1000);
        $this->note($from, 'pause', $node->number);
    }

    /* Its memory is full. */
    private function full(Node $node): void
    {
        $from = hrtime(true);
        $client = $node->client();
        $client('CONFIG', 'SET', 'maxmemory', 1);
        usleep(mt_rand(10_000, 600_000));
        $client('CONFIG', 'SET', 'maxmemory', 0);
        $this->note($from, 'full', $node->number);
    }

    private function freeze(Node $node): void
    {
        $from = hrtime(true);
        $node->freeze();
        usleep(mt_rand(10_000, 800_000));
        $node->thaw();
        $this->note($from, 'freeze', $node->number);
    }

    /* Most of the time it is back at once; else it has to load all that it has ever written. */
    private function restart(Node $node): void
    {
        mt_rand(0, 3) && $node->compact();
        $from = hrtime(true);
        $node->kill();
        $node->restart();
        $this->deployment->awaitReady();
        $this->note($from, 'restart', $node->number);
    }

    /* Without its data, or with those of a while ago. */
    private function forget(Node $node): void
    {
        $from = hrtime(true);
        $node->kill();
        $how = mt_rand(0, 1) ? 'empty' : 'older';
        $node->restart($how);
        $this->note($from, 'forget', $node->number, $node->life(), $how);
    }

    /* Its clock steps, both ways, and never leads far from the truth. */
    private function clock(Node $node): void
    {
        $from = hrtime(true);
        $offset = mt_rand(-2_000_000, 2_000_000);
        $step = $offset - $node->clock();
        $node->setClock($offset);
        $this->note($from, $step > 0 ? 'forward' : 'back', $node->number, $offset);
    }
}
