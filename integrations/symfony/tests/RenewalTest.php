<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use RLock\Symfony\RLockFactory;
use RLock\Symfony\RLockStore;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Serializer\LockKeyNormalizer;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Stamp\DeduplicateStamp;
use Symfony\Component\Scheduler\Schedule;

require_once __DIR__ . '/InAShop.php';

/** What a process holds while it lives, and what it costs to kill it. */
final class RenewalTest extends TestCase
{
    use InAShop;

    private function factory(float $lease = self::LEASE): RLockFactory
    {
        return new RLockFactory(new RLockStore($this->locks, lease: $lease));
    }

    /** The same in another process, as $factory. */
    private function inAWorker(string $code): \Child
    {
        return $this->inAnotherProcess('
            $factory = new RLock\Symfony\RLockFactory(new RLock\Symfony\RLockStore($locks, lease: $args["lease"]));
        ' . $code, lease: self::LEASE);
    }

    private function assertFreeWithinALease(string $resource): void
    {
        self::assertLessThan(self::LEASE + self::GRACE, self::seconds(fn () => $this->locks->getLock($resource, INF)));
        $this->locks->releaseLock($resource);
    }

    private function assertRenewed(string $resource): void
    {
        usleep((int) (1.5 * self::LEASE * 1e6));
        self::assertNotNull($this->leaseOf($resource));
        self::assertLessThanOrEqual(self::LEASE, $this->leaseOf($resource));
    }

    // ==== Lock objects

    /**
     * @testWith ["true"]
     *           ["false"]
     */
    public function testAKilledProcessCostsALease(string $autoRelease): void
    {
        $worker = $this->inAWorker('
            $lock = $factory->createLock("mail", 300.0, ' . $autoRelease . ');
            $lock->acquire();
            $parent->say($lock->getRemainingLifetime());
            $parent->hear();
        ');
        self::assertEqualsWithDelta(300.0, $worker->hear(), 10.0);
        $this->assertRenewed('mail');
        $worker->kill();
        $this->assertFreeWithinALease('mail');
    }

    public function testAProcessThatWasStoppedKnowsThatItsLockHasExpired(): void
    {
        $worker = $this->inAWorker('
            $lock = $factory->createLock("mail");
            $lock->acquire();
            $parent->say([$lock->isExpired(), $lock->getRemainingLifetime() > 200]);
            $parent->hear();
            $seen = [$lock->isExpired(), $lock->getRemainingLifetime() <= 0.0];
            try {
                $lock->refresh();
            } catch (Symfony\Component\Lock\Exception\LockConflictedException) {
                $seen[] = "conflict";
            }
            $seen[] = $lock->isExpired();
            $lock->release();
            $parent->say($seen);
        ');
        self::assertSame([false, true], $worker->hear());
        $worker->freeze();
        $lock = $this->factory()->createLock('mail');
        $lock->acquire(true);
        $worker->thaw();
        $worker->say('go on');
        self::assertSame([true, true, 'conflict', true], $worker->hear());
        self::assertSame(0, $worker->wait());
        self::assertFalse($lock->isExpired());
        $this->assertRenewed('mail');
    }

    public function testTwoLocksOfOneResourceInOneProcess(): void
    {
        $factory = $this->factory();
        [$one, $other] = [$factory->createLock('mail'), $factory->createLock('mail')];
        $one->acquire();
        $this->locks->breakLock('mail');
        $other->acquire();
        usleep((int) (self::LEASE / 2 * 1e6)); // a renewal learns it
        self::assertSame([false, true, false, true], array_map(fn ($lock) => $lock->isExpired(), [$other, $one, $other, $one]));
        $one->release();
        self::assertTrue($other->isAcquired());
        $other->release();
        $one->acquire();
        self::assertFalse($one->isExpired());
        self::assertSame(0, $this->requestsOf(fn () => $one->isExpired()));
    }

    public function testTheTtlIsTheBound(): void
    {
        $lock = $this->factory(0.3)->createLock('mail', 1.0);
        $lock->acquire();
        usleep(600_000);
        self::assertFalse($lock->isExpired());
        self::assertTrue($lock->isAcquired());
        $lock->refresh(1.5);
        usleep(1_000_000);
        self::assertTrue($lock->isAcquired());
        \await('its end', fn (): bool => $lock->isExpired() && !$lock->isAcquired());
    }

    public function testARefreshThatIsShortEndsTheRenewal(): void
    {
        $lock = $this->factory()->createLock('mail');
        $lock->acquire();
        $lock->refresh(0.5);
        usleep(700_000);
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->isExpired());
    }

    public function testALockThatIsLeftOnPurposeLastsForItsTtl(): void
    {
        $lock = $this->factory()->createLock('mail', 100.0, autoRelease: false);
        $lock->acquire();
        unset($lock);
        self::assertEqualsWithDelta(100.0, $this->leaseOf('mail'), 5.0);
        $worker = $this->inAWorker('
            $lock = $factory->createLock("post", 100.0, false);
            $lock->acquire();
            exit;
        ');
        self::assertSame(0, $worker->wait());
        self::assertEqualsWithDelta(100.0, $this->leaseOf('post'), 5.0);
    }

    /** An exception came before Lock knew that it had the lock. */
    public function testALockThatNobodyCanReleaseIsNotLeftForItsTtl(): void
    {
        $store = new RLockStore($this->locks, lease: self::LEASE);
        $lock = (new RLockFactory($store))->createLockFromKey($key = new Key('mail'));
        $store->save($key);
        unset($lock, $key);
        self::assertLessThanOrEqual(self::LEASE, $this->leaseOf('mail'));
    }

    public function testALockThatIsSharedIsNotRenewed(): void
    {
        $lock = $this->factory()->createLock('mail', 100.0);
        $lock->acquire();
        $lock->acquireRead();
        self::assertEqualsWithDelta(100.0, $this->leaseOf('mail'), 5.0);
        $lock->refresh(50.0);
        self::assertEqualsWithDelta(50.0, $this->leaseOf('mail'), 5.0);
        self::assertFalse($lock->isExpired());
        $other = $this->factory()->createLock('mail', 100.0);
        self::assertTrue($other->acquireRead());
    }

    /** An exception of the alarm comes anywhere in acquire(). */
    public function testAnAlarmThatThrowsCostsALeaseAtMost(): void
    {
        $worker = $this->inAWorker('
            class Alarm extends Exception {}
            pcntl_async_signals(true);
            $throws = false;
            pcntl_signal(SIGUSR1, function () use (&$throws) {
                if ($throws) {
                    $throws = false;
                    throw new Alarm();
                }
            });
            $parent->say("ready");
            for ($alarms = 0; $alarms < 300;) {
                try {
                    $throws = true;
                    $lock = $factory->createLock("mail");
                    $lock->acquire(true);
                    $lock->release();
                    $throws = false;
                } catch (Throwable) {
                    $throws = false;
                    $alarms++;
                }
                unset($lock);
            }
            $parent->say("done");
            $parent->hear();
        ');
        $worker->hear();
        do {
            posix_kill($worker->pid, SIGUSR1);
            usleep(random_int(100, 2000));
        } while ($worker->silent(0.0));
        $worker->hear();
        $this->assertFreeWithinALease('mail');
    }

    // ==== keys

    /** @dataProvider provideWays */
    public function testAKeyThatIsSerializedIsHandedOver(string $pack, callable $unpack): void
    {
        $worker = $this->inAWorker('
            $lock = $factory->createLockFromKey($key = new Symfony\Component\Lock\Key("mail"), 100.0, false);
            $lock->acquire();
            usleep(100_000);
            $parent->say(base64_encode(' . $pack . '));
            $parent->say([$lock->isExpired(), $lock->isAcquired()]);
            $parent->hear();
        ');
        $key = $unpack(base64_decode($worker->hear()));
        self::assertSame([false, true], $worker->hear());
        self::assertEqualsWithDelta(99.9, $this->leaseOf('mail'), 2.0);
        $worker->kill();
        $lock = $this->factory()->createLockFromKey($key, 100.0, false);
        self::assertTrue($lock->isAcquired());
        self::assertFalse($lock->isExpired());
        $lock->refresh(50.0);
        self::assertEqualsWithDelta(50.0, $this->leaseOf('mail'), 2.0);
        unset($lock, $key);
        self::assertEqualsWithDelta(50.0, $this->leaseOf('mail'), 2.0);
    }

    /** @return iterable<string, array{string, callable}> */
    public static function provideWays(): iterable
    {
        yield 'serialize' => ['serialize($key)', unserialize(...)];
        $normalizer = '(new Symfony\Component\Lock\Serializer\LockKeyNormalizer())->normalize($key)';
        yield 'as JSON' => ["json_encode($normalizer)", fn (string $key): Key => (new LockKeyNormalizer())->denormalize(json_decode($key, true), Key::class)];
    }

    public function testASerializedKeyLeavesNothingBehindHere(): void
    {
        $lock = $this->factory()->createLockFromKey($key = new Key('mail'), 100.0);
        $lock->acquire();
        $copy = unserialize(serialize($key));
        $there = (new RLockFactory(new RLockStore(new \RLock(self::$server->url()), lease: self::LEASE)))->createLockFromKey($copy, 0.2);
        $there->refresh();
        usleep(400_000);
        self::assertNull($this->leaseOf('mail')); // nobody here renewed it
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->acquire());
        self::assertEqualsWithDelta(100.0, $this->leaseOf('mail'), 2.0); // nor does it ever again
    }

    public function testWhatIsReleasedIsNotHandedOver(): void
    {
        $lock = $this->factory()->createLockFromKey($key = new Key('mail'), 100.0, false);
        $lock->acquire();
        $lock->release();
        self::assertFalse($lock->isExpired());
        serialize($key);
        unset($lock, $key);
        self::assertNull($this->leaseOf('mail'));
    }

    public function testALostLockIsNotHandedOver(): void
    {
        $lock = $this->factory()->createLockFromKey($key = new Key('mail'), 100.0, false);
        $lock->acquire();
        $this->locks->breakLock('mail');
        serialize($key);
        self::assertNull($this->leaseOf('mail'));
        $this->expectException(LockConflictedException::class);
        $lock->refresh();
    }

    public function testAForkedChildHandsNothingOver(): void
    {
        $worker = $this->inAWorker('
            $lock = $factory->createLock("mail", 100.0, false);
            $lock->acquire();
            if (!$pid = pcntl_fork()) {
                exit; // its copies end
            }
            pcntl_waitpid($pid, $status);
            $parent->say($status);
            $parent->hear();
        ');
        self::assertSame(0, $worker->hear());
        $this->assertRenewed('mail');
        $worker->kill();
        $this->assertFreeWithinALease('mail');
    }

    // ==== the framework's processes

    public function testACommandThatIsLockable(): void
    {
        $first = self::start('rebuild', 'first');
        self::awaitNotes('first begins');
        $this->assertRenewed('rebuild');
        self::assertSame(3, self::start('rebuild', 'second')->wait());
        self::assertLogged('\[info\] The "rebuild" lock was not acquired: held by [^ ]+:' . $first->pid . ' for \d+ s, \d s left');
        $first->kill();
        $this->assertFreeWithinALease('rebuild');
    }

    public function testAHandlerThatIsKeptAliveAndKilled(): void
    {
        self::dispatch(new Pack('a'));
        $first = self::start('messenger:consume', 'files', '--keepalive=1');
        self::awaitNotes('a begins');
        self::awaitNotes('kept alive', 2);
        self::assertNotNull($this->leaseOf('packing'));
        $first->kill();
        $killed = hrtime(true);
        Shop::go('a');
        self::dispatch(new Pack('b'));
        Shop::go('b');
        $second = self::start('messenger:consume', 'files', '--keepalive=1');
        \await('both', fn (): bool => glob(Shop::folder() . '/*.message') === []);
        $this->assertFreeWithinALease('packing');
        self::assertContains('kept alive', Shop::notes());
        $second->signal('TERM');
        self::assertSame(0, $second->wait());
    }

    public function testAHandlerThatIsStoppedAndContinued(): void
    {
        self::dispatch(new Pack('a'));
        $first = self::start('messenger:consume', 'files', '--limit=1');
        self::awaitNotes('a begins');
        $first->freeze();
        $lock = $this->factory()->createLock('packing');
        $lock->acquire(true);
        Shop::go('a');
        $first->thaw();
        self::awaitNotes('a ends');
        $first->wait();
        self::assertTrue($lock->isAcquired());
        self::assertFalse($lock->isExpired());
    }

    public function testAMessageThatIsNotToBeQueuedTwice(): void
    {
        $queue = fn () => self::dispatch(new Envelope(new Pack('a'), [new DeduplicateStamp('pack a', 100.0)]));
        $queue();
        $queue();
        self::assertCount(1, glob(Shop::folder() . '/*.message'));
        self::assertEqualsWithDelta(100.0, $this->leaseOf('pack a'), 10.0);
        $worker = self::start('messenger:consume', 'files', '--limit=1');
        self::awaitNotes('a begins');
        $queue();
        self::assertCount(1, glob(Shop::folder() . '/*.message'));
        Shop::go('a');
        $worker->wait();
        self::assertNull($this->leaseOf('pack a'));
    }

    public function testTheSchedulerGoesOnInAnotherWorker(): void
    {
        class_exists(Schedule::class) || self::markTestSkipped('symfony/scheduler is not installed');
        [$one, $two] = [self::start('messenger:consume', 'scheduler_default'), self::start('messenger:consume', 'scheduler_default')];
        $worker = fn (): int => (int) substr((string) (array_slice(preg_grep('/^tick/', Shop::notes()), -1)[0] ?? ''), strlen('tick of '));
        \await('ticks', fn (): bool => count(Shop::notes()) >= 3);
        $active = $worker();
        self::assertSame(["tick of $active"], array_unique(Shop::notes()));
        $this->assertRenewed('schedule');
        ($active === $one->pid ? $one : $two)->kill();
        $killed = hrtime(true);
        \await('the other', fn (): bool => $worker() !== $active);
        self::assertLessThan(self::LEASE + self::GRACE, (hrtime(true) - $killed) / 1e9);
    }
}
