<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use RLock\Locker;
use RLock\Symfony\Locked;
use RLock\Symfony\LockedCalls;
use RLock\Symfony\LockedControllers;
use Symfony\Bundle\FrameworkBundle\Console\Application;
use Symfony\Component\Console\Tester\ApplicationTester;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Event\ControllerArgumentsEvent;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Lock\Key;
use Symfony\Component\Messenger\Stamp\HandledStamp;

require_once __DIR__ . '/App.php';
require_once __DIR__ . '/InAShop.php';

/** #[Locked] in an application. */
final class LockedTest extends TestCase
{
    use InAShop;

    // ==== controllers

    public function testAControllerRunsUnderItsLockAndIsGivenTheFence(): void
    {
        self::assertSame('shipped 5 with a fence', self::get('/ship/5')->getContent());
        self::assertNull($this->leaseOf('order:5'));
    }

    public function testABusyControllerAnswers423AndTheLogSaysWhoIsAtIt(): void
    {
        $this->locks->getLock('order:5', ttl: 20.0);
        $answer = self::get('/ship/5');
        self::assertSame(423, $answer->getStatusCode());
        self::assertStringNotContainsString(':' . getmypid(), $answer->getContent());
        self::assertLogged('\[info\] RLock.Symfony.Tests.Orders was not run: its lock "order:5" is held by [^ ]+:' . getmypid() . ' for 0 s, (20|19) s left');
        self::assertSame('shipped 6 with a fence', self::get('/ship/6')->getContent());
    }

    public function testABusyControllerMayBeSkippedAfterAWait(): void
    {
        $this->locks->getLock('order:5', ttl: 20.0);
        self::assertGreaterThanOrEqual(0.05, self::seconds(fn () => self::assertSame(204, self::get('/maybe/5')->getStatusCode())));
        self::assertLogged('Orders was skipped: its lock "order:5" is held by');
        $this->locks->releaseLock('order:5');
        self::assertSame('shipped 5', self::get('/maybe/5')->getContent());
    }

    public function testOthersStillSeeTheControllersAttributes(): void
    {
        self::assertSame('plain under plain', self::get('/plain')->getContent());
    }

    public function testAControllerThatFailsLeavesNoLock(): void
    {
        self::assertSame(500, self::get('/fail/5')->getStatusCode());
        self::assertNull($this->leaseOf('order:5'));
    }

    // ==== commands

    public function testACommandRunsUnderItsLock(): void
    {
        Shop::go('a.csv');
        self::assertSame(5, self::console(['command' => 'import', 'file' => 'a.csv']));
        self::assertSame(['a fence', 'a.csv begins', 'a.csv ends'], Shop::notes());
        self::assertNull($this->leaseOf('import:a.csv'));
    }

    public function testABusyCommandIsSkipped(): void
    {
        $this->locks->getLock('import:a.csv');
        self::assertSame(0, self::console(['command' => 'import', 'file' => 'a.csv']));
        self::assertSame([], Shop::notes());
        self::assertLogged('Import was skipped: its lock "import:a.csv" is held by');
    }

    public function testWhatIsMissingIsSaid(): void
    {
        self::assertSame(1, self::console(['command' => 'import'], $output));
        self::assertStringContainsString('Not enough arguments (missing: "file")', $output);
    }

    public function testAnInvokableCommandToo(): void
    {
        Shop::go('a');
        self::assertSame(0, self::console(['command' => 'export', 'name' => 'a']));
        $this->locks->getLock('export');
        self::assertSame(1, self::console(['command' => 'export', 'name' => 'a'], $output));
        self::assertStringContainsString('Another owner has the lock "export"', $output);
        self::assertSame(['a begins', 'a ends'], Shop::notes());
    }

    public function testAKilledCommandCostsALease(): void
    {
        $first = self::start('import', 'a.csv');
        self::awaitNotes('a.csv begins');
        usleep((int) (1.5 * self::LEASE * 1e6));
        self::assertNotNull($this->leaseOf('import:a.csv'));
        $first->kill();
        self::assertLessThan(self::LEASE + self::GRACE, self::seconds(fn () => $this->locks->getLock('import:a.csv', INF)));
    }

