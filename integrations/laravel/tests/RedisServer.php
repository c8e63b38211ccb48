<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

/** A redis-server on a unix socket, gone with its object. */
final class RedisServer
{
    public readonly string $socket;

    private readonly string $folder;

    /** @var resource */
    private $process;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/rlock-laravel-' . bin2hex(random_bytes(4));
        mkdir($this->folder, 0700);
        $this->socket = "$this->folder/redis.sock";
        $null = ['file', '/dev/null', 'a'];
        $this->process = proc_open(
            [
                ...['setpriv', '--pdeathsig', 'KILL'], // it ends with us, however we end
                ...['redis-server', '--port', '0', '--unixsocket', $this->socket, '--save', '', '--dir', $this->folder],
            ],
            [$null, $null, $null],
            $pipes,
        ) ?: throw new \RuntimeException('redis-server does not start');
        for ($try = 0; !@stream_socket_client("unix://$this->socket"); $try++) {
            if ($try === 500) {
                throw new \RuntimeException('redis-server does not start');
            }
            usleep(10_000);
        }
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        rmdir($this->folder);
    }

    public function client(int $database = 0): \Redis
    {
        $client = new \Redis();
        $client->connect($this->socket);
        $client->select($database);
        return $client;
    }
}
