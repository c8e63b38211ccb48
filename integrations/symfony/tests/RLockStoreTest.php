<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use RLock\ConnectionException;
use RLock\Symfony\RLockStore;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;
use Symfony\Component\Lock\Test\AbstractStoreTestCase;

require_once __DIR__ . '/OnARealServer.php';

/** Symfony's own tests of a store, and ours. */
final class RLockStoreTest extends AbstractStoreTestCase
{
    use OnARealServer;

    public function testOldAndNewProcessesLockEachOtherOut(): void
    {
        $redis = new \Redis();
        $redis->connect(self::$server->socket);
        $old = (new LockFactory(new RedisStore($redis)))->createLock('mail');
        $new = (new LockFactory(new RLockStore(new \RLock(self::$server->url(), prefix: ''))))->createLock('mail');

        self::assertTrue($old->acquire());
        self::assertFalse($new->acquire());
        $old->release();
        self::assertTrue($new->acquire());
        self::assertFalse($old->acquire());
        $new->release();
        self::assertTrue($old->acquire());
    }

    // ==== leases that end

    public function testALeaseEndsAndTheLockIsFree(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $store->save($key);
        $store->putOffExpiration($key, 0.05);
        \await('the end of the lease', fn (): bool => !$store->exists($key));
        self::assertTrue($key->isExpired());
        $store->save(new Key('mail'));
    }