    public function testALateCommandIsAWarningAndLeavesTheNextAlone(): void
    {
        $late = self::start('import', 'a.csv');
        self::awaitNotes('a.csv begins');
        $late->freeze();
        self::assertTrue($this->locks->getLock('import:a.csv', INF));
        Shop::go('a.csv');
        $late->thaw();
        self::assertSame(5, $late->wait());
        self::assertLogged('\[warning\] The "import:a.csv" lock was not held to the end: ');
        self::assertTrue($this->locks->isLocking('import:a.csv'));
    }

    public function testATerminatedCommandLeavesNoLock(): void
    {
        $first = self::start('import', 'a.csv');
        self::awaitNotes('a.csv begins');
        $first->signal('TERM');
        $first->wait();
        self::assertLessThan(self::LEASE + self::GRACE, self::seconds(fn () => $this->locks->getLock('import:a.csv', INF)));
    }

    // ==== messages

    public function testAHandlerRunsUnderItsLock(): void
    {
        Shop::go('ship-5');
        self::dispatch(new Ship(5));
        self::start('messenger:consume', 'files', '--limit=1')->wait();
        self::assertEqualsCanonicalizing(['a fence', 'ship-5 begins', 'ship-5 ends', 'bill 5'], Shop::notes());
        self::assertSame([], glob(Shop::folder() . '/*.message'));
    }

    public function testABusyHandlerIsRetriedAndItsNeighbourIsNot(): void
    {
        Shop::go('ship-5');
        $this->locks->getLock('order:5');
        self::dispatch(new Ship(5));
        self::start('messenger:consume', 'files');
        \await('three tries', fn (): bool => substr_count((string) file_get_contents(Shop::folder() . '/log'), 'was not run') >= 3);
        $this->locks->releaseLock('order:5');
        \await('its acknowledgement', fn (): bool => glob(Shop::folder() . '/*.message') === []);
        self::assertSame(['bill 5', 'a fence', 'ship-5 begins', 'ship-5 ends'], Shop::notes());
    }

    public function testABusyHandlerMayBeSkipped(): void
    {
        $this->locks->getLock('order:5');
        self::assertNull(self::dispatch(new Weigh(5))->last(HandledStamp::class)->getResult());
        $this->locks->releaseLock('order:5');
        self::assertSame('weighed 5', self::dispatch(new Weigh(5))->last(HandledStamp::class)->getResult());
    }

    // ==== the assertion

    public function testWhereNobodyWiredItItFails(): void
    {
        $shop = new Shop(false, 'unwired');
        $shop->boot();
        $request = Request::create('/ship/5');
        $request->attributes->set('fence', 1);
        self::assertSame(500, $shop->handle($request)->getStatusCode());
        self::assertLogged('RLock.Symfony.Tests.Orders does not run under its #\[Locked\]');
    }

    /** What a class does not have, PHP does not look for in its parent. */
    public function testASubclassHasThatOfItsParent(): void
    {
        $locked = Locked::of(new \ReflectionMethod(Parcel::class, 'send'), Parcel::class);
        self::assertSame('parcel', $locked?->resource);
        $event = new ControllerArgumentsEvent(new Shop(), [new Parcel(), 'send'], [], new Request(), null);
        $calls = new LockedCalls(fn (): Locker => $this->locks);
        (new LockedControllers(fn (): LockedCalls => $calls))->lock($event);
        self::assertTrue($event->getController()());
    }

    public function testOneThatIsCalledByHandFails(): void
    {
        $call = fn (): string => (new Weighing())(new Weigh(5));
        Locked::assumeHeld();
        self::assertSame('weighed 5', $call());
        Locked::assumeHeld(false);
        $this->expectException(\LogicException::class);
        $call();
    }

    public function testUnderTheLockOfAnotherItFails(): void
    {
        $call = (new LockedCalls(fn (): Locker => $this->locks))->begin(new Locked('order:5'), [], Shipping::class);
        try {
            (new Weighing())(new Weigh(5));
            self::fail('It ran');
        } catch (\LogicException $unlocked) {
            self::assertStringContainsString('Weighing does not run under its #[Locked]', $unlocked->getMessage());
        } finally {
            $call->end();
        }
    }

    public function testWhereNothingMindsItTheContainerIsNotBuilt(): void
    {
        $app = new App('rlock', [], fn (ContainerBuilder $container) => $container->register('stray', Stray::class)->setAutoconfigured(true));
        $this->expectExceptionMessage('#[Locked] does nothing for the service "stray"');
        $app->boot();
    }

