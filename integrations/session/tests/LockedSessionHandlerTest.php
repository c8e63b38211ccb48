<?php

declare(strict_types=1);

namespace RLock\Session\Tests;

use PHPUnit\Framework\TestCase;
use RLock\NotAcquiredException;
use RLock\Session\LockedSessionHandler;
use RLock\Session\SessionId;
use RLock\Testing\InMemoryLocker;
use RLock\Testing\InMemoryStore;

require_once __DIR__ . '/StoredInMemory.php';

/** The handler's calls, as PHP makes them. */
final class LockedSessionHandlerTest extends TestCase
{
    private StoredInMemory $inner;

    private InMemoryStore $store;

    private InMemoryLocker $locks;

    /** Another request's. */
    private InMemoryLocker $theirs;

    private LockedSessionHandler $handler;

    /** @var list<string> */
    private array $warnings = [];

    protected function setUp(): void
    {
        $this->inner = new StoredInMemory(['abc' => 'stored']);
        $this->store = new InMemoryStore();
        $this->locks = new InMemoryLocker($this->store);
        $this->theirs = new InMemoryLocker($this->store);
        $this->handler = new LockedSessionHandler($this->inner, $this->locks);
        $_SERVER['REQUEST_METHOD'] = 'POST';
        $_SERVER['REQUEST_URI'] = '/checkout?card=1234';
        set_error_handler(function (int $level, string $message): bool {
            $this->warnings[] = $message;
            return true;
        });
    }

