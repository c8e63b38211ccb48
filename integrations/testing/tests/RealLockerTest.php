<?php

declare(strict_types=1);

namespace RLock\Testing\Tests;

use RLock\Locker;

require_once __DIR__ . '/LockerContract.php';

/**
 * The same with the extension, on a redis-server of our own.
 *
 * @group extension
 */
final class RealLockerTest extends LockerContract
{
    private static string $folder;

    /** @var resource */
    private static $server;

    private static int $tests = 0;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/rlock-testing-' . bin2hex(random_bytes(4));
        mkdir(self::$folder, 0700);
        $socket = self::$folder . '/redis.sock';
        $null = ['file', '/dev/null', 'a'];
        self::$server = proc_open(
            [
                ...['setpriv', '--pdeathsig', 'KILL'], // it ends with us, however we end
                ...['redis-server', '--port', '0', '--unixsocket', $socket, '--save', '', '--dir', self::$folder],
            ],
            [$null, $null, $null],
            $pipes,
        ) ?: throw new \RuntimeException('redis-server does not start');
        for ($try = 0; !@stream_socket_client("unix://$socket"); $try++) {
            if ($try === 500) {
                throw new \RuntimeException('redis-server does not start');
            }
            usleep(10_000);
        }
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
        array_map(unlink(...), glob(self::$folder . '/*') ?: []);
        rmdir(self::$folder);
    }

    protected function setUp(): void
    {
        self::$tests++;
        parent::setUp();
    }

    /** Each test has a prefix of its own. */
    protected function locker(): Locker
    {
        return new \RLock('unix://' . self::$folder . '/redis.sock', prefix: self::$tests . '@', ttl: 30.0);
    }

    protected function pass(float $seconds): void
    {
        usleep((int) ($seconds * 1e6));
    }

    protected function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