    /** An exception of the alarm comes anywhere. */
    public function testAnAlarmThatThrowsLeavesNoLock(): void
    {
        $worker = $this->inAnotherProcess('
            class Alarm extends Exception {}
            pcntl_async_signals(true);
            $throws = false;
            pcntl_signal(SIGUSR1, function () use (&$throws) {
                if ($throws) {
                    $throws = false;
                    throw new Alarm();
                }
            });
            $calls = new RLock\Symfony\LockedCalls(fn () => new RLock($args["server"], ttl: 20.0, autoRenew: true));
            $run = function () use ($calls): void {
                $call = $calls->begin(new RLock\Symfony\Locked("mail"), [], stdClass::class);
                try {
                    hrtime();
                } finally {
                    $call->end();
                }
            };
            $parent->say("ready");
            for ($alarms = $others = 0; $alarms < 300;) {
                try {
                    $throws = true;
                    $run();
                    $throws = false;
                } catch (Alarm) {
                    $alarms++;
                }
                $others += RLock\Symfony\LockedCall::isRunning(stdClass::class);
            }
            $parent->say($others);
            $parent->hear();
        ');
        $worker->hear();
        do {
            posix_kill($worker->pid, SIGUSR1);
            usleep(random_int(100, 2000));
        } while ($worker->silent(0.0));
        self::assertSame(0, $worker->hear());
        self::assertNull($this->leaseOf('mail'));
    }

    // ==== placeholders

    /** @dataProvider provideNames */
    public function testNames(string $name, array|object $arguments, string $resource): void
    {
        self::assertSame($resource, (new Locked($name))->resourceFor($arguments));
    }

    /** @return iterable<array{string, array<mixed>|object, string}> */
    public static function provideNames(): iterable
    {
        $object = new class {
            public int $id = 5;
            public array $list = ['a' => ['b' => 'c']];
            private string $hidden = 'x';

            public function getOwner(): object
            {
                return new class {
                    public function name(): string
                    {
                        return 'Ann';
                    }
                };
            }
        };
        yield ['all', [], 'all'];
        yield ['{id}:{id}', ['id' => 5], '5:5'];
        yield ['{id}', $object, '5'];
        yield ['{o.id}', ['o' => $object], '5'];
        yield ['{list.a.b}', $object, 'c'];
        yield ['{owner.name}', $object, 'Ann'];
        yield ['{key}', ['key' => new Key('k')], 'k'];
        yield ['{case}', ['case' => Suit::Hearts], 'H'];
        yield ['{zero}', ['zero' => 0], '0'];
        yield ['{ } {5} {a-b} {', ['a' => 1], '{ } {5} {a-b} {'];
    }

    /** @dataProvider provideNothing */
    public function testALockForNothing(string $name, array|object $arguments): void
    {
        $this->expectException(\LogicException::class);
        (new Locked($name))->resourceFor($arguments);
    }

    /** @return iterable<array{string, array<mixed>|object}> */
    public static function provideNothing(): iterable
    {
        yield ['{id}', []];
        yield ['{id}', ['id' => null]];
        yield ['{id}', ['id' => '']];
        yield ['{id}', ['id' => 1.5]];
        yield ['{id}', ['id' => false]];
        yield ['{id}', ['id' => []]];
        yield ['{id}', ['id' => new \stdClass()]];
        yield ['{id.x}', ['id' => 5]];
        yield ['{id.x}', ['id' => 'text']];
        yield ['{hidden}', new class {
            private string $hidden = 'x';
        }];
    }

    private static function get(string $path): Response
    {
        return self::shop()->handle(Request::create($path));
    }

    /** @param array<mixed> $input */
    private static function console(array $input, ?string &$output = null): int
    {
        $application = new Application(self::shop());
        $application->setAutoExit(false);
        $tester = new ApplicationTester($application);
        $status = $tester->run($input);
        $output = $tester->getDisplay();
        return $status;
    }
}

enum Suit: string
{
    case Hearts = 'H';
}

final class Stray
{
    #[Locked('a')]
    public function run(): void
    {
    }
}

#[Locked('parcel')]
abstract class Sent
{
    public function send(): bool
    {
        Locked::assertHeld();
        return true;
    }
}

final class Parcel extends Sent
{
}