    /** @dataProvider provideTtls */
    public function testARefreshSetsTheLeaseToTheTtl(float $ttl): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $store->save($key);
        $store->putOffExpiration($key, 100.0);
        $key->resetLifetime(); // as Lock::refresh() does
        $store->putOffExpiration($key, $ttl);
        self::assertEqualsWithDelta(min($ttl, RLockStore::LEASE), $this->leaseOf('mail'), 3.0);
        self::assertEqualsWithDelta($ttl, $key->getRemainingLifetime(), 3.0);
    }

    /** @return iterable<string, array{float}> */
    public static function provideTtls(): iterable
    {
        yield 'longer' => [1000.0];
        yield 'shorter' => [40.0];
        yield 'so short that it is not renewed' => [20.0];
    }

    public function testAKeyThatIsNotRenewedNeverPromisesMoreThanItsLease(): void
    {
        $store = new RLockStore($this->locks, lease: 1000.0);
        $key = new Key('mail');
        foreach (['save', 'waitAndSave'] as $save) {
            $key->resetLifetime();
            $store->$save($key);
            self::assertEqualsWithDelta(300.0, $key->getRemainingLifetime(), 10.0);
            self::assertLessThanOrEqual($this->leaseOf('mail') + 0.01, $key->getRemainingLifetime());
            $store->putOffExpiration($key, 20.0);
            self::assertLessThanOrEqual($this->leaseOf('mail') + 0.01, $key->getRemainingLifetime());
            $store->delete($key);
        }
    }

    public function testALeaseThatHasPassedAlreadyIsAnErrorAndLeavesNoLock(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $store->save($key);
        try {
            $store->putOffExpiration($key, 0.000001);
            self::fail('The refresh succeeded');
        } catch (LockExpiredException) {
        }
        self::assertNull($this->leaseOf('mail'));
    }

    /**
     * @testWith ["save"]
     *           ["waitAndSave"]
     */
    public function testAKeyWhoseTimeIsUpIsNotSaved(string $save): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $key->reduceLifetime(0.0);
        try {
            $store->$save($key);
            self::fail('It was saved');
        } catch (LockExpiredException) {
        }
        self::assertNull($this->leaseOf('mail'));
    }

    public function testALeaseOfAnyLengthIsAccepted(): void
    {
        $store = new RLockStore($this->locks, lease: 1e9);
        $key = new Key('mail');
        $store->save($key);
        $store->putOffExpiration($key, 1e12);
        self::assertGreaterThan(9e8, $this->leaseOf('mail'));
    }

    // ==== locks that are lost

    public function testALostLockCannotBeRefreshed(): void
    {
        $store = $this->getStore();
        [$key, $other] = [new Key('mail'), new Key('mail')];
        $store->save($key);
        $this->locks->breakLock('mail');
        $this->assertConflict(fn () => $store->putOffExpiration($key, 20.0));
        self::assertNull($this->leaseOf('mail'));

        $store->save($other);
        $this->assertConflict(fn () => $store->putOffExpiration($key, 20.0));
        self::assertGreaterThan(25.0, $this->leaseOf('mail'));
    }

    public function testALateReleaseLeavesTheNextOwnerAlone(): void
    {
        $store = $this->getStore();
        [$key, $other] = [new Key('mail'), new Key('mail')];
        $store->save($key);
        $this->locks->breakLock('mail');
        $store->save($other);
        $store->delete($key);
        self::assertFalse($store->exists($key));
        self::assertTrue($store->exists($other));
    }

    public function testAKeyThatWasNeverSavedHasNothingToRefreshOrDelete(): void
    {
        $store = $this->getStore();
        $store->delete(new Key('mail'));
        $this->assertConflict(fn () => $store->putOffExpiration(new Key('mail'), 20.0));
    }

    public function testWhatWasDeletedCannotBeRefreshedButSaved(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $store->save($key);
        $store->delete($key);
        $this->assertConflict(fn () => $store->putOffExpiration($key, 300.0));
        $store->delete($key);
        $store->save($key);
        self::assertTrue($store->exists($key));
    }

    public function testItExcludesWhoeverLocksWithTheSameNameWithoutSymfony(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        self::assertTrue($this->locks->getLock('mail'));
        $this->assertConflict(fn () => $store->save($key));
        $this->locks->releaseLock('mail');
        $store->save($key);
        self::assertFalse($this->locks->getLock('mail'));
    }

    // ==== shared locks

    public function testReadersFirst(): void
    {
        $store = $this->getStore();
        [$one, $two, $writer] = [new Key('mail'), new Key('mail'), new Key('mail')];
        $store->saveRead($one);
        self::assertSame([true, false, false], array_map($store->exists(...), [$one, $two, $writer]));
        $store->saveRead($two);
        $this->assertConflict(fn () => $store->save($writer), 'Another owner has the lock "mail"');
        self::assertSame([true, true, false], array_map($store->exists(...), [$one, $two, $writer]));
        $store->delete($one);
        self::assertSame([false, true, false], array_map($store->exists(...), [$one, $two, $writer]));
        $this->assertConflict(fn () => $store->save($writer));
        $store->delete($two);
        $store->save($writer);
        self::assertSame([false, false, true], array_map($store->exists(...), [$one, $two, $writer]));
    }

    public function testAWriterFirst(): void
    {
        $store = $this->getStore();
        [$writer, $reader] = [new Key('mail'), new Key('mail')];
        $store->save($writer);
        $this->assertConflict(fn () => $store->saveRead($reader));
        self::assertSame([true, false], array_map($store->exists(...), [$writer, $reader]));
        $store->delete($writer);
        $store->saveRead($reader);
        self::assertTrue($store->exists($reader));
    }

    /**
     * @testWith ["save"]
     *           ["waitAndSave"]
     */
    public function testAReaderIsPromotedIfItIsTheOnlyOne(string $save): void
    {
        $store = $this->getStore();
        [$one, $two, $three] = [new Key('mail'), new Key('mail'), new Key('mail')];
        $store->saveRead($one);
        $store->saveRead($two);
        $this->assertConflict(
            fn () => $store->$save($one),
            'The lock "mail" is not held, or others share it: it cannot be promoted',
        );
        self::assertSame([true, true], array_map($store->exists(...), [$one, $two]));
        $store->delete($two);
        $store->$save($one);
        self::assertSame([true, false], array_map($store->exists(...), [$one, $two]));
        $this->assertConflict(fn () => $store->saveRead($three));
    }

    public function testAWriterIsDemoted(): void
    {
        $store = $this->getStore();
        [$one, $two] = [new Key('mail'), new Key('mail')];
        $store->save($one);
        $store->saveRead($one);
        $store->saveRead($two);
        self::assertSame([true, true], array_map($store->exists(...), [$one, $two]));
        $store->delete($one);
        self::assertSame([false, true], array_map($store->exists(...), [$one, $two]));
        $this->assertConflict(fn () => $store->save($one));
        $store->delete($two);
        $store->save($one);
        self::assertTrue($store->exists($one));
    }

    public function testACopyOfAKeyIsDemotedAndPromoted(): void
    {
        $here = $this->getStore();
        $there = new RLockStore(new \RLock(self::$server->url()));
        [$key, $reader] = [new Key('mail'), new Key('mail')];
        $here->save($key);
        $copy = self::copyOf($key);
        $there->saveRead($copy);
        $here->saveRead($reader);
        self::assertTrue($here->exists($key));
        $here->delete($reader);
        $there->save($copy);
        $this->assertConflict(fn () => $here->saveRead($reader));
        $here->delete($key);
        self::assertNull($this->leaseOf('mail'));
    }

    public function testAReadersLease(): void
    {
        $store = $this->getStore();
        [$short, $long] = [new Key('mail'), new Key('mail')];
        $store->saveRead($short);
        $store->saveRead($long);
        $store->putOffExpiration($short, 0.05);
        $long->resetLifetime(); // as Lock::refresh() does
        $store->putOffExpiration($long, 1000.0);
        \await('the end of the lease', fn (): bool => !$store->exists($short));
        self::assertTrue($store->exists($long));
        self::assertEqualsWithDelta(1000.0, $this->leaseOf('mail'), 10.0);
        self::assertEqualsWithDelta(1000.0, $long->getRemainingLifetime(), 10.0);
        $short->resetLifetime();
        $this->assertConflict(fn () => $store->putOffExpiration($short, 20.0));
    }

    public function testWaitersAreWokenWhateverTheyWant(): void
    {
        $store = $this->getStore();
        [$writer, $reader] = [new Key('mail'), new Key('mail')];
        $store->save($writer);
        $waiters = array_map(fn (string $save): \Child => $this->inAnotherProcess('
            $key = new Symfony\Component\Lock\Key("mail");
            $store->{$args["save"]}($key);
            $parent->say("saved");
            $parent->hear();
            $store->delete($key);
            $parent->say("deleted");
        ', save: $save), ['waitAndSaveRead', 'waitAndSaveRead']);
        self::$server->client()->awaitBlocked(2);
        $store->delete($writer);
        self::assertSame(['saved', 'saved'], array_map(fn (\Child $waiter) => $waiter->hear(), $waiters));
        $this->assertConflict(fn () => $store->save($writer));
        foreach ($waiters as $waiter) {
            $waiter->say('delete');
            $waiter->hear();
        }
        $store->waitAndSave($writer);
        $store = new RLockStore(new \RLock(self::$server->url()), maxWait: 0.05);
        $this->assertConflict(
            fn () => $store->waitAndSaveRead($reader),
            'Another owner has the lock "mail", also after 0.05 s',
        );
    }

    // ==== waiting

    public function testAReleaseWakesTheWaiter(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $holder = $this->inAnotherProcess('
            $key = new Symfony\Component\Lock\Key("mail");
            $store->save($key);
            $parent->say("saved");
            await("a waiter", fn () => $locks->holder("mail")->contended);
            usleep(300_000); // three times the pause of a lock that polls
            $store->delete($key);
        ');
        $holder->hear();
        $this->assertConflict(fn () => $store->save($key));
        self::assertLessThanOrEqual(5, $this->requestsOf(fn () => $store->waitAndSave($key)));
        self::assertTrue($store->exists($key));
        self::assertEqualsWithDelta(300.0, $key->getRemainingLifetime(), 10.0);
        self::assertSame(0, $holder->wait());
    }

    public function testAWaitIsBounded(): void
    {
        self::assertTrue($this->locks->getLock('mail'));
        $store = new RLockStore(new \RLock(self::$server->url()), maxWait: 0.05);
        $waited = self::seconds(fn () => $this->assertConflict(
            fn () => $store->waitAndSave(new Key('mail')),
            'Another owner has the lock "mail", also after 0.05 s',
        ));
        self::assertGreaterThanOrEqual(0.05, $waited);
    }

    public function testAWaitMayBeLongerThanTheLease(): void
    {
        self::assertTrue($this->locks->getLock('mail', ttl: 0.4));
        $store = new RLockStore(new \RLock(self::$server->url()), initialTtl: 0.2);
        $key = new Key('mail');
        $store->waitAndSave($key);
        self::assertFalse($key->isExpired());
    }

    /** @dataProvider provideSaves */
    public function testAKeyPromisesNoMoreIfTheServersAnswersAreLate(string $save): void
    {
        $proxy = new \Proxy(self::$server->socket);
        $store = new RLockStore(new \RLock($proxy->url()), initialTtl: 5.0);
        $key = new Key('mail');
        $proxy->tell('late 400');
        $store->$save($key);
        self::assertLessThanOrEqual($this->leaseOf('mail') + 0.01, $key->getRemainingLifetime());
        self::assertGreaterThan(3.0, $key->getRemainingLifetime());
    }

    /** @return iterable<string, array{string}> */
    public static function provideSaves(): iterable
    {
        foreach (['save', 'waitAndSave', 'saveRead', 'waitAndSaveRead'] as $save) {
            yield $save => [$save];
        }
    }

    // ==== keys that travel

    public function testAKeyIsUsedByOneProcessAfterTheOther(): void
    {
        $taker = $this->inAnotherProcess('
            $key = new Symfony\Component\Lock\Key("mail");
            $store->save($key);
            $parent->say(base64_encode(serialize($key)));
        ');
        $key = $taker->hear();
        self::assertSame(0, $taker->wait());

        foreach ([20.0, 40.0] as $ttl) {
            $refresher = $this->inAnotherProcess('
                $key = unserialize(base64_decode($args["key"]));
                $key->resetLifetime();
                $store->putOffExpiration($key, $args["ttl"]);
                $parent->say(base64_encode(serialize($key)));
            ', key: $key, ttl: $ttl);
            $key = $refresher->hear();
            self::assertSame(0, $refresher->wait());
            self::assertEqualsWithDelta($ttl, $this->leaseOf('mail'), 10.0);
        }

        $store = $this->getStore();
        $key = unserialize(base64_decode($key));
        self::assertTrue($store->exists($key));
        $store->delete($key);
        self::assertNull($this->leaseOf('mail'));
    }

    public function testAllCopiesOfAKeyAreOneOwner(): void
    {
        $here = $this->getStore();
        $there = new RLockStore(new \RLock(self::$server->url()));
        $key = new Key('mail');
        $here->save($key);
        $copy = self::copyOf($key);
        foreach (range(1, 3) as $turn) {
            $there->putOffExpiration($copy, 20.0);
            $here->putOffExpiration($key, 40.0);
            self::assertTrue($here->exists($key));
            self::assertTrue($there->exists($copy));
        }
        $there->save($copy);
        $there->delete($copy);
        self::assertFalse($here->exists($key));
        $this->assertConflict(fn () => $here->putOffExpiration($key, 20.0));

        $here->save($key);
        self::assertTrue($there->exists($copy) || $there->exists($copy));
        $this->assertConflict(fn () => $there->save(new Key('mail')));
    }

    public function testWhatAProcessReleasedAnotherMayHaveAcquiredSince(): void
    {
        $here = $this->getStore();
        $there = new RLockStore(new \RLock(self::$server->url()));
        $key = new Key('mail');
        $here->save($key);
        $here->delete($key);
        self::assertFalse($here->exists($key));
        $there->save(self::copyOf($key));
        self::assertTrue($here->exists($key));
        $here->delete($key);
        self::assertNull($this->leaseOf('mail'));
    }

    // ==== errors

    public function testTroubleWithTheServerIsAnErrorOfStorage(): void
    {
        $store = new RLockStore(new \RLock('unix:///nowhere/redis.sock'));
        $key = new Key('mail');
        $calls = [
            fn () => $store->save($key),
            fn () => $store->waitAndSave($key),
            fn () => $store->saveRead($key),
            fn () => $store->waitAndSaveRead($key),
            fn () => $store->putOffExpiration($key, 20.0),
            fn () => $store->delete($key),
            fn () => $store->exists($key),
        ];
        foreach ($calls as $call) {
            try {
                $call();
                self::fail('It succeeded');
            } catch (LockStorageException $trouble) {
                self::assertInstanceOf(ConnectionException::class, $trouble->getPrevious());
                self::assertSame($trouble->getPrevious()->getMessage(), $trouble->getMessage());
            }
        }
    }

    /** @dataProvider provideWrongResources */
    public function testAResourceThatCannotBeLocked(string $resource): void
    {
        $store = $this->getStore();
        $key = new Key($resource);
        $calls = [
            fn () => $store->save($key),
            fn () => $store->waitAndSave($key),
            fn () => $store->saveRead($key),
            fn () => $store->waitAndSaveRead($key),
            fn () => $store->putOffExpiration($key, 20.0),
            fn () => $store->delete($key),
            fn () => $store->exists($key),
        ];
        foreach ($calls as $call) {
            try {
                $call();
                self::fail('It succeeded');
            } catch (InvalidArgumentException $wrong) {
                self::assertStringStartsWith('A lock cannot be of this resource', $wrong->getMessage());
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function provideWrongResources(): iterable
    {
        yield 'empty' => [''];
        yield 'too long' => [str_repeat('x', 2 << 20)];
    }

    public function testATtlThatIsNoNumber(): void
    {
        $store = $this->getStore();
        $key = new Key('mail');
        $store->save($key);
        $this->expectException(InvalidTtlException::class);
        $store->putOffExpiration($key, NAN);
    }

    /** @dataProvider provideWrongTtls */
    public function testTheInitialTtlIsChecked(float $ttl): void
    {
        $this->expectException(InvalidTtlException::class);
        new RLockStore($this->locks, initialTtl: $ttl);
    }

    /** @dataProvider provideWrongTtls */
    public function testTheLeaseIsChecked(float $ttl): void
    {
        $this->expectException(InvalidTtlException::class);
        new RLockStore($this->locks, lease: $ttl);
    }

    /** @return iterable<array{float}> */
    public static function provideWrongTtls(): iterable
    {
        yield from [[0.0], [-1.0], [NAN], [INF], [0.0099], [1.1e9]];
    }

    public function testTheLongestWaitIsChecked(): void
    {
        $this->expectException(InvalidArgumentException::class);
        new RLockStore($this->locks, maxWait: -1.0);
    }

    private function assertConflict(callable $call, ?string $message = null): void
    {
        try {
            $call();
        } catch (LockConflictedException $conflict) {
            $message === null || self::assertSame($message, $conflict->getMessage());
            $this->addToAssertionCount(1);
            return;
        }
        self::fail('There was no conflict');
    }
}
