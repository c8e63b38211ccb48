<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application as LaravelApplication;
use Laravel\Octane\Events\TickTerminated;
use Laravel\Octane\Events\WorkerErrorOccurred;
use PHPUnit\Framework\TestCase;
use RLock\Locker;
use RLock\Testing\InMemoryLocker;

require_once __DIR__ . '/Application.php';

/** Requests in one process, each in a copy of the application, as Octane's Worker::handle() has them. */
final class OctaneTest extends TestCase
{
    private static RedisServer $server;

    private LaravelApplication $app;

    /** @var list<\Throwable> */
    private array $reported = [];

    public static function setUpBeforeClass(): void
    {
        self::$server = new RedisServer();
    }

    protected function setUp(): void
    {
        self::$server->client()->flushAll();
        $this->app = Application::on(self::$server, ['rlock' => ['driver' => 'rlock']]);
        $this->app->singleton(Locker::class, fn () => new \RLock('unix://' . self::$server->socket . '?timeout=0.3'));
        $handler = $this->createStub(ExceptionHandler::class);
        $handler->method('report')->willReturnCallback(function (\Throwable $trouble): void {
            $this->reported[] = $trouble;
        });
        $this->app->instance(ExceptionHandler::class, $handler);
    }

    /** Without an exception, or with the one that $request throws. */
    private function serve(\Closure $request): void
    {
        $sandbox = clone $this->app;
        try {
            $request($sandbox);
            $sandbox->make('events')->dispatch(new TickTerminated($this->app, $sandbox));
        } catch (\DomainException $thrown) {
            $sandbox->make('events')->dispatch(new WorkerErrorOccurred($thrown, $sandbox));
        } finally {
            $sandbox->flush();
        }
    }

    private static function isHeld(): bool
    {
        return self::$server->client()->exists('lock@mail') === 1;
    }

    public function testWhatIsHeldEndsWithTheRequest(): void
    {
        $kept = $this->app->make(Locker::class);
        for ($request = 1; $request <= 2; $request++) {
            $this->serve(function (LaravelApplication $app) use ($kept): void {
                self::assertSame($kept, $app->make(Locker::class));
                self::assertTrue($kept->getLock('mail') && $kept->getLock('mail'));
                self::assertTrue(self::isHeld());
            });
            self::assertFalse(self::isHeld());
            self::assertNull($kept->lease('mail'));
        }
        self::assertSame([], $this->reported);
    }

    public function testSoItDoesAfterAnError(): void
    {
        $kept = $this->app->make(Locker::class);
        $this->serve(function () use ($kept): void {
            self::assertTrue($kept->getLock('mail'));
            throw new \DomainException();
        });
        self::assertFalse(self::isHeld());
    }

    public function testByTheNameOfTheClass(): void
    {
        $this->app->singleton(\RLock::class, fn () => new \RLock('unix://' . self::$server->socket));
        $kept = $this->app->make(\RLock::class);
        $this->serve(fn () => self::assertTrue($kept->getLock('mail')));
        self::assertFalse(self::isHeld());
    }

    public function testALockOfTheCacheStays(): void
    {
        $this->serve(fn (LaravelApplication $app) => self::assertTrue($app->make('cache')->lock('mail', 60)->get()));
        self::assertTrue($this->app->make('cache')->lock('mail')->isLocked());
    }

    public function testNothingIsMadeForIt(): void
    {
        $this->app->singleton(Locker::class, fn () => self::fail('It was made'));
        $this->app->bind(\RLock::class, fn () => self::fail('It was made once more'));
        $this->serve(fn () => null);
        $made = 0;
        $this->app->bind(\RLock::class, function () use (&$made): \RLock {
            $made++;
            return new \RLock();
        });
        $this->serve(fn (LaravelApplication $app) => $app->make(\RLock::class));
        self::assertSame(1, $made);
    }

    public function testALockThatHadEndedIsReported(): void
    {
        $kept = $this->app->make(Locker::class);
        $this->serve(function () use ($kept): void {
            self::assertTrue($kept->getLock('mail'));
            self::$server->client()->del('lock@mail');
        });
        self::assertSame(['A lock had ended before the request that held it'], array_map(fn ($e) => $e->getMessage(), $this->reported));
    }

    public function testAServerThatIsGoneIsReported(): void
    {
        $server = new RedisServer();
        $kept = new \RLock("unix://$server->socket?timeout=0.3");
        $this->app->instance(Locker::class, $kept);
        $this->app->make(Locker::class);
        $this->serve(function () use ($kept, &$server): void {
            self::assertTrue($kept->getLock('mail'));
            $server = null;
        });
        self::assertCount(1, $this->reported);
        self::assertInstanceOf(\RLock\RLockException::class, $this->reported[0]);
    }

    public function testALockerInMemory(): void
    {
        $this->app->instance(Locker::class, $kept = new InMemoryLocker());
        $this->app->make(Locker::class);
        $this->serve(fn () => self::assertTrue($kept->getLock('mail')));
        self::assertNull($kept->lease('mail'));
    }
}
