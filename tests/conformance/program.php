<?php
/*
 * A client under test: a program that reads one command a line and writes one result a line. README.md has both.
 */

require_once __DIR__ . '/bytes.php';

final class Program
{
    private mixed $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private string $heard = '';
    public readonly int $pid;

    public function __construct(public readonly string $command, mixed $errors = STDERR)
    {
        $this->process = proc_open(['setpriv', '--pdeathsig', 'KILL', 'sh', '-c', "exec $command"],
            [['pipe', 'r'], ['pipe', 'w'], $errors], $this->pipes);
        stream_set_blocking($this->pipes[1], false);
        $this->pid = proc_get_status($this->process)['pid'];
    }

    public function say(array $command): void
    {
        @fwrite($this->pipes[0], to_json($command) . "\n");
    }

    /* What stream_select() watches for its next result. */
    public function stream(): mixed
    {
        return $this->pipes[1];
    }

    /* Its next result; null: not yet. Never waits. */
    public function hear(): ?array
    {
        $this->heard .= (string) stream_get_contents($this->pipes[1]);
        $end = strpos($this->heard, "\n");
        if ($end === false) {
            return feof($this->pipes[1]) ? throw new Broken("the client has ended; {$this->ending()}") : null;
        }
        [$line, $this->heard] = [substr($this->heard, 0, $end), substr($this->heard, $end + 1)];
        try {
            $result = from_json($line);
        } catch (JsonException) {
            $result = null;
        }
        return is_array($result) ? $result : throw new Broken("a line that is no JSON object: $line");
    }

    /* Its next result, for which it has so many seconds. */
    public function await(float $patience): array
    {
        $until = hrtime(true) + (int) ($patience * 1e9);
        while (($result = $this->hear()) === null) {
            $left = intdiv($until - hrtime(true), 1000);
            $left > 0 || throw new Broken("no result within $patience s");
            [$read, $none] = [[$this->stream()], []];
            stream_select($read, $none, $none, intdiv($left, 1_000_000), $left % 1_000_000);
        }
        return $result;
    }

    public function ask(array $command, float $patience = 10.0): array
    {
        $this->say($command);
        return $this->await($patience);
    }

    private function ending(): string
    {
        do {
            $status = proc_get_status($this->process);
        } while ($status['running']);
        return $status['signaled'] ? "signal $status[termsig]" : "status $status[exitcode], last words: $this->heard";
    }

    public function signal(int $signal): void
    {
        posix_kill($this->pid, $signal);
    }

    /* Waits for its end. How it ended: 0 is well. */
    public function end(bool $kill = false): int
    {
        $kill && $this->signal(SIGKILL);
        array_map(fclose(...), $this->pipes);
        return proc_close($this->process);
    }
}

/* What the client did is against the rule that is tested. */
final class Broken extends RuntimeException
{
}
