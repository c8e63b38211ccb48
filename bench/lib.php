<?php
/*
 * What the benchmarks share: a throwaway server, worker processes that answer line by line,
 * quantiles and tables. The extension is loaded in the workers alone, never in here.
 */

declare(strict_types=1);

/** A Redis of our own, on a unix socket and a loopback port, gone with this object. */
final class Server
{
    public readonly string $socket;
    public readonly int $port;
    private readonly string $directory;
    /** @var resource */ private $process;

    public function __construct()
    {
        $this->directory = sys_get_temp_dir() . '/rlock-bench-' . bin2hex(random_bytes(6));
        mkdir($this->directory, 0700);
        $this->socket = $this->directory . '/redis.sock';
        $this->port = self::freePort();
        $this->process = proc_open(
            ['redis-server', '--port', (string) $this->port, '--bind', '127.0.0.1', '--unixsocket', $this->socket,
                '--dir', $this->directory, '--save', '', '--appendonly', 'no', '--logfile', $this->directory . '/log'],
            [['file', '/dev/null', 'r'], STDERR, STDERR], $pipes
        ) ?: throw new RuntimeException('cannot start redis-server');
        $deadline = microtime(true) + 10;
        while (!@stream_socket_client('unix://' . $this->socket)) {
            if (microtime(true) > $deadline || !proc_get_status($this->process)['running']) {
                throw new RuntimeException('redis-server did not start: ' . @file_get_contents($this->directory . '/log'));
            }
            usleep(10_000);
        }
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
        array_map(unlink(...), glob($this->directory . '/*'));
        rmdir($this->directory);
    }

    /** @return array<string, int> calls by command since resetCalls(), those inside of scripts too */
    public function calls(): array
    {
        preg_match_all('/^cmdstat_(\S+?):calls=(\d+)/m', $this->ask('info', 'commandstats'), $matches);
        return array_map(intval(...), array_combine($matches[1], $matches[2]));
    }

    public function resetCalls(): void
    {
        $this->ask('config', 'resetstat');
    }

    private function ask(string ...$command): string
    {
        $process = proc_open(['redis-cli', '-s', $this->socket, ...$command], [1 => ['pipe', 'w']], $pipes);
        $answer = stream_get_contents($pipes[1]);
        proc_close($process);
        return $answer;
    }

    private static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        return (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
    }
}

/** A process that gets orders on its standard input and answers each with lines. */
final class Worker
{
    /** @var resource */ private $process;
    /** @var resource */ private $in;
    /** @var resource */ private $out;

    public function __construct(string ...$command)
    {
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes)
            ?: throw new RuntimeException("cannot start $command[0]");
        [$this->in, $this->out] = $pipes;
    }

    public function __destruct()
    {
        fclose($this->in);                                  // the workers end with their input
        proc_close($this->process);
    }

    /** A worker in PHP, with the extension. */
    public static function php(string $script, string ...$arguments): self
    {
        return new self(PHP_BINARY, '-d', 'extension=' . getenv('RLOCK_SO'), __DIR__ . "/$script", ...$arguments);
    }

    public function tell(string $order): void
    {
        fwrite($this->in, "$order\n");
    }

    public function line(): string
    {
        $line = fgets($this->out);
        return $line === false ? throw new RuntimeException('a worker ended early') : rtrim($line, "\n");
    }

    /** @return list<int> */
    public function numbers(): array
    {
        return array_map(intval(...), explode(' ', $this->line()));
    }
}

/** @param list<int|float> $values */
function quantile(array $values, float $which): float
{
    sort($values);
    $place = $which * (count($values) - 1);
    $low = (int) $place;
    $high = min($low + 1, count($values) - 1);
    return $values[$low] + ($place - $low) * ($values[$high] - $values[$low]);
}

/** @param list<list<string>> $rows the first is the head */
function table(array $rows): void
{
    $widths = array_map(fn (int $column) => max(array_map(mb_strlen(...), array_column($rows, $column))), array_keys($rows[0]));
    foreach ($rows as $number => $row) {
        foreach ($row as $column => $cell) {
            $space = str_repeat(' ', $widths[$column] - mb_strlen($cell));
            echo $column === 0 ? $cell . $space : '  ' . $space . $cell;
        }
        echo "\n";
        if ($number === 0) {
            echo str_repeat('-', array_sum($widths) + 2 * (count($widths) - 1)), "\n";
        }
    }
}

/** Says whether a requirement is met; the benchmark's exit status is 1 when one is not. */
function required(bool $met, string $what): void
{
    static $missed = false;
    if (!$met && !$missed) {
        $missed = true;
        register_shutdown_function(fn () => exit(1));
    }
    echo $met ? 'met:     ' : 'NOT MET: ', $what, "\n";
}
