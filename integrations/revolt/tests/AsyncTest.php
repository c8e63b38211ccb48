<?php

declare(strict_types=1);

namespace RLock\Revolt\Tests;

use Amp\Sync\SyncException;
use PHPUnit\Framework\TestCase;
use Revolt\EventLoop;
use RLock\Revolt\AsyncLocker;
use RLock\Revolt\KeyedMutex;
use RLock\Revolt\KeyedSemaphore;

use function Amp\async;
use function Amp\delay;
use function Amp\Future\await;

require_once __DIR__ . '/../../../tests/server.inc';

/** Against a server of its own. */
final class AsyncTest extends TestCase
{
    private static \TestServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = \TestServer::start();
    }

    private function lock(string $query = ''): \RLock
    {
        return new \RLock(self::$server->url($query), ttl: 60.0);
    }

    public function testAFiberIsSuspendedUntilItHasTheLock(): void
    {
        $holder = $this->lock();
        self::assertTrue($holder->getLock('key'));
        $ticks = 0;
        $timer = EventLoop::repeat(0.005, function () use (&$ticks): void {
            $ticks++;
        });
        EventLoop::delay(0.2, function () use ($holder): void {
            $holder->releaseLock('key');
        });
        $locks = $this->lock();
        self::assertTrue((new AsyncLocker($locks))->getLock('key', 10.0));
        EventLoop::cancel($timer);
        self::assertGreaterThan(10, $ticks);
        self::assertTrue($locks->isLocking('key'));
        self::assertFalse((new AsyncLocker($holder))->getLock('key', 0.1));
        self::assertFalse((new AsyncLocker($holder))->getLock('key'));
        self::assertTrue($locks->releaseLock('key'));
        self::assertTrue((new AsyncLocker($holder))->getSharedLock('key', limit: 2));
        self::assertTrue((new AsyncLocker($locks))->getSharedLock('key'));
    }

    public function testAnExceptionReachesTheFiber(): void
    {
        $locks = new AsyncLocker(new \RLock('unix:///nonexistent/socket?timeout=0.1'));
        $this->expectException(\RLock\ConnectionException::class);
        async(fn () => $locks->getLock('key', INF))->await();
    }

    public function testAMutexExcludesItselfInOrder(): void
    {
        $mutex = new KeyedMutex(fn () => $this->lock());
        $inside = $most = 0;
        $order = [];
        $fences = [];
        $turn = function (int $number) use ($mutex, &$inside, &$most, &$order, &$fences): void {
            $lock = $mutex->acquire('mutex');
            $most = max($most, ++$inside);
            $order[] = $number;
            $fences[] = $mutex->leaseOf($lock)?->fence;
            delay(0.002);
            $inside--;
            $lock->release();
            self::assertNull($mutex->leaseOf($lock));
        };
        await(array_map(fn (int $number) => async($turn, $number), range(1, 50)));
        self::assertSame(1, $most);
        self::assertCount(50, $order);
        $sorted = $fences;
        sort($sorted);
        self::assertSame($sorted, $fences);
    }

    public function testASemaphoreLetsSoManyIn(): void
    {
        $semaphore = new KeyedSemaphore(fn () => $this->lock(), 3);
        $inside = $most = 0;
        $turn = function () use ($semaphore, &$inside, &$most): void {
            $lock = $semaphore->acquire('semaphore');
            $most = max($most, ++$inside);
            delay(0.01);
            $inside--;
            $lock->release();
        };
        await(array_map(fn () => async($turn), range(1, 20)));
        self::assertSame(3, $most);
        $this->expectException(\ValueError::class);
        new KeyedSemaphore(fn () => $this->lock(), 0);
    }

    public function testWhatStaysBusyIsASyncException(): void
    {
        $mutex = new KeyedMutex(fn () => $this->lock(), wait: 0.05);
        $lock = $mutex->acquire('busy');
        try {
            $mutex->acquire('busy');
            self::fail('it has excluded nobody');
        } catch (SyncException) {
        }
        $lock->release();
        $mutex->acquire('busy')->release();
        $nobody = new KeyedMutex(fn () => new \RLock('unix:///nonexistent/socket?timeout=0.1'));
        try {
            $nobody->acquire('key');
            self::fail('nobody was there');
        } catch (SyncException $e) {
            self::assertInstanceOf(\RLock\ConnectionException::class, $e->getPrevious());
        }
    }

    public function testALockThatIsLetGoOfIsReleased(): void
    {
        $mutex = new KeyedMutex(fn () => $this->lock());
        $mutex->acquire('dropped');
        self::assertNotNull($mutex->acquire('dropped'));
    }

    /**
     * Late, or its server away: a warning, also where warnings are thrown. Released by hand, it throws.
     *
     * @dataProvider waysToBeLate
     */
    public function testALockThatIsDroppedTooLateLeavesTheLoopAlone(bool $isAway, bool $throws): void
    {
        $server = \TestServer::start();
        $mutex = new KeyedMutex(fn () => new \RLock($server->url('timeout=0.2'), ttl: 0.2));
        $warnings = [];
        set_error_handler(function (int $level, string $message) use (&$warnings, $throws): bool {
            $warnings[] = [$level, $message];
            return $throws ? throw new \ErrorException($message) : true;
        });
        try {
            foreach ([false, true] as $byHand) {
                $lock = $mutex->acquire('dropped');
                delay(0.3);
                $isAway && $server->freeze();
                if ($byHand) {
                    try {
                        $lock->release();
                        self::fail('it was in time');
                    } catch (\RLock\TimeoutException | \RLock\ConnectionException) {
                    }
                } else {
                    unset($lock);
                    delay(0.01);
                }
                $isAway && $server->thaw();
            }
        } finally {
            restore_error_handler();
        }
        self::assertCount(1, $warnings);
        self::assertSame(E_USER_WARNING, $warnings[0][0]);
        self::assertStringContainsString('"dropped"', $warnings[0][1]);
    }

    /** @return iterable<string, array{bool, bool}> */
    public static function waysToBeLate(): iterable
    {
        foreach ([false, true] as $throws) {
            yield 'late' . ($throws ? ', warnings are thrown' : '') => [false, $throws];
            yield 'no server' . ($throws ? ', warnings are thrown' : '') => [true, $throws];
        }
    }

    /** What the README shows: fibers in one process, and another process, take turns. */
    public function testFibersThatShareAMutexTakeTurns(): void
    {
        $mutex = new KeyedMutex(fn () => $this->lock());
        $other = $this->lock();
        self::assertTrue($other->getLock('shared'));
        EventLoop::delay(0.1, function () use ($other): void {
            $other->releaseLock('shared');
        });
        $inside = $most = 0;
        $turn = function () use ($mutex, $other, &$inside, &$most): void {
            $lock = $mutex->acquire('shared');
            $most = max($most, ++$inside);
            self::assertFalse($other->getLock('shared'));
            delay(0.02);
            $inside--;
            $lock->release();
        };
        await([async($turn), async($turn), async($turn)]);
        self::assertSame(1, $most);
    }

    /** 200 fibers take turns, and a server of HTTP in the same process goes on answering. */
    public function testTheLoopGoesOnMeanwhile(): void
    {
        $http = stream_socket_server('tcp://127.0.0.1:0');
        stream_set_blocking($http, false);
        $accepting = EventLoop::onReadable($http, function (string $id, mixed $http): void {
            $client = stream_socket_accept($http, 0.0);
            stream_set_blocking($client, false);
            EventLoop::onReadable($client, function (string $id, mixed $client): void {
                fread($client, 8192);
                fwrite($client, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
                fclose($client);
                EventLoop::cancel($id);
            });
        });
        $child = \Child::start('
            $times = [];
            stream_set_blocking(STDIN, false);
            while (fgets(STDIN) === false) {
                $start = hrtime(true);
                $socket = stream_socket_client("tcp://$args[0]");
                fwrite($socket, "GET / HTTP/1.0\r\n\r\n");
                if (!str_ends_with(stream_get_contents($socket), "ok")) {
                    exit(1);
                }
                $times[] = (hrtime(true) - $start) / 1e6;
                usleep(1000);
            }
            sort($times);
            $parent->say([count($times), $times[(int) (count($times) * 0.95)]]);
        ', [stream_socket_get_name($http, false)]);
        $mutex = new KeyedMutex(fn () => $this->lock());
        $turns = 0;
        $turn = function () use ($mutex, &$turns): void {
            $lock = $mutex->acquire('turns');
            delay(0.001);
            $turns++;
            $lock->release();
        };
        await(array_map(fn () => async($turn), range(1, 200)));
        $child->say('enough');
        while ($child->silent(0.0)) {
            delay(0.001);
        }
        [$answers, $time] = $child->hear();
        EventLoop::cancel($accepting);
        self::assertSame(200, $turns);
        self::assertGreaterThan(20, $answers);
        self::assertLessThan(20.0, $time, 'ms, of 95 % of the answers');
    }
}
