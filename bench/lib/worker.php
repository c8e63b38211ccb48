<?php
/* A process that takes turns when it is told to (workers/turns.php says how), and what is seen of its turns. */

declare(strict_types=1);

/** What is put before a command to keep it on one CPU. @return list<string> */
function on_cpu(?int $cpu): array
{
    return $cpu === null ? [] : ['taskset', '-c', (string) $cpu];
}

final class Worker
{
    public readonly int $pid;
    /** @var resource */ private $process;
    /** @var resource */ private $in;
    /** @var resource */ private $out;

    /** @param list<string> $command */
    public function __construct(array $command, ?int $cpu = null)
    {
        $this->process = proc_open([...on_cpu($cpu), ...$command], [['pipe', 'r'], ['pipe', 'w']], $pipes)
            ?: throw new RuntimeException("cannot start $command[0]");
        [$this->in, $this->out] = $pipes;
        $this->pid = proc_get_status($this->process)['pid'];
    }

    public function __destruct()
    {
        fclose($this->in);                                  // workers end with their input
        proc_close($this->process);
    }

    public function ready(): void
    {
        $this->line() === 'ready' || throw new RuntimeException('a worker is not ready');
    }

    public function tell(int $count, int $until = 0, int $hold_us = 0): void
    {
        fwrite($this->in, "$count $until $hold_us\n");
    }

    /** @return list<Turn> */
    public function turns(): array
    {
        $turns = [];
        while (($line = $this->line()) !== 'end') {
            $turns[] = new Turn($this->pid, ...array_map(intval(...), explode(' ', $line)));
        }
        return $turns;
    }

    public function cpu(): int
    {
        return cpu_time($this->pid);
    }

    public function kill(): void
    {
        proc_terminate($this->process, SIGKILL);
    }

    private function line(): string
    {
        $line = fgets($this->out);
        return $line === false ? throw new RuntimeException('a worker ended early') : rtrim($line, "\n");
    }
}

/** One turn, in ns of the clock that all processes share. */
final class Turn
{
    public function __construct(
        public readonly int $worker,
        public readonly int $asked,
        public readonly int $granted,
        public readonly int $releasing,
        public readonly int $released,
    ) {
    }
}
