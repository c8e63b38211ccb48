<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;
use RLock\ConnectionException;
use RLock\Symfony\RLockFactory;
use RLock\Symfony\RLockStore;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\CombinedStore;
use Symfony\Component\Lock\Strategy\UnanimousStrategy;

require_once __DIR__ . '/OnARealServer.php';

/** The store as applications see it, behind Symfony's Lock. */
final class LockTest extends TestCase
{
    use OnARealServer;

    private function factory(): RLockFactory
    {
        return new RLockFactory($this->getStore());
    }

    // ==== requests

    /** @dataProvider provideTtls */
    public function testAcquiringAndReleasing(?float $ttl, int $requests, float $lifetime): void
    {
        $lease = min($lifetime, RLockStore::LEASE);
        $lock = $this->factory()->createLock('mail', $ttl);
        foreach ([false, true, false] as $blocking) {
            self::assertSame($requests - 1, $this->requestsOf(fn () => self::assertTrue($lock->acquire($blocking))));
            self::assertEqualsWithDelta($lease, $this->leaseOf('mail'), 3.0);
            self::assertEqualsWithDelta($lifetime, $lock->getRemainingLifetime(), 10.0);
            self::assertSame(1, $this->requestsOf(fn () => $lock->release()));
            self::assertNull($this->leaseOf('mail'));
        }
    }

    /** @return iterable<string, array{?float, int, float}> */
    public static function provideTtls(): iterable
    {
        yield 'the initial ttl' => [300.0, 2, 300.0];
        yield 'none' => [null, 2, 300.0];
        yield 'a shorter one' => [40.0, 2, 40.0];
        yield 'one that is not renewed' => [20.0, 2, 20.0];
        yield 'a longer one' => [3000.0, 2, 3000.0];
        yield 'the longest lease' => [1e9, 2, 1e9];
        yield 'more than a lease can be' => [1.1e9, 4, 1.1e9];
    }

    public function testALockWithoutATtlIsNotGivenThatOfOthers(): void
    {
        $factory = $this->factory();
        foreach ([30.0, null, 3000.0, null] as $ttl) {
            $lock = $factory->createLock('mail', $ttl);
            self::assertSame(1, $this->requestsOf(fn () => $lock->acquire()));
            self::assertEqualsWithDelta($ttl ?? 300.0, $lock->getRemainingLifetime(), 10.0);
            $lock->release();
        }
    }

    /** As with any store: it is told the ttl by a second call. */
    public function testWithSymfonysOwnFactoryAcquiringTakesMore(): void
    {
        $lock = (new LockFactory($this->getStore()))->createLock('mail', 20.0);
        self::assertSame(3, $this->requestsOf(fn () => $lock->acquire()));
        self::assertEqualsWithDelta(20.0, $this->leaseOf('mail'), 3.0);
        self::assertSame(1, $this->requestsOf(fn () => $lock->release()));
    }

    public function testTheTtlIsKnownThroughOtherStores(): void
    {
        $inner = new CombinedStore([$this->getStore()], new UnanimousStrategy());
        $factory = new RLockFactory(new CombinedStore([$inner], new UnanimousStrategy()));
        $lock = $factory->createLock('mail', 30.0);
        self::assertSame(1, $this->requestsOf(fn () => $lock->acquire()));
        self::assertEqualsWithDelta(30.0, $this->leaseOf('mail'), 10.0);
    }

    public function testOneLocksTtlIsNotThatOfAnotherKey(): void
    {
        $store = $this->getStore();
        $logger = new class (fn () => $store->save(new Key('log'))) extends AbstractLogger {
            public function __construct(private \Closure $log)
            {
            }

            public function log($level, string|\Stringable $message, array $context = []): void
            {
                ($this->log)();
                $this->log = fn () => null;
            }
        };
        $factory = new RLockFactory($store);
        $factory->setLogger($logger);
        $factory->createLock('mail', 10.0)->acquire();
        self::assertEqualsWithDelta(300.0, $this->leaseOf('log'), 10.0); // its Key has ended, and nothing releases it
    }

