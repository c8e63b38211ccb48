<?php
/*
 * A Redis of our own on a unix socket and a loopback port, gone with its object, and what can be
 * counted of it: CPU time, commands, requests.
 */

declare(strict_types=1);

/** Put before a command: whatever becomes of us, it does not stay behind. */
const ENDS_WITH_US = ['setpriv', '--pdeathsig', 'TERM'];

/** CPU time that a process has used, in ns: all its threads, without asking it. */
function cpu_time(int $pid): int
{
    $time = 0;
    foreach (glob("/proc/$pid/task/*/schedstat") as $file) {
        $time += (int) @file_get_contents($file);       // the first number
    }
    return $time;
}

/** A connection that sends a command and reads its answer: as much of the protocol as the benchmarks need. */
final class Connection
{
    /** @var resource */ public readonly mixed $stream;

    public function __construct(string $socket)
    {
        $this->stream = @stream_socket_client("unix://$socket") ?: throw new RuntimeException("cannot connect to $socket");
        stream_set_timeout($this->stream, 60);
    }

    public function ask(string ...$command): mixed
    {
        $bytes = '*' . count($command) . "\r\n";
        foreach ($command as $part) {
            $bytes .= '$' . strlen($part) . "\r\n$part\r\n";
        }
        fwrite($this->stream, $bytes);
        return $this->answer();
    }

    private function answer(): mixed
    {
        $line = fgets($this->stream);
        if ($line === false) {
            throw new RuntimeException('the server does not answer');
        }
        $rest = substr($line, 1, -2);
        return match ($line[0]) {
            '+' => $rest,
            ':' => (int) $rest,
            '$' => $rest === '-1' ? null : substr(stream_get_contents($this->stream, (int) $rest + 2), 0, -2),
            '*' => array_map($this->answer(...), (int) $rest > 0 ? range(1, (int) $rest) : []),
            default => throw new RuntimeException("the server refuses: $rest"),
        };
    }
}

final class Server
{
    private const SETTLE_US = 10_000;       // a release that nobody waits for may be on its way

    public readonly string $socket;
    public readonly int $port;
    public readonly string $directory;
    public int $pid;
    /** @var list<string> */ private readonly array $command;
    private Connection $connection;
    private ?Connection $monitor = null;
    /** @var resource */ private $process;

    /** On one CPU alone, if it is named. @param list<string> $arguments more of redis-server's */
    public function __construct(?int $cpu = null, array $arguments = [])
    {
        $this->directory = sys_get_temp_dir() . '/rlock-bench-' . bin2hex(random_bytes(6));
        mkdir($this->directory, 0700);
        $this->socket = "$this->directory/redis.sock";
        $this->port = self::freePort();
        $this->command = [...on_cpu($cpu), ...ENDS_WITH_US, 'redis-server', '--port', (string) $this->port, '--bind', '127.0.0.1',
            '--unixsocket', $this->socket, '--dir', $this->directory, '--save', '', '--appendonly', 'no',
            '--logfile', "$this->directory/log", ...$arguments];
        $this->start();
    }

    /** What is to be started after kill(), with the data that are on disk. */
    public function start(): void
    {
        $this->process = proc_open($this->command, [['file', '/dev/null', 'r'], ['redirect', 2]], $pipes)
            ?: throw new RuntimeException('cannot start redis-server');
        $this->pid = proc_get_status($this->process)['pid'];
        $deadline = microtime(true) + 10;
        while (!@stream_socket_client("unix://$this->socket")) {
            if (microtime(true) > $deadline || !proc_get_status($this->process)['running']) {
                throw new RuntimeException('redis-server did not start: ' . @file_get_contents("$this->directory/log"));
            }
            usleep(10_000);
        }
        $this->connection = new Connection($this->socket);
    }

    public function __destruct()
    {
        is_resource($this->process) && $this->kill(SIGTERM);
        exec('rm -r ' . escapeshellarg($this->directory));
    }

    public function kill(int $signal = SIGKILL): void
    {
        proc_terminate($this->process, $signal);
        proc_close($this->process);
    }

