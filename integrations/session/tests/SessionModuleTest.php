<?php

declare(strict_types=1);

namespace RLock\Session\Tests;

use PHPUnit\Framework\TestCase;
use RLock\ConnectionException;
use RLock\Locker;
use RLock\NotAcquiredException;
use RLock\Session\LockedSessionHandler;
use RLock\Session\SessionId;
use RLock\Testing\InMemoryLocker;
use RLock\Testing\InMemoryStore;

require_once __DIR__ . '/StoredInMemory.php';

/**
 * PHP's session functions with the handler.
 *
 * @runTestsInSeparateProcesses
 * @preserveGlobalState disabled
 */
final class SessionModuleTest extends TestCase
{
    private StoredInMemory $inner;

    private InMemoryLocker $locks;

    private InMemoryLocker $theirs;

    protected function setUp(): void
    {
        ini_set('session.use_cookies', '0');
        ini_set('session.cache_limiter', '');
        $store = new InMemoryStore();
        $this->inner = new StoredInMemory(['abc' => 'count|i:1;']);
        $this->locks = new InMemoryLocker($store);
        $this->theirs = new InMemoryLocker($store);
        session_set_save_handler(new LockedSessionHandler($this->inner, $this->locks));
    }

    private function isLocked(string $id): bool
    {
        return $this->theirs->holder(SessionId::lockOf($id)) !== null;
    }