    public function testAnAttemptThatFailedBeforeCostsNothingLater(): void
    {
        [$one, $other] = [$this->factory()->createLock('mail'), $this->factory()->createLock('mail')];
        $one->acquire();
        self::assertFalse($other->acquire());
        $one->release();
        self::assertSame(1, $this->requestsOf(fn () => self::assertTrue($other->acquire())));
    }

    public function testOnlyTheRefreshOfAcquireItselfIsSpared(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        self::assertSame(2, $this->requestsOf(fn () => $lock->refresh())); // one of them sets the bound
        self::assertSame(2, $this->requestsOf(fn () => $lock->refresh(300.0)));
    }

    public function testARefreshAfterSomeOfTheLeaseIsNotSpared(): void
    {
        $factory = new RLockFactory(new RLockStore($this->locks, initialTtl: 1.0));
        $lock = $factory->createLock('mail', null);
        $lock->acquire();
        usleep(15_000); // more than a hundredth
        self::assertSame(1, $this->requestsOf(fn () => $lock->refresh(1.0)));
    }

    public function testAcquiringWhatIsHeldSetsTheLeaseAnew(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        $lock->refresh(1000.0);
        self::assertSame(1, $this->requestsOf(fn () => self::assertTrue($lock->acquire())));
        self::assertEqualsWithDelta(300.0, $lock->getRemainingLifetime(), 10.0);
        $lock->release();
        self::assertNull($this->leaseOf('mail'));
    }

    public function testLaterTheServerIsAskedWhetherTheLockIsAcquired(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        $lock->release();
        self::assertSame(1, $this->requestsOf(fn () => self::assertFalse($lock->isAcquired())));
    }

    // ==== owners

    public function testLocksExcludeEachOther(): void
    {
        [$one, $other] = [$this->factory()->createLock('mail'), $this->factory()->createLock('mail')];
        self::assertTrue($one->acquire());
        self::assertFalse($other->acquire());
        self::assertTrue($one->isAcquired());
        $one->release();
        self::assertTrue($other->acquire());
    }

    public function testALockThatIsForgottenIsReleased(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        unset($lock);
        self::assertNull($this->leaseOf('mail'));
    }