    public function ask(string ...$command): mixed
    {
        return $this->connection->ask(...$command);
    }

    public function cpu(): int
    {
        return cpu_time($this->pid);
    }

    /** From here on requests and commands are counted, which costs the server time: not while time is measured. */
    public function count(): void
    {
        usleep(self::SETTLE_US);
        $this->monitor = new Connection($this->socket);
        $this->monitor->ask('MONITOR');
        $this->ask('CONFIG', 'RESETSTAT');
    }

    /** @return array{requests: int, commands: int} since count(): sent by clients, and run, those inside of scripts too */
    public function counted(): array
    {
        usleep(self::SETTLE_US);
        preg_match_all('/^cmdstat_(\S+?):calls=(\d+)/m', $this->ask('INFO', 'commandstats'), $matches);
        $calls = array_combine($matches[1], array_map(intval(...), $matches[2]));
        unset($calls['config|resetstat'], $calls['info']);

        $mark = bin2hex(random_bytes(8));
        $this->ask('ECHO', $mark);
        $requests = 0;
        while (!str_contains($line = (string) fgets($this->monitor->stream), $mark)) {
            $line !== '' || throw new RuntimeException('the server ended its MONITOR');
            $requests += preg_match('/^\+[\d.]+ \[\d+ lua\]|"(?i:INFO|CONFIG)"/', $line) ? 0 : 1;
        }
        $this->monitor = null;
        return ['requests' => $requests, 'commands' => array_sum($calls)];
    }

    /** Below those that the system gives to connections, and so that the bus of a cluster's node, 10000 above, is, too. */
    private static function freePort(): int
    {
        do {
            $port = random_int(10240, 22527);
            $free = @stream_socket_server("tcp://127.0.0.1:$port") && @stream_socket_server('tcp://127.0.0.1:' . 10000 + $port);
        } while (!$free);
        return $port;
    }
}

/** A Redis Cluster of masters that share the slots. */
final class Cluster
{
    private const SLOTS = 16384;

    /** @var list<Server> */
    public readonly array $nodes;

    public function __construct(int $masters)
    {
        $this->nodes = array_map(fn () => new Server(arguments: ['--cluster-enabled', 'yes']), range(1, $masters));
        foreach ($this->nodes as $i => $node) {
            $node->ask('CLUSTER', 'ADDSLOTSRANGE', (string) intdiv(self::SLOTS * $i, $masters),
                (string) (intdiv(self::SLOTS * ($i + 1), $masters) - 1));
            $node->ask('CLUSTER', 'SET-CONFIG-EPOCH', (string) ($i + 1));
            $i > 0 && $node->ask('CLUSTER', 'MEET', '127.0.0.1', (string) $this->nodes[0]->port);
        }
        $deadline = microtime(true) + 30;
        foreach ($this->nodes as $node) {
            while (!str_contains($node->ask('CLUSTER', 'INFO'), 'cluster_state:ok')) {
                microtime(true) < $deadline || throw new RuntimeException('the cluster does not come up');
                usleep(10_000);
            }
        }
    }

    public function address(): string
    {
        return 'cluster://' . implode(',', array_map(fn (Server $node) => "127.0.0.1:$node->port", $this->nodes));
    }
}

/** A proxy before a server that brings every byte DELAY_US later, each way. */
final class Delay
{
    public readonly string $socket;
    /** @var resource */ private $process;
    /** @var resource */ private $input;

    public function __construct(Server $server, int $delay_us)
    {
        $this->socket = dirname($server->socket) . '/delayed.sock';
        $this->process = proc_open([getenv('RLOCK_BENCH_DELAY'), $this->socket, $server->socket, (string) $delay_us],
            [['pipe', 'r'], ['pipe', 'w']], $pipes) ?: throw new RuntimeException('cannot start the proxy');
        $this->input = $pipes[0];
        fgets($pipes[1]) === "ready\n" || throw new RuntimeException('the proxy did not start');
    }

    public function __destruct()
    {
        fclose($this->input);                               // it ends with its input
        proc_close($this->process);
    }
}
