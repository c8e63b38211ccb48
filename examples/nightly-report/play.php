<?php
/*
 * Directs the show: starts copies of report.php, tells them when a step of work is over, prints
 * what they say, and fails if the story goes otherwise than told. The acts go on when a line has
 * been read, so the outcome hangs on no timing but the leases', which leave seconds to spare.
 * Started by ./run.
 */

declare(strict_types=1);

require __DIR__ . '/ReportStore.php';

/** One running copy of report.php. */
final class Actor
{
    /** @var resource */ private $process;
    /** @var resource */ private $in;
    /** @var resource */ public readonly mixed $out;
    private string $unread = '';

    public function __construct(public readonly string $role, array $arguments, array $environment = [])
    {
        $php = [PHP_BINARY, '-d', 'extension=' . getenv('RLOCK_SO'), '-d', 'rlock.servers=' . getenv('RLOCK_SERVERS')];
        $this->process = proc_open([...$php, __DIR__ . '/report.php', ...$arguments],
            [['pipe', 'r'], ['pipe', 'w']], $pipes, null, ['ROLE' => $role] + $environment + getenv())
            ?: throw new RuntimeException("cannot start $role");
        [$this->in, $this->out] = $pipes;
        stream_set_blocking($this->out, false);
    }

    /** Ends a step of work. */
    public function goOn(): void
    {
        fwrite($this->in, "\n");
    }

    public function freeze(): void
    {
        proc_terminate($this->process, SIGSTOP);
    }

    public function thaw(): void
    {
        proc_terminate($this->process, SIGCONT);
    }

    /** The whole lines that have arrived. */
    public function lines(): array
    {
        $this->unread .= stream_get_contents($this->out);
        $lines = explode("\n", $this->unread);
        $this->unread = array_pop($lines);
        return $lines;
    }

    public function hasLeft(): bool
    {
        return feof($this->out);
    }

    /** Waits for its end. The exit status. */
    public function end(): int
    {
        return proc_close($this->process);
    }

    public function kill(): void
    {
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
    }
}

/** Everybody who is on, and what they have said. */
final class Stage
{
    private const PATIENCE = 10.0;

    /** @var array<string, Actor> */ private array $actors = [];
    /** @var list<string> lines that no await() has looked at yet */ private array $heard = [];

    public function enter(string $role, array $arguments, array $environment = []): Actor
    {
        return $this->actors[$role] = new Actor($role, $arguments, $environment);
    }

    /** Goes on once somebody has said this; returns the match. */
    public function await(string $pattern): array
    {
        $deadline = microtime(true) + self::PATIENCE;
        for (;;) {
            foreach ($this->heard as $position => $line) {
                if (preg_match($pattern, $line, $match)) {
                    unset($this->heard[$position]);
                    return $match;
                }
            }
            $left = $deadline - microtime(true);
            if ($left <= 0 || !$this->listen($left)) {
                $this->fail("nobody said $pattern");
            }
        }
    }

    /** Lets time pass, and prints what is said meanwhile. */
    public function pass(float $seconds): void
    {
        $end = microtime(true) + $seconds;
        while (($left = $end - microtime(true)) > 0) {
            if (!$this->listen($left)) {
                usleep((int) ($left * 1e6));
            }
        }
    }

    /** The end of an act: everybody has left, with these exit statuses. */
    public function curtain(array $statuses): void
    {
        $deadline = microtime(true) + self::PATIENCE;
        while ($this->onStage() && ($left = $deadline - microtime(true)) > 0) {
            $this->listen($left);
        }
        foreach ($this->actors as $role => $actor) {
            if (!$actor->hasLeft()) {
                $this->fail("$role has not come to an end");
            }
            unset($this->actors[$role]);
            if (($status = $actor->end()) !== $statuses[$role]) {
                $this->fail("$role ended with status $status in place of {$statuses[$role]}");
            }
        }
        $this->heard = [];
    }

    /** Nobody stays behind, not even frozen. */
    public function clear(): void
    {
        foreach ($this->actors as $actor) {
            $actor->kill();
        }
        $this->actors = [];
    }

    public function fail(string $why): never
    {
        fwrite(STDERR, "\nTHE STORY DID NOT HAPPEN AS TOLD: $why\n");
        exit(1);
    }

    private function onStage(): array
    {
        return array_filter($this->actors, fn (Actor $actor) => !$actor->hasLeft());
    }

    /** Prints what is said in the next moment. False: there is nobody left to say anything. */
    private function listen(float $seconds): bool
    {
        $streams = array_map(fn (Actor $actor) => $actor->out, $this->onStage());
        if (!$streams) {
            return false;
        }
        $others = null;
        @stream_select($streams, $others, $others, (int) $seconds, (int) (fmod($seconds, 1) * 1e6));
        $lines = array_merge(...array_map(fn (string $role) => $this->actors[$role]->lines(), array_keys($streams)));
        usort($lines, fn (string $a, string $b) => substr($a, 0, 8) <=> substr($b, 0, 8));  // by time
        foreach ($lines as $line) {
            echo $line, "\n";
            $this->heard[] = $line;
        }
        return true;
    }
}

