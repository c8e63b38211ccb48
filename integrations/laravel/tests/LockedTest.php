<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Queue\QueueableEntity;
use Illuminate\Events\CallQueuedListener;
use Illuminate\Foundation\Application as LaravelApplication;
use Illuminate\Queue\CallQueuedHandler;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\Jobs\SyncJob;
use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;
use RLock\Holder;
use RLock\Laravel\Busy;
use RLock\Laravel\Locked;
use RLock\Laravel\RLockStore;

require_once __DIR__ . '/Application.php';

/** Jobs under a lock, as a worker does them. */
final class LockedTest extends TestCase
{
    private static RedisServer $server;

    private LaravelApplication $app;

    /** @var list<string> the log */
    private array $log = [];

    public static function setUpBeforeClass(): void
    {
        self::$server = new RedisServer();
    }

    protected function setUp(): void
    {
        self::$server->client()->flushAll();
        $this->app = Application::on(self::$server, ['redis' => ['driver' => 'redis']]);
        $this->app->register(BusServiceProvider::class);
        $this->app->instance('log', new class (fn (string $line) => $this->log[] = $line) extends AbstractLogger {
            public function __construct(private \Closure $keep)
            {
            }

            public function log($level, $message, array $context = []): void
            {
                ($this->keep)("$level: $message");
            }
        });
    }

    protected function tearDown(): void
    {
        Locked::assumeHeld(false);
        Order::$atWork = null;
    }

    /** @param list<object> $middleware */
    private function work(object $job, array $middleware = []): SyncJob
    {
        $job->middleware = $middleware;
        $queued = new SyncJob($this->app, '{}', 'sync', 'sync');
        $this->app->make(CallQueuedHandler::class)->call($queued, ['command' => serialize($job)]);
        return $queued;
    }

    private function lock(float $seconds): void
    {
        self::assertTrue($this->app->make('cache')->lock('order:5', $seconds)->get());
    }

    public function testAnAttributeIsALockWhileTheJobIsAtWork(): void
    {
        $holder = fn (): ?Holder => $this->app->make('cache')->getStore()->holder('order:5');
        Order::$atWork = static function (Order $order) use ($holder): void {
            self::assertSame($holder()?->fence, $order->fence);
            self::assertEqualsWithDelta(RLockStore::LEASE, $holder()->ttl, 5);
        };
        $this->work(new LockedOrder(5));
        self::assertNull($holder());
    }

    public function testAJobThatMustHaveItsLockIsNotDoneWithout(): void
    {
        Order::$atWork = static fn () => null;
        $this->work(new LockedOrder(5));
        Locked::assumeHeld();
        (new LockedOrder(5))->handle();
        Locked::assumeHeld(false);
        $this->expectExceptionObject(new \LogicException(LockedOrder::class . ' is not running under its Locked'));
        (new LockedOrder(5))->handle();
    }

    /** What a class does not have, PHP does not look for in its parent. */
    public function testASubclassHasTheAttributeOfItsParent(): void
    {
        Order::$atWork = fn () => $this->log[] = 'at work';
        $this->work(new PartialOrder(5));
        self::assertSame(['at work'], $this->log);
    }

    /** @dataProvider listeners */
    public function testAQueuedListenerIsAJob(string $listener, Locked ...$middleware): void
    {
        Order::$atWork = function (): void {
            self::assertNotNull($this->app->make('cache')->getStore()->holder('order:5'));
            $this->log[] = 'at work';
        };
        $this->work(new CallQueuedListener($listener, 'handle', [new Ordered(5)]), $middleware);
        self::assertSame(['at work'], $this->log);
    }

    /** @return array<string, list<mixed>> */
    public static function listeners(): array
    {
        return [
            'an attribute' => [LockedListener::class],
            'a middleware' => [Listener::class, new Locked('order:{id}')],
        ];
    }

    public function testAnotherJobsLockIsNotItsOwn(): void
    {
        Order::$atWork = static function (): void {
            Order::$atWork = static fn () => null;
            (new LockedOrder(6))->handle();
        };
        $this->expectException(\LogicException::class);
        $this->work(new Order(5), [new Locked('order:{id}')]);
    }