    public function testALockIsHandedOnByItsKey(): void
    {
        $producer = $this->inAnotherProcess('
            $key = new Symfony\Component\Lock\Key("mail");
            $factory = new RLock\Symfony\RLockFactory($store);
            $factory->createLockFromKey($key, 60.0, autoRelease: false)->acquire();
            $parent->say(base64_encode(serialize($key)));
        ');
        $key = unserialize(base64_decode($producer->hear()));
        self::assertSame(0, $producer->wait());
        self::assertFalse($this->factory()->createLock('mail')->acquire());

        $consumer = $this->factory()->createLockFromKey($key, 60.0, autoRelease: false);
        self::assertTrue($consumer->isAcquired());
        $consumer->refresh();
        $consumer->release();
        self::assertNull($this->leaseOf('mail'));
    }

    public function testReadersShareALock(): void
    {
        [$one, $two, $writer] = array_map(fn () => $this->factory()->createLock('mail', 30.0), range(1, 3));
        foreach ([false, true] as $blocking) {
            self::assertTrue($one->acquireRead($blocking));
            self::assertSame(1, $this->requestsOf(fn () => self::assertTrue($two->acquireRead($blocking))));
            self::assertFalse($writer->acquire());
            self::assertEqualsWithDelta(30.0, $two->getRemainingLifetime(), 10.0);
            $one->release();
            self::assertFalse($writer->acquire());
            $two->release();
            self::assertTrue($writer->acquire());
            self::assertFalse($one->acquireRead());
            self::assertTrue($writer->acquireRead($blocking)); // demoted
            self::assertTrue($one->acquireRead());
            self::assertFalse($writer->acquire()); // not promoted
            $one->release();
            self::assertTrue($writer->acquire());
            $writer->release();
        }
        $this->expectException(LockConflictedException::class);
        $one->acquireRead();
        $two->acquireRead();
        $one->acquire(true);
    }

    // ==== waiting

    public function testAWaitThatIsTooLongIsAConflict(): void
    {
        self::assertTrue($this->locks->getLock('mail'));
        $factory = new RLockFactory(new RLockStore(new \RLock(self::$server->url()), maxWait: 0.05));
        $this->expectException(LockConflictedException::class);
        $factory->createLock('mail')->acquire(true);
    }

    public function testEachOfManyWaitersHasItsTurn(): void
    {
        $code = '
            $factory = new RLock\Symfony\RLockFactory($store);
            $parent->say("ready");
            $parent->hear();
            for ($turn = 0; $turn < 50; $turn++) {
                $lock = $factory->createLock("mail", 60.0);
                $lock->acquire(true);
                $count = (int) file_get_contents($args["file"]);
                file_put_contents($args["file"], (string) ($count + 1));
                $lock->release();
            }
        ';
        $file = \temporary_folder() . '/count';
        file_put_contents($file, '0');
        $workers = array_map(fn (): \Child => $this->inAnotherProcess($code, file: $file), range(1, 4));
        array_map(fn (\Child $worker) => $worker->hear(), $workers);
        array_map(fn (\Child $worker) => $worker->say('go'), $workers);
        foreach ($workers as $worker) {
            self::assertSame(0, $worker->wait(), $worker->output());
        }
        self::assertSame('200', file_get_contents($file));
    }

    // ==== forks

    public function testAForkedChildHasNoneOfItsParentsLocks(): void
    {
        $child = $this->inAnotherProcess('
            $factory = new RLock\Symfony\RLockFactory($store);
            [$held, $read, $used] = array_map(fn ($name) => $factory->createLock($name, 60.0), ["held", "read", "used"]);
            [$held->acquire(), $read->acquireRead(), $used->acquire(), $used->release()];
            if (!$pid = pcntl_fork()) {
                try {
                    $held->refresh();
                } catch (Symfony\Component\Lock\Exception\LockConflictedException) {
                    $refresh = "conflict";
                }
                $seen = [$held->isAcquired(), $held->acquire(), $refresh, $read->acquire(), $used->acquire()];
                file_put_contents($args["file"], json_encode($seen));
                $held->release();
                posix_kill(getmypid(), SIGSTOP);
                exit(); // its copies end
            }
            pcntl_waitpid($pid, $status, WUNTRACED);
            $parent->say([$held->isAcquired(), $read->isAcquired(), $used->acquire()]);
            posix_kill($pid, SIGCONT);
            pcntl_waitpid($pid, $status);
            $parent->say([$status, $held->isAcquired(), $read->isAcquired(), $used->acquire()]);
        ', file: $file = \temporary_folder() . '/seen');
        self::assertSame([true, true, false], $child->hear());
        self::assertSame('[false,false,"conflict",false,true]', file_get_contents($file));
        self::assertSame([0, true, true, true], $child->hear());
        self::assertSame(0, $child->wait(), $child->output());
    }

    // ==== errors

    public function testTroubleWithTheServerIsWhatSymfonySays(): void
    {
        $lock = (new RLockFactory(new RLockStore(new \RLock('unix:///nowhere/redis.sock'))))->createLock('mail');
        foreach ([LockAcquiringException::class => $lock->acquire(...), LockReleasingException::class => $lock->release(...)] as $class => $call) {
            try {
                $call();
                self::fail('It succeeded');
            } catch (LockAcquiringException | LockReleasingException $trouble) {
                self::assertInstanceOf($class, $trouble);
                self::assertInstanceOf(ConnectionException::class, $trouble->getPrevious()->getPrevious());
            }
        }
    }

    public function testALostLockIsAConflictToARefresh(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        $this->locks->breakLock('mail');
        $this->expectException(LockConflictedException::class);
        $lock->refresh();
    }

    public function testALostLockCanBeReleased(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        $this->locks->breakLock('mail');
        $lock->release();
        self::assertFalse($lock->isAcquired());
    }
}