function tell(string ...$lines): void
{
    echo "\n", implode("\n", $lines), "\n\n";
}

$STEPS = 4;
putenv('CURTAIN=' . hrtime(true));
$store = new ReportStore(getenv('REPORT_STORE'));
$stage = new Stage();
register_shutdown_function($stage->clear(...));
pcntl_async_signals(true);
array_map(fn (int $signal) => pcntl_signal($signal, fn () => exit(1)), [SIGINT, SIGTERM]);

tell(
    'ACT 1. It is midnight. Cron starts the nightly report on four web servers at once.',
    'Two of them wait for the lock, two give up at once if it is taken (POLICY_FAIL_FAST).',
    'The lease is 3 s, the work takes longer: whoever has the lock prolongs it before every step.'
);
putenv('REPORT_DAY=2026-03-01');
$actors = [];
foreach (['web1' => 'wait', 'web2' => 'fail-fast', 'web3' => 'wait', 'web4' => 'fail-fast'] as $role => $policy) {
    $actors[$role] = $stage->enter($role, ['--ttl=3', '--policy=' . $policy, '--wait=' . ($policy === 'wait' ? 9 : 0.5)]);
}
[, $winner] = $stage->await('/(web\d) +has the lock for 3 s/');
foreach (array_diff(['web2', 'web4'], [$winner]) as $role) {
    $stage->await("/$role +gives up: $winner .* holds it/");
}
for ($step = 1; $step <= $STEPS; $step++) {
    $stage->await("/$winner +step $step/");
    $stage->pass(0.9);
    $actors[$winner]->goOn();
}
$stage->await("/$winner +stores the report/");
foreach (array_diff(['web1', 'web3'], [$winner]) as $role) {
    $stage->await("/$role +finds the report already made/");
}
$stage->curtain(['web1' => 0, 'web2' => 0, 'web3' => 0, 'web4' => 0]);
if ($store->body('2026-03-01') !== "report of $winner") {
    $stage->fail('the store has another report');
}

tell(
    'ACT 2. The next night web1 is alone. Its lease is 2 s, but one step takes 2.5 s: nobody',
    'prolongs meanwhile, the lease runs out, and anybody could take the lock. Nobody does.'
);
putenv('REPORT_DAY=2026-03-02');
$web1 = $stage->enter('web1', ['--ttl=2']);
for ($step = 1; $step <= $STEPS; $step++) {
    $stage->await("/web1 +step $step/");
    $stage->pass($step === $STEPS ? 2.5 : 0.1);
    $web1->goOn();
}
[, $lateBy] = $stage->await('/web1 +TimeoutException: ([\d.]+) s late/');
$stage->curtain(['web1' => 1]);
if ($lateBy < 0.4 || $store->isDone('2026-03-02')) {
    $stage->fail('late by too little, or stored all the same');
}

tell(
    'ACT 3. The worst night. web1 has done the work, check() has just said that all is well, and',
    'in that very moment the machine freezes (here: SIGSTOP; in life: a moved VM, heavy swapping).',
    'web2 waits for the lock. When the lease of 2 s has run out, web2 has it, with a higher fence.'
);
putenv('REPORT_DAY=2026-03-03');
$web1 = $stage->enter('web1', ['--ttl=2'], ['UNLUCKY' => '1']);
for ($step = 1; $step <= $STEPS; $step++) {
    $stage->await("/web1 +step $step/");
    $web1->goOn();
}
$stage->await('/web1 +check\(\) says/');
$web1->freeze();
$web2 = $stage->enter('web2', ['--ttl=30', '--wait=9']);
$stage->await('/web2 +has the lock/');
$stage->await('/web2 +step 1/');
$web1->thaw();
$web1->goOn();
$stage->await('/web1 +is refused by the store/');
$stage->await('/web1 +LostLockException: web2 .* holds it/');
for ($step = 1; $step <= $STEPS; $step++) {
    $web2->goOn();
}
$stage->await('/web2 +stores the report/');
$stage->await('/web2 +gives the lock back in time/');
$stage->curtain(['web1' => 1, 'web2' => 0]);
if ($store->body('2026-03-03') !== 'report of web2') {
    $stage->fail('the stale writer got through');
}

tell(
    'What to take home: a lock keeps copies from doing the work twice, and tells the truth when it',
    'was late. It cannot stop a frozen process. Where a late write would do harm, let the store',
    'compare fences, as ReportStore.php does. The script to copy from is report.php.'
);
