<?php

declare(strict_types=1);

namespace RLock\Client\Tests;

use PHPUnit\Framework\TestCase;
use RLock\Client\Interruption;

// Servers, certificates, and what is shared with the extension's own tests.
require_once __DIR__ . '/../../../tests/tls/tls.inc';

/**
 * What the conformance suite cannot see: refusals, addresses, and how objects and processes end.
 *
 * @group no-extension
 */
final class RLockTest extends TestCase
{
    private string $key;

    protected function setUp(): void
    {
        $this->key = unique_key();
    }

    /** @return array<string, array{\Closure(): mixed, string}> */
    public static function unsupported(): array
    {
        return [
            'autoRenew' => [fn () => new \RLock(shared_url(), autoRenew: true), 'autoRenew'],
            'interrupt' => [fn () => new \RLock(shared_url(), interrupt: true), 'interrupt'],
            'replicas' => [fn () => new \RLock(shared_url(), replicas: 1), 'replicas'],
            'durable' => [fn () => new \RLock(shared_url(), durable: true), 'durable'],
            'a majority' => [fn () => new \RLock([shared_url(), shared_url(), shared_url()]), 'majorities'],
            'Sentinel' => [fn () => new \RLock('sentinel://127.0.0.1/main'), 'needs the extension'],
            'a cluster' => [fn () => new \RLock('cluster://127.0.0.1'), 'needs the extension'],
            'a share' => [fn () => (new \RLock(shared_url()))->getSharedLock('k'), 'shared locks'],
            'a name' => [fn () => (new \RLock(shared_url()))->detached('k', 'name'), 'locks by name'],
            'an event loop' => [fn () => (new \RLock(shared_url()))->requestLock('k'), 'requestLock()'],
        ];
    }

    /** @dataProvider unsupported */
    public function testItSaysWhatOnlyTheExtensionHas(\Closure $call, string $what): void
    {
        $this->expectException(\RLock\RLockException::class);
        $this->expectExceptionMessage($what);
        $call();
    }

    public function testAnAddressThatCannotBeReadIsRefused(): void
    {
        $this->expectException(\ValueError::class);
        new \RLock('http://127.0.0.1');
    }

    public function testAPasswordIsSaid(): void
    {
        $server = \TestServer::start(['--requirepass', 'open sesame']);
        $locks = new \RLock("unix://$server->socket?password=open%20sesame");
        self::assertTrue($locks->getLock('k'));
        self::assertTrue($locks->releaseLock('k'));
        try {
            (new \RLock("unix://$server->socket?password=wrong"))->getLock('k');
            self::fail('A wrong password was taken');
        } catch (\RLock\ServerException $e) {
            self::assertSame('WRONGPASS', $e->error);
            self::assertStringNotContainsString('wrong', $e->getMessage());
        }
    }

    public function testALockIsTakenOverTls(): void
    {
        $authority = new \Authority();
        $server = new \TlsServer($authority, $authority->sign('server', 'IP:127.0.0.1'));
        $locks = new \RLock("rediss://127.0.0.1:$server->port?cafile=$authority->file");
        self::assertTrue($locks->getLock('k', metadata: str_repeat('m', 65536)));
        self::assertTrue($locks->releaseLock('k'));
        $this->expectException(\RLock\ConnectionException::class);
        (new \RLock("rediss://127.0.0.1:$server->port?timeout=0.3"))->getLock('k');
    }

    public function testItMeetsTheExtensionsDefaults(): void
    {
        $locks = new \RLock(shared_url());
        self::assertTrue($locks->getLock($this->key));
        self::assertSame($locks->lease($this->key)?->fence, (int) shared_client()('GET', fence_key($this->key)));
        self::assertEqualsWithDelta(30.0, $locks->ttl($this->key), 3.0);
    }

    public function testAnObjectsEndGivesBack(): void
    {
        $locks = new \RLock(shared_url());
        self::assertTrue($locks->getLock($this->key));
        unset($locks);
        self::assertNull(shared_client()('GET', lock_key($this->key)));
    }