    private function startBusy(): NotAcquiredException
    {
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 100.0, metadata: 'GET /slow'));
        try {
            session_id('abc');
            session_start();
        } catch (NotAcquiredException $busy) {
            return $busy;
        }
        self::fail('it was started');
    }

    /** @return array<string, array{string}> */
    public static function modes(): array
    {
        return ['takes any id' => ['0'], 'strict' => ['1']];
    }

    /** @dataProvider modes */
    public function testASessionFromStartToEnd(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        session_id('abc');
        session_start();
        self::assertSame(['count' => 1], $_SESSION);
        self::assertTrue($this->isLocked('abc'));
        $_SESSION['count']++;
        session_write_close();
        self::assertFalse($this->isLocked('abc'));
        self::assertSame('count|i:2;', $this->inner->sessions['abc']);
        self::assertSame(['open', 'read abc', 'write abc', 'close'], $this->inner->calls);
    }

    /** @dataProvider modes */
    public function testABusySessionIsNotStarted(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        $busy = $this->startBusy();
        self::assertSame('GET /slow', $busy->holder?->metadata);
        self::assertSame(PHP_SESSION_NONE, session_status());
        $this->theirs->releaseAll();
        session_id('abc');
        self::assertTrue(session_start());
    }

    /** @dataProvider modes */
    public function testReadAndCloseNeedsNoLock(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        $this->startBusy();
        session_id('abc');
        self::assertTrue(session_start(['read_and_close' => true]));
        self::assertSame(['count' => 1], $_SESSION);
        self::assertSame(PHP_SESSION_NONE, session_status());
        self::assertSame(['open', 'read abc', 'close'], array_slice($this->inner->calls, -3));
    }

    /** @dataProvider modes */
    public function testWithoutLocksThereIsNoSession(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        $locks = $this->createMock(Locker::class);
        $locks->method('getLock')->willThrowException(new ConnectionException('Redis is away'));
        session_set_save_handler(new LockedSessionHandler($this->inner, $locks));
        session_id('abc');
        try {
            session_start();
            self::fail('it was started');
        } catch (ConnectionException) {
            self::assertSame(PHP_SESSION_NONE, session_status());
            self::assertSame(['open'], $this->inner->calls);
        }
    }

    public function testReadAndCloseThatIsOff(): void
    {
        session_id('abc');
        session_start(['read_and_close' => false]);
        self::assertTrue($this->isLocked('abc'));
    }

    public function testReadAndCloseWithoutALockInBetween(): void
    {
        session_id('abc');
        session_start(['read_and_close' => true]);
        session_start();
        self::assertTrue($this->isLocked('abc'));
    }

    /** @dataProvider modes */
    public function testANewIdHasALockOfItsOwn(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        session_id('abc');
        session_start();
        session_regenerate_id(true);
        self::assertFalse($this->isLocked('abc'));
        self::assertArrayNotHasKey('abc', $this->inner->sessions);
        self::assertTrue($this->isLocked((string) session_id()));
        session_write_close();
        self::assertFalse($this->isLocked((string) session_id()));
        self::assertSame('count|i:1;', $this->inner->sessions[(string) session_id()]);
    }

    public function testTheFormerIdIsWrittenUnderItsLock(): void
    {
        session_id('abc');
        session_start();
        $_SESSION['count'] = 5;
        session_regenerate_id();
        self::assertSame('count|i:5;', $this->inner->sessions['abc']);
        self::assertFalse($this->isLocked('abc'));
        self::assertTrue($this->isLocked((string) session_id()));
    }

    public function testToDestroyGivesBack(): void
    {
        session_id('abc');
        session_start();
        session_destroy();
        self::assertFalse($this->isLocked('abc'));
        self::assertSame([], $this->inner->sessions);
    }

    public function testToAbortGivesBack(): void
    {
        session_id('abc');
        session_start();
        $_SESSION['count'] = 5;
        session_abort();
        self::assertFalse($this->isLocked('abc'));
        self::assertSame('count|i:1;', $this->inner->sessions['abc']);
    }

    /** @dataProvider modes */
    public function testToResetKeepsTheLock(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        session_start();
        $id = session_id();
        session_reset();
        self::assertSame($id, session_id());
        self::assertTrue($this->isLocked((string) $id));
        session_write_close();
        self::assertFalse($this->isLocked((string) $id));
    }

    /** @dataProvider modes */
    public function testToMakeAnotherIdKeepsTheLock(string $strict): void
    {
        ini_set('session.use_strict_mode', $strict);
        session_id('abc');
        session_start();
        self::assertIsString(session_create_id());
        self::assertTrue($this->isLocked('abc'));
    }

    public function testStrictModeTakesNoUnknownId(): void
    {
        ini_set('session.use_strict_mode', '1');
        session_id('unknown');
        session_start();
        self::assertNotSame('unknown', session_id());
        self::assertFalse($this->isLocked('unknown'));
        self::assertTrue($this->isLocked((string) session_id()));
    }

    /** As Symfony's handlers do, which read while they validate. */
    public function testItIsLockedWhenTheInnerHandlerValidates(): void
    {
        ini_set('session.use_strict_mode', '1');
        $inner = new class (fn (): bool => $this->isLocked('abc')) implements
            \SessionHandlerInterface,
            \SessionUpdateTimestampHandlerInterface
        {
            /** @var list<bool> */
            public array $locked = [];

            public function __construct(private readonly \Closure $isLocked)
            {
            }

            public function open(string $path, string $name): bool
            {
                return true;
            }

            public function validateId(string $id): bool
            {
                $this->locked[] = ($this->isLocked)();
                return $id === 'abc';
            }

            public function read(string $id): string
            {
                return '';
            }

            public function write(string $id, string $data): bool
            {
                return true;
            }

            public function updateTimestamp(string $id, string $data): bool
            {
                return true;
            }

            public function destroy(string $id): bool
            {
                return true;
            }

            public function close(): bool
            {
                return true;
            }

            public function gc(int $max_lifetime): int
            {
                return 0;
            }
        };
        session_set_save_handler(new LockedSessionHandler($inner, $this->locks));
        session_id('abc');
        session_start();
        self::assertSame('abc', session_id());
        self::assertSame([true], $inner->locked);
        session_write_close();
        self::assertFalse($this->isLocked('abc'));

        $this->startBusy();
        self::assertSame([true], $inner->locked);
    }

    public function testReadOnlyWaitsOnce(): void
    {
        ini_set('session.use_strict_mode', '1');
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 100.0));
        session_set_save_handler(new LockedSessionHandler($this->inner, $this->locks, wait: 10.0, readOnlyIfBusy: true));
        session_id('abc');
        session_start();
        self::assertSame(['count' => 1], $_SESSION);
        self::assertSame(90.0, $this->theirs->ttl(SessionId::lockOf('abc')));
    }

    public function testABadIdStartsNothing(): void
    {
        session_id('a:b');
        self::assertFalse(@session_start());
        self::assertSame(PHP_SESSION_NONE, session_status());
    }
}