    protected function tearDown(): void
    {
        restore_error_handler();
        unset($_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI']);
    }

    private function isLocked(string $id = 'abc'): bool
    {
        return $this->theirs->holder(SessionId::lockOf($id)) !== null;
    }

    public function testItIsLockedFromReadingToClosing(): void
    {
        $this->handler->open('', 'PHPSESSID');
        self::assertFalse($this->isLocked());
        self::assertSame('stored', $this->handler->read('abc'));
        self::assertTrue($this->isLocked());
        self::assertTrue($this->handler->write('abc', 'new'));
        self::assertTrue($this->isLocked());
        self::assertTrue($this->handler->close());
        self::assertFalse($this->isLocked());
        self::assertSame(['open', 'read abc', 'write abc', 'close'], $this->inner->calls);
        self::assertSame([], $this->warnings);
    }

    public function testOthersSeeTheRequestButNoQueryAndNoId(): void
    {
        $this->handler->read('abc');
        $holder = $this->theirs->holder(SessionId::lockOf('abc'));
        self::assertSame('POST /checkout', $holder?->metadata);
        self::assertStringNotContainsString('abc', SessionId::lockOf('abc'));
    }

    public function testWhoStaysBusyIsNamed(): void
    {
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 60.0, metadata: 'GET /slow'));
        try {
            $this->handler->read('abc');
            self::fail('it was read');
        } catch (NotAcquiredException $busy) {
            self::assertSame(
                'The session is still locked after 30 s: ' . gethostname() . ':' . getmypid()
                    . ' holds it for "GET /slow", with 30.0 s left on its lease',
                $busy->getMessage(),
            );
            self::assertSame('GET /slow', $busy->holder?->metadata);
        }
        self::assertSame([], $this->inner->calls);
    }

    /** What logs an exception's trace with its arguments would else log what opens the session, and what is in it. */
    public function testNoTraceHasAnIdOrData(): void
    {
        $former = ini_set('zend.exception_ignore_args', '0');
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 3600.0));
        $refused = [
            fn () => $this->handler->read('abc'),
            fn () => $this->handler->validateId('abc') && $this->handler->read('abc'),
            fn () => $this->handler->write('abc', 'secret'),
            fn () => $this->handler->updateTimestamp('abc', 'secret'),
            fn () => $this->handler->destroy('abc'),
        ];
        foreach ($refused as $call) {
            try {
                $call();
                self::fail('it was not refused');
            } catch (NotAcquiredException $busy) {
                foreach ($busy->getTrace() as $frame) {
                    self::assertNotContains('abc', $frame['args'] ?? [], $frame['function']);
                    self::assertNotContains('secret', $frame['args'] ?? [], $frame['function']);
                }
            }
        }
        ini_set('zend.exception_ignore_args', $former);
    }

    public function testAWaitEndsWithTheOthersLease(): void
    {
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 5.0));
        self::assertSame('stored', $this->handler->read('abc'));
        $this->theirs->releaseAll();
    }

    public function testReadOnlyIfBusy(): void
    {
        $this->handler = new LockedSessionHandler($this->inner, $this->locks, wait: 1.0, readOnlyIfBusy: true);
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), ttl: 60.0));
        self::assertSame('stored', $this->handler->read('abc'));
        self::assertTrue($this->handler->isReadOnly());
        self::assertTrue($this->handler->updateTimestamp('abc', 'stored'));
        self::assertTrue($this->handler->write('abc', 'stored'));
        self::assertSame([], $this->warnings);
        self::assertTrue($this->handler->write('abc', 'changed'));
        self::assertCount(1, $this->warnings);
        self::assertStringContainsString('not written', $this->warnings[0]);
        self::assertSame('stored', $this->inner->sessions['abc']);
        $this->handler->close();
        self::assertFalse($this->handler->isReadOnly());
        self::assertTrue($this->isLocked());

        $this->theirs->releaseAll();
        $this->handler->read('abc');
        self::assertFalse($this->handler->isReadOnly());
        $this->handler->write('abc', 'changed');
        self::assertSame('changed', $this->inner->sessions['abc']);
    }

    public function testALateRequestThatNobodyOvertookWrites(): void
    {
        $this->handler->read('abc');
        $this->store->advance(31.0);
        self::assertTrue($this->handler->write('abc', 'new'));
        self::assertTrue($this->isLocked());
        $this->handler->close();
        self::assertSame('new', $this->inner->sessions['abc']);
        self::assertSame([], $this->warnings);
    }

    public function testALateRequestThatWasOvertakenDoesNotWrite(): void
    {
        $this->handler->read('abc');
        $this->store->advance(31.0);
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('abc'), metadata: 'GET /other'));
        self::assertFalse($this->handler->write('abc', 'new'));
        self::assertSame('stored', $this->inner->sessions['abc']);
        self::assertCount(1, $this->warnings);
        self::assertStringContainsString('another request has had it since it was read', $this->warnings[0]);
        $this->handler->close();
        self::assertCount(1, $this->warnings);
        self::assertTrue($this->isLocked());
    }

    public function testALockThatTheApplicationReleasedIsNotSaidToBeAnothers(): void
    {
        $this->handler->read('abc');
        $this->locks->releaseAll();
        self::assertFalse($this->handler->write('abc', 'new'));
        self::assertSame('stored', $this->inner->sessions['abc']);
        self::assertSame(
            [
                'The session was not written: its lock is no longer held, so it cannot be known whether another request '
                    . 'has had it',
            ],
            $this->warnings,
        );
        $this->handler->close();
        self::assertCount(1, $this->warnings);
    }

    public function testThereIsTimeToWrite(): void
    {
        $this->handler->read('abc');
        $this->store->advance(29.5);
        $this->handler->write('abc', 'new');
        self::assertSame(30.0, $this->locks->ttl(SessionId::lockOf('abc')));
    }

    public function testALockThatIsLostAtTheEndIsTold(): void
    {
        $this->handler->read('abc');
        $this->handler->write('abc', 'new');
        $this->theirs->breakLock(SessionId::lockOf('abc'));
        self::assertTrue($this->handler->close());
        self::assertCount(1, $this->warnings);
    }

    public function testToReadItAgainTakesNoOtherLevel(): void
    {
        $this->handler->read('abc');
        $this->handler->read('abc');
        $this->handler->close();
        self::assertFalse($this->isLocked());
    }

    public function testToReadAnotherGivesBackTheFirst(): void
    {
        $this->handler->read('abc');
        $this->handler->read('def');
        self::assertFalse($this->isLocked('abc'));
        self::assertTrue($this->isLocked('def'));
    }

    public function testWhatIsNotOpenIsLockedWhileItIsWrittenOrDestroyed(): void
    {
        $this->handler = new LockedSessionHandler($this->inner, $this->locks, wait: 10.0);
        $this->handler->read('abc');
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('def'), ttl: 10.0));
        self::assertTrue($this->handler->write('def', 'data'));
        self::assertFalse($this->isLocked('def'));
        $this->theirs->releaseAll();
        self::assertTrue($this->theirs->getLock(SessionId::lockOf('def'), ttl: 100.0));
        $this->expectException(NotAcquiredException::class);
        $this->handler->destroy('def');
    }

    /** @return array<string, array{string}> */
    public static function badIds(): array
    {
        return [
            'empty' => [''],
            'path' => ['../abc'],
            'key' => ['abc:def'],
            'space' => ['abc def'],
            'line end' => ["abc\n"],
            'too long' => [str_repeat('a', 257)],
            'not ASCII' => ["ab\u{e9}"],
        ];
    }

    /** @dataProvider badIds */
    public function testABadIdBecomesNoKey(string $id): void
    {
        self::assertFalse($this->handler->validateId($id));
        self::assertFalse($this->handler->read($id));
        self::assertFalse($this->handler->write($id, 'data'));
        self::assertFalse($this->handler->updateTimestamp($id, 'data'));
        self::assertFalse($this->handler->destroy($id));
        self::assertSame([], $this->inner->calls);
        self::assertCount(1, $this->warnings);
    }

    public function testAGoodIdOfTheGreatestLength(): void
    {
        self::assertSame('', $this->handler->read(str_repeat('aZ9,-', 51) . 'a'));
    }

    public function testWhatTheInnerHandlerThrowsLeavesNoLock(): void
    {
        $inner = $this->createMock(\SessionHandlerInterface::class);
        $inner->method('read')->willThrowException(new \RuntimeException('disk'));
        $handler = new LockedSessionHandler($inner, $this->locks);
        try {
            $handler->read('abc');
            self::fail('it was read');
        } catch (\RuntimeException $failure) {
            self::assertSame('disk', $failure->getMessage());
        }
        self::assertFalse($this->isLocked());
    }

    public function testAWriteThatThrowsLeavesNoLock(): void
    {
        $inner = $this->createMock(\SessionHandlerInterface::class);
        $inner->method('read')->willReturn('data');
        $inner->method('write')->willThrowException(new \RuntimeException('disk'));
        $handler = new LockedSessionHandler($inner, $this->locks);
        $handler->read('abc');
        try {
            $handler->write('abc', 'new');
            self::fail('it was written');
        } catch (\RuntimeException $failure) {
            self::assertSame('disk', $failure->getMessage());
        }
        self::assertFalse($this->isLocked());
    }

    public function testALostSessionIsNoObstacleToTheNext(): void
    {
        $this->handler->read('abc');
        $this->theirs->breakLock(SessionId::lockOf('abc'));
        self::assertSame('', $this->handler->read('def'));
        self::assertTrue($this->isLocked('def'));
        self::assertCount(1, $this->warnings);
    }

    public function testWhatTheInnerHandlerCanDoIsLeftToIt(): void
    {
        $inner = new class extends \SessionHandler implements \SessionUpdateTimestampHandlerInterface {
            public function create_sid(): string
            {
                return 'made';
            }

            public function validateId(string $id): bool
            {
                return $id === 'known';
            }

            public function updateTimestamp(string $id, string $data): bool
            {
                return $id === 'touched';
            }
        };
        $handler = new LockedSessionHandler($inner, $this->locks);
        self::assertSame('made', $handler->create_sid());
        self::assertTrue($handler->validateId('known'));
        self::assertFalse($handler->validateId('unknown'));
        self::assertTrue($handler->updateTimestamp('touched', ''));
        self::assertSame(17, $this->handler->gc(1));
    }
}