    public function testWhereNobodyAnswersAllAreLetGoWithinOneDeadline(): void
    {
        $server = \TestServer::start();
        $locks = new \RLock("unix://$server->socket?timeout=0.5");
        array_map(fn (int $i) => self::assertTrue($locks->getLock("k$i")), range(1, 5));
        $server->client()('CLIENT', 'PAUSE', 60_000, 'WRITE');
        $began = hrtime(true);
        try {
            $locks->releaseAll();
            self::fail('Somebody has answered');
        } catch (\RLock\ConnectionException) {
            self::assertLessThan(1.5, (hrtime(true) - $began) / 1e9);
        }
        self::assertNull($locks->lease('k5'));
        $server->client()('CLIENT', 'UNPAUSE');
        $locks->close(); // is a contact, at which they are given back
        self::assertSame(0, $server->client()('EXISTS', ...array_map(fn (int $i) => lock_key("k$i"), range(1, 5))));
    }

    /** @requires extension pcntl */
    public function testAHandlerUsesTheObjectWhileARequestIsUnderWay(): void
    {
        $server = \TestServer::start();
        $locks = new \RLock("unix://$server->socket");
        self::assertTrue($locks->getLock('first'));
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, fn () => self::assertTrue($locks->getLock('inner')));
        $server->client()('CLIENT', 'PAUSE', 400, 'ALL');
        $parent = getmypid();
        $child = pcntl_fork();
        if ($child === 0) {
            usleep(100_000);
            posix_kill($parent, SIGUSR1);
            posix_kill(getmypid(), SIGKILL);
        }
        try {
            self::assertTrue($locks->getLock('outer'));
            self::assertSame([true, true], [$locks->isLocking('outer'), $locks->isLocking('inner')]);
        } finally {
            pcntl_waitpid($child, $status);
            pcntl_signal(SIGUSR1, SIG_DFL);
        }
    }

    public function testAClosedObjectThrows(): void
    {
        $locks = new \RLock(shared_url());
        self::assertTrue($locks->getLock($this->key));
        $locks->close();
        self::assertNull(shared_client()('GET', lock_key($this->key)));
        $this->expectExceptionMessage('closed');
        $locks->getLock($this->key);
    }

    public function testSynchronizedTellsALossWithItsResult(): void
    {
        $locks = new \RLock(shared_url());
        try {
            $locks->synchronized($this->key, function () {
                shared_client()('DEL', lock_key($this->key));
                return 'done';
            });
            self::fail('The loss was not told');
        } catch (\RLock\LostLockException $e) {
            self::assertSame([$this->key, 'done'], [$e->key, $e->result]);
        }
        $this->expectException(\RLock\LostLockException::class);
        $locks->check($this->key);
    }

    public function testWhoIsBusyIsNamed(): void
    {
        $holder = new \RLock(shared_url());
        self::assertTrue($holder->getLock($this->key));
        try {
            (new \RLock(shared_url()))->synchronized($this->key, fn () => self::fail('It was taken'));
        } catch (\RLock\NotAcquiredException $e) {
            self::assertSame(gethostname() . ':' . getmypid(), $e->holder?->owner);
            self::assertStringNotContainsString(secret((string) $holder->lease($this->key)?->token), $e->getMessage());
        }
    }

    /** @requires extension pcntl */
    public function testAChildHasNoneOfItsParentsLocks(): void
    {
        $locks = new \RLock(shared_url());
        self::assertTrue($locks->getLock($this->key));
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $locks->releaseLock($this->key);
                $status = 1;
            } catch (\RLock\RLockException) {
                $status = $locks->getLock("$this->key-2") && $locks->releaseLock("$this->key-2") ? 0 : 2;
            }
            unset($locks);
            posix_kill(getmypid(), $status === 0 ? SIGKILL : SIGABRT); // none of PHPUnit's own end
        }
        pcntl_waitpid($child, $status);
        self::assertSame(SIGKILL, pcntl_wtermsig($status));
        self::assertTrue($locks->isLocking($this->key));
    }

    /** @requires extension pcntl */
    public function testAnExceptionThatEndsAWaitLeavesNothingBehind(): void
    {
        $holder = new \RLock(shared_url());
        self::assertTrue($holder->getLock($this->key));
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, fn () => throw new \LogicException('enough'));
        pcntl_alarm(1);
        try {
            (new \RLock(shared_url()))->getLock($this->key, wait: 10.0);
            self::fail('The wait went on');
        } catch (\LogicException $e) {
            self::assertSame('enough', $e->getMessage());
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
        }
        self::assertTrue($holder->releaseLock($this->key));
        self::assertTrue($holder->getLock($this->key, wait: 2.0)); // a baton that nobody wants is over after a second
        self::assertTrue($holder->releaseLock($this->key));
    }

    /**
     * @runInSeparateProcess
     * @preserveGlobalState disabled
     */
    public function testAnExceptionBetweenAnyTwoStepsLeavesNothingBehind(): void
    {
        require __DIR__ . '/interrupted.php';
        $other = new \RLock(shared_url());
        for ($after = 0, $threw = true; $threw; $after++) {
            $locks = new \RLock(shared_url());
            $lock = "$this->key:$after";
            $threw = false;
            Interruption::$after = $after;
            try {
                $locks->getLock($lock) && $locks->releaseLock($lock);
            } catch (\LogicException) {
                $threw = true;
            }
            Interruption::$after = null;
            unset($locks);
            self::assertNull($other->holder($lock), "after $after readings of the clock");
        }
        self::assertGreaterThan(10, $after);
    }

    public function testItWaitsAlsoBehindTheFirst1024Descriptors(): void
    {
        $files = array_filter(array_map(fn () => @fopen('/dev/null', 'r'), range(1, 1024)));
        count($files) === 1024 || self::markTestSkipped('This process may not have so many files open');
        $holder = new \RLock(shared_url());
        $locks = new \RLock(shared_url());
        self::assertTrue($holder->getLock($this->key));
        self::assertFalse($locks->getLock($this->key, wait: 0.3));
        self::assertTrue($holder->releaseLock($this->key));
        self::assertTrue($locks->getLock($this->key, wait: 5.0));
    }

    /** @requires extension pcntl */
    public function testSignalsEndNoRequestBeforeItsTime(): void
    {
        $server = \TestServer::start();
        $locks = new \RLock("unix://$server->socket?timeout=10");
        self::assertTrue($locks->getLock('first'));
        $signals = 0;
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () use (&$signals): void {
            $signals++;
        });
        $client = $server->client();
        $connections = $client->info('total_connections_received');
        $client('CLIENT', 'PAUSE', 1000, 'ALL');
        $parent = getmypid();
        $child = pcntl_fork();
        for ($i = 0; $child === 0 && $i < 40; $i++) {
            posix_kill($parent, SIGUSR1);
            usleep(20_000);
        }
        $child === 0 && posix_kill(getmypid(), SIGKILL);
        try {
            self::assertTrue($locks->getLock('k'));
            self::assertGreaterThan(5, $signals);
            self::assertSame($connections, $client->info('total_connections_received'), 'it began anew');
        } finally {
            pcntl_waitpid($child, $status);
            pcntl_signal(SIGUSR1, SIG_DFL);
        }
    }

    /** @requires extension pcntl */
    public function testAWaitRidesOutAServerThatIsAReplicaForAWhile(): void
    {
        $server = \TestServer::start();
        $client = $server->client();
        $client('SET', 'lock@k', 'taken', 'PX', 60_000);
        $child = pcntl_fork();
        if ($child === 0) {
            $other = $server->client();
            $other->awaitBlocked(1);
            $other('REPLICAOF', '127.0.0.1', free_port());
            usleep(700_000); // longer than a call
            $other('REPLICAOF', 'NO', 'ONE');
            $other('DEL', 'lock@k');
            posix_kill(getmypid(), SIGKILL);
        }
        try {
            $locks = new \RLock("unix://$server->socket?timeout=0.2");
            self::assertTrue($locks->getLock('k', wait: 10.0));
            self::assertTrue($locks->releaseLock('k'));
        } finally {
            pcntl_waitpid($child, $status);
        }
    }
}
