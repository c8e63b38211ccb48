<?php
/*
 * One server of a stress run, behind its proxy (proxy.c), with a clock that can be set (clock.c), and perhaps with TLS.
 *
 * It writes all that it does to an append-only file, in FOLDER/node-N/aof-LIFE. A new life begins where it is
 * restarted without its data, or with those of some time ago; the file of the life before stays as it was.
 */

final class Node
{
    public readonly string $folder;
    /* The proxy's, and, where other servers come past it, its own. */
    public readonly int $port, $ownPort;
    private int $life = 1;
    private Process $server;
    private mixed $proxy;
    private array $orders = [];

    /* `arguments`: more of redis-server's, given this node. `tls`: its clients come to its own port, which speaks TLS. */
    public function __construct(private string $run, public readonly int $number, private ?Closure $arguments = null, bool $tls = false)
    {
        $this->folder = "$run/node-$number";
        mkdir($this->folder);
        file_put_contents("$this->folder/clock", pack('q', 0));
        [$this->port, $this->ownPort] = [free_port(), $arguments === null ? 0 : free_port()];
        $this->start();
        $log = ['file', "$run/errors", 'a'];
        $this->proxy = proc_open(['setpriv', '--pdeathsig', 'KILL', "$run/proxy", (string) $this->port,
            $tls ? (string) $this->ownPort : "$this->folder/redis.sock", "$run/faults-$number"], [['pipe', 'r'], $log, $log], $this->orders);
        file_put_contents("$this->folder/pid-proxy", proc_get_status($this->proxy)['pid']);
        await('the proxy', fn () => @stream_socket_client("tcp://127.0.0.1:$this->port", timeout: 1));
    }

    private function start(): void
    {
        $log = ['file', "$this->folder/log", 'a'];
        $this->server = new Process(
            [getenv('RLOCK_REDIS_SERVER') ?: 'redis-server', '--port', (string) $this->ownPort, '--bind', '127.0.0.1', '--unixsocket', "$this->folder/redis.sock",
                '--dir', $this->folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'no', '--appenddirname', "aof-$this->life",
                '--aof-use-rdb-preamble', 'no', '--aof-disable-auto-gc', 'yes', '--auto-aof-rewrite-percentage', '0', '--rdbcompression', 'no', ...($this->arguments === null ? [] : ($this->arguments)($this))],
            [['file', '/dev/null', 'r'], $log, $log],
            ['LD_PRELOAD' => "$this->run/clock.so", 'RLOCK_CLOCK' => "$this->folder/clock"] + getenv(),
        );
        file_put_contents("$this->folder/pid-server", $this->server->pid);
        await('the server', $this->answers(...));
    }

    private function answers(): bool
    {
        try {
            return @stream_socket_client("unix://$this->folder/redis.sock", timeout: 1) && $this->client()('PING') === 'PONG';
        } catch (RuntimeException) {
            return false; /* it is loading */
        }
    }

    /* Past the proxy. */
    public function client(): RawClient
    {
        return new RawClient("unix://$this->folder/redis.sock");
    }

    /* One fault, as proxy.c says. */
    public function order(string $fault): void
    {
        fwrite($this->orders[0], "$fault\n");
    }

    /* So that it has little to load when it is restarted. What it has written so far stays, in a file of its own. */
    public function compact(): void
    {
        $client = $this->client();
        $client('BGREWRITEAOF');
        await('the file rewritten', fn () => str_contains($client('INFO', 'persistence'), "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
    }

    public function kill(): void
    {
        $this->server->kill();
        @unlink("$this->folder/redis.sock"); /* else its proxy waits for somebody to accept */
    }

    /* After kill(): with its data, without, or with those of a while ago. The size of the file that it begins with. */
    public function restart(string $how = 'data'): void
    {
        if ($how !== 'data') {
            $former = "$this->folder/aof-" . $this->life++;
            if ($how === 'older') {
                exec('cp -r ' . escapeshellarg($former) . ' ' . escapeshellarg("$this->folder/copy"));
                array_map(self::forgetLatest(...), glob("$this->folder/copy/*.incr.aof"));
                rename("$this->folder/copy", "$this->folder/aof-$this->life");
            }
        }
        $this->start();
    }

    /* The last up to 200 kB of what was written, so that a whole number of transactions is left. */
    private static function forgetLatest(string $path): void
    {
        $file = fopen($path, 'r+');
        $end = max(0, filesize($path) - mt_rand(200, 200_000));
        $from = max(0, $end - 200_000);
        fseek($file, $from);
        $transaction = strrpos((string) fread($file, $end - $from + 1), "*1\r\n$5\r\nMULTI\r\n");
        ftruncate($file, $transaction === false ? 0 : $from + $transaction);
    }

    public function life(): int
    {
        return $this->life;
    }

    public function freeze(): void
    {
        $this->server->freeze();
    }

    public function thaw(): void
    {
        $this->server->thaw();
    }

    /* Microseconds from the true time of day. */
    public function setClock(int $offset): void
    {
        $file = fopen("$this->folder/clock", 'r+');
        fwrite($file, pack('q', $offset));
    }

    public function clock(): int
    {
        return unpack('q', file_get_contents("$this->folder/clock"))[1];
    }

    public function url(string $query): string
    {
        return "redis://127.0.0.1:$this->port?$query";
    }
}
