<?php
/*
 * One server of a stress run, behind its proxy (proxy.c), with a clock that can be set (clock.c).
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

    /* `arguments`: more of redis-server's, given this node. */
    public function __construct(private string $run, public readonly int $number, private ?Closure $arguments = null)
    {
        $this->folder = "$run/node-$number";
        mkdir($this->folder);
        file_put_contents("$this->folder/clock", pack('q', 0));
        [$this->port, $this->ownPort] = [free_port(), $arguments === null ? 0 : free_port()];
        $this->start();
        $log = ['file', "$run/errors", 'a'];
        $this->proxy = proc_open(['setpriv', '--pdeathsig', 'KILL', "$run/proxy", (string) $this->port, "$this->folder/redis.sock",
            "$run/faults-$number"], [['pipe', 'r'], $log, $log], $this->orders);
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
                foreach (glob("$this->folder/copy/*.incr.aof") as $file) {
                    $bytes = file_get_contents($file);
                    $end = strrpos(substr($bytes, 0, max(0, strlen($bytes) - mt_rand(200, 200_000))), "*1\r\n$5\r\nMULTI\r\n");
                    file_put_contents($file, substr($bytes, 0, (int) $end)); /* a whole number of transactions */
                }
                rename("$this->folder/copy", "$this->folder/aof-$this->life");
            }
        }
        $this->start();
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