    public function testWhatABusyLockDoesIsAWord(): void
    {
        $this->lock(100);
        Order::$atWork = static fn () => self::fail('it is at work');
        $skipped = $this->work(new Order(5), [new Locked('order:{id}', busy: Busy::Skip)]);
        self::assertTrue($skipped->isDeleted());
        $released = $this->work(new Order(5), [new Locked('order:{id}', busy: Busy::Release)]);
        self::assertTrue($released->isReleased());
        $who = 'held by \S+:' . getmypid() . ' for \d+ s, \d+ s left$~';
        $title = '~Job \[' . preg_quote(Order::class) . '\] with the lock "order:5"';
        foreach (['skipped', 'released'] as $outcome) {
            self::assertCount(1, preg_grep(str_replace('~Job', '~^info: Job', $title) . " $outcome: $who", $this->log), implode($this->log));
        }
        $this->expectException(LockTimeoutException::class);
        $this->expectExceptionMessageMatches("$title not acquired: $who");
        $this->work(new Order(5), [new Locked('order:{id}')]);
    }

    public function testItWaits(): void
    {
        $this->lock(0.2);
        Order::$atWork = fn () => $this->log[] = 'at work';
        $this->work(new Order(5), [new Locked('order:{id}', wait: INF)]);
        self::assertSame(['at work'], $this->log);
    }

    public function testALateJobIsInTheLog(): void
    {
        Order::$atWork = fn () => $this->app->make('cache')->lock('order:5')->forceRelease();
        $this->work(new LockedOrder(5));
        $title = 'Job [' . LockedOrder::class . '] with the lock "order:5"';
        self::assertSame(["warning: $title was late: another may have worked beside it"], $this->log);
    }

    /** @dataProvider names */
    public function testItsName(mixed $id, string $resource): void
    {
        Order::$atWork = fn () => self::assertNotNull($this->app->make('cache')->getStore()->holder('order:5'));
        $this->work(new Order($id), [new Locked($resource)]);
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function names(): iterable
    {
        yield 'a text' => ['order:5', '{id}'];
        yield 'a key' => [['of' => ['no' => 5]], 'order:{id.of.no}'];
        yield 'a property' => [new Model(), 'order:{id.no}'];
        yield 'a method' => [new Model(), 'order:{id.number}'];
        yield 'a getter' => [new Model(), 'order:{id.index}'];
        yield 'a model' => [new Model(), 'order:{id}'];
        yield 'a case' => [Number::Five, 'order:{id}'];
    }

    /** @dataProvider gaps */
    public function testNeverALockForAll(mixed $value, string $placeholder): void
    {
        $this->expectExceptionObject(new \LogicException("$placeholder of the lock \"order:$placeholder {x\" has no value in " . Order::class));
        $this->work(new Order($value), [new Locked("order:$placeholder {x")]);
    }

    /** @return iterable<array{mixed, string}> */
    public static function gaps(): iterable
    {
        yield [null, '{id}'];
        yield ['', '{id}'];
        yield [1.5, '{id}'];
        yield [5, '{none}'];
        yield [5, '{id.none}'];
        yield [new Model(), '{id.none}'];
    }

    public function testItNeedsOurStore(): void
    {
        $this->app->make('config')->set('cache.default', 'redis');
        $this->expectExceptionObject(new \LogicException('Locked needs a cache store with driver `rlock` as the default one'));
        $this->work(new LockedOrder(5));
    }

    public function testTheFenceNeedsItsProperty(): void
    {
        $this->expectExceptionObject(new \LogicException(Order::class . ' has no property $number for the fence'));
        $this->work(new Order(5), [new Locked('order:{id}', fence: 'number')]);
    }
}

class Order
{
    use InteractsWithQueue;
    use Queueable;

    public static ?\Closure $atWork = null;

    public ?int $fence = null;

    public function __construct(protected mixed $id)
    {
    }

    public function handle(): void
    {
        (self::$atWork)($this);
    }
}

#[Locked('order:{id}', fence: 'fence')]
class LockedOrder extends Order
{
    public function handle(): void
    {
        Locked::assertHeld();
        parent::handle();
    }
}

final class PartialOrder extends LockedOrder
{
}

final class Ordered
{
    public function __construct(public int $id)
    {
    }
}

class Listener
{
    public function handle(Ordered $event): void
    {
        Locked::assertHeld();
        (Order::$atWork)();
    }
}

#[Locked('order:{id}')]
final class LockedListener extends Listener
{
}

enum Number: int
{
    case Five = 5;
}

/** As Eloquent's: its text is all its columns. */
final class Model implements QueueableEntity, \Stringable
{
    public int $no = 5;

    public function number(): string
    {
        return '5';
    }

    public function getIndex(): int
    {
        return 5;
    }

    public function __toString(): string
    {
        return '{"no":5}';
    }

    public function getQueueableId()
    {
        return 5;
    }

    public function getQueueableRelations()
    {
        return [];
    }

    public function getQueueableConnection()
    {
        return null;
    }
}
