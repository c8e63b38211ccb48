<?php

/**
 * What the extension rlock declares, for IDEs and analysers. It is not to be loaded.
 *
 * Made from src/php/rlock.stub.php by integrations/stubs/generate.
 *
 * Times are seconds as floats, fractions count; they become whole milliseconds, rounded up.
 * Refused with a ValueError before anything is sent: an empty key, a key or prefix over 1 MiB, NaN, a
 * negative time, an infinite time other than `wait: INF`, a ttl under 0.001 or over 1000000000.
 *
 * Every method that takes part in locking may throw, besides what it names:
 * RLock\ConnectionException (no connection, the deadline `timeout` has passed, or the answer made
 * no sense), RLock\ServerException (the server refused, with its error's name in $error), and
 * RLock\RLockException (the object is closed or was never constructed; the lock was taken before
 * fork() and belongs to the parent process). After releaseLock(confirm: false) the next call may
 * throw what became of that lock, a TimeoutException, a LostLockException, or (the server refused
 * the release) a ServerException, with the $key of that lock, and has then done nothing itself.
 */

namespace {

    /**
     * An owner of locks on Redis.
     *
     * Its locks are re-entrant: each getLock() on a key that it holds goes one level deeper, each
     * releaseLock() one back. Two objects exclude each other, even in one process. What is still
     * held when the object is destroyed or the request ends, however it ends, is released then; an
     * object that is still referenced when PHP calls destructors releases after the session is written.
     */
    final class RLock implements RLock\Locker
    {
        /**
         * If the present lease outlasts `wait`, give up at once.
         *
         * @var int
         */
        public const POLICY_FAIL_FAST = 0;

        /**
         * Keep trying until `wait` is used up, even if the present lease is longer: it may be
         * released early.
         *
         * @var int
         */
        public const POLICY_WAIT = 1;

        /**
         * Does no I/O: the first use connects. null means the ini setting of the same name.
         *
         * @param string|array<string>|null $servers one address (redis://[[user]:pass@]host[:6379][/db],
         *        unix:///path/to/socket[?db=N&user=...&password=...];
         *        sentinel://[user:pass@]h1[:26379],h2/master-name[?db=N&sentinel_password=...];
         *        cluster://[user:pass@]h1[:6379],h2; options of all: connect_timeout,
         *        timeout in seconds, persistent as 0 or 1), or an array of addresses of independent
         *        masters, 2 to 15, of which a majority decides: then there is no fence
         * @param string|null $prefix put before every key; at most 1 MiB
         * @param float|null $ttl the lease in seconds where a call names none, 0.001 to 1000000000
         * @param bool $autoRenew a background thread of the process keeps the leases alive, at a third of
         *        their length, until they are given back; it never takes a lock anew
         * @param bool $interrupt once a lease is known to be lost, or its time is up,
         *        RLock\LostLockException or RLock\TimeoutException is thrown in the running PHP code,
         *        once, at the next safe point: a turn of a loop, a call, a call's end. Its $holder is null.
         *        One call of an internal function is not cut short; nothing is thrown at the script's end
         * @param float|null $maxHold autoRenew stops this many seconds after the lock was taken, and the
         *        lease then ends by itself; without autoRenew it means nothing. null: no end
         * @param RLock\RetryStrategy|null $retry adds tries of its own to a wait, for keys that
         *        clients of other libraries lock, whose release wakes nobody; its end ends the wait.
         *        null leaves it to the wake-up by the release and a look at least once a second
         * @param int $replicas a lock counts once so many replicas have acknowledged it, and so does a
         *        prolongation; with too few it is given back and an RLock\ServerException thrown,
         *        NOREPLICAS. Must be 0 with an array of several servers
         *
         * @throws ValueError an argument out of range, an address that cannot be read, or a socket or file
         *         in it that open_basedir does not allow
         * @throws RLock\RLockException an argument or kind of address that is not supported; `interrupt`
         *         in a build of PHP that does not survive it
         */
        public function __construct(
            #[\SensitiveParameter] string|array|null $servers = null,
            ?string $prefix = null,
            ?float $ttl = null,
            bool $autoRenew = false,
            bool $interrupt = false,
            ?float $maxHold = null,
            ?RLock\RetryStrategy $retry = null,
            int $replicas = 0,
        ) {}

        public function getLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
        ): bool {}

        public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool {}

        public function prolongate(string $key, ?float $ttl = null): bool {}

        public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool {}

        public function releaseAll(): bool {}

        public function synchronized(string $key, callable $critical, float $wait = 0.0, ?float $ttl = null): mixed {}

        public function isLocking(string $key): bool {}

        public function ttl(string $key): float {}

        public function check(string $key): void {}

        public function lease(string $key): ?RLock\Lease {}

        public function holder(string $key): ?RLock\Holder {}

        public function handOver(string $key, ?float $ttl = null): string {}

        public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool {}

        public function breakLock(string $key): bool {}

        /**
         * Counters since construction, without I/O: "acquired", "busy", "waits", "wait_seconds"
         * (a float), "renewals", "timeouts", "lost", "reconnects", "requests".
         *
         * @return array{acquired: int, busy: int, waits: int, wait_seconds: float, renewals: int, timeouts: int, lost: int, reconnects: int, requests: int}
         *
         * @throws RLock\RLockException the object is closed
         */
        public function stats(): array {}

        /**
         * Releases everything held, within one deadline, and closes what is not shared with others.
         * Afterwards every method but close() throws RLock\RLockException. A lock that was late is
         * counted, not thrown.
         *
         * @throws RLock\TimeoutException an earlier releaseLock(confirm: false) turned out to have
         *         been late; the object is closed all the same. One that turns out only now is an E_WARNING
         * @throws RLock\LostLockException likewise
         * @throws RLock\ConnectionException a release could not be sent or was not answered; the
         *         object is closed all the same
         * @throws RLock\ServerException the server refused a release; likewise
         */
        public function close(): void {}
    }
}

namespace RLock {

    /**
     * What application code should ask for, and what tests replace.
     */
    interface Locker
    {
        /**
         * Takes the lock, waiting for it if need be. True only if the lease is still safe when the
         * answer arrives. On a key that this object holds: asks the server, sets the lease to the
         * longer of what is left and `ttl`, and goes one level deeper; the metadata stays as it was.
         * The same where a signal handler, a strategy, or another fiber takes it for this object while
         * this call waits for it.
         *
         * @param string $key not empty; any bytes, at most 1 MiB
         * @param float $wait how long to try, in seconds: 0.0 asks once, INF waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: as constructed
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         *
         * @return bool false: it stayed busy
         *
         * @throws TimeoutException the lease that we held already had run out; nobody else has had
         *         it since; the key is no longer held
         * @throws LostLockException the same, but another has had it, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function getLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
        ): bool;

        /**
         * Goes one level back, without I/O while the lease is surely safe, and gives the lock back
         * at the last. After an exception the lock is no longer ours.
         *
         * With `confirm: false` a verdict or a refusal that comes later is thrown by the next call of this
         * object, before that does anything; if there is none, it is an E_WARNING when the object ends.
         *
         * @param string $key not empty
         * @param float $delayAfter keeps the key unavailable to all, this object too, for so many
         *        seconds after the last level, 0.0 to 1000000000
         * @param bool $confirm false: sends the release and does not wait; true then means "sent, in
         *        time by our clock". Ignored once the lease has run out
         *
         * @return bool false: this object does not hold it (no I/O)
         *
         * @throws TimeoutException the lease had run out; nobody else has had the lock since
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool;

        /**
         * Sets the lease to `ttl` from now, also when that is shorter.
         *
         * @param string $key not empty
         * @param float|null $ttl the new lease in seconds, 0.001 to 1000000000; null: as constructed
         *
         * @return bool false: this object does not hold it (no I/O)
         *
         * @throws TimeoutException the lease had run out, nobody took it, and it is ours again
         *         ($held is true)
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function prolongate(string $key, ?float $ttl = null): bool;

        /**
         * Takes all of these locks or none, in sorted order so that two callers cannot block each
         * other. Duplicates count once, an int is its decimal string, an empty array is true.
         * While it waits for one the leases of those before it are prolonged; a longer lease that
         * was held before is not shortened.
         *
         * @param array<string|int> $keys strings or ints, none empty
         * @param float $wait how long to try, in seconds, for all together; INF waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: as constructed
         *
         * @return bool false: one stayed busy; the depths are as before
         *
         * @throws TimeoutException as getLock(), with the $key that it is about
         * @throws LostLockException as getLock(), with the $key that it is about
         * @throws \ValueError an argument out of range
         * @throws \TypeError an element that is neither string nor int
         */
        public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool;

        /**
         * Gives back everything held, all levels, within one deadline; afterwards nothing is held.
         *
         * @return bool true if every one was still ours; a late one is counted, not thrown
         *
         * @throws TimeoutException an earlier releaseLock(confirm: false) turned out to have been
         *         late; everything is given back all the same
         * @throws LostLockException likewise
         * @throws ConnectionException a release could not be sent or was not answered
         * @throws ServerException the server refused a release
         */
        public function releaseAll(): bool;

        /**
         * Calls `$critical(Lease $lease)` under the lock and returns what it returns. Releases
         * always, also when it throws.
         *
         * @param string $key not empty; any bytes
         * @param callable(Lease): T $critical
         * @param float $wait how long to try, in seconds: 0.0 asks once, INF waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: as constructed
         *
         * @template T
         * @return T
         *
         * @throws NotAcquiredException it stayed busy; `$critical` was not called
         * @throws TimeoutException the lease had run out when it was given back; what `$critical`
         *         threw is the previous exception
         * @throws LostLockException likewise, and another has had the lock, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function synchronized(string $key, callable $critical, float $wait = 0.0, ?float $ttl = null): mixed;

        /**
         * Asks the server whether the lock is ours now.
         *
         * @param string $key not empty
         *
         * @throws \ValueError an empty key
         */
        public function isLocking(string $key): bool;

        /**
         * Asks the server how many seconds of our lease are left; 0.0 if it is not ours, INF if somebody
         * took its expiry away.
         *
         * @param string $key not empty
         *
         * @throws \ValueError an empty key
         */
        public function ttl(string $key): float;

        /**
         * For loops: returns if the lock is surely ours, without I/O while its lease is surely
         * safe; else throws. For a lost key it throws again at every call, until the key is taken
         * anew. Right after a wait the server's last answer, which makes the lease a whole one, may
         * still be on its way: it is waited for.
         *
         * @param string $key not empty
         *
         * @throws TimeoutException our lease ran out; nobody else has had the lock since
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws ConnectionException that answer did not come; the lock is held for now
         * @throws RLockException a key that is not held
         * @throws \ValueError an empty key
         */
        public function check(string $key): void;

        /**
         * What this object holds, without I/O; null if it does not hold the key. Right after a wait the
         * answer that tells how much of the lease is left may still be on its way: it is waited for.
         *
         * @param string $key not empty
         *
         * @throws \ValueError an empty key
         */
        public function lease(string $key): ?Lease;

        /**
         * Asks the server who holds the lock; null if it is free.
         *
         * @param string $key not empty
         *
         * @throws \ValueError an empty key
         */
        public function holder(string $key): ?Holder;

        /**
         * Gives our lock away, all levels: returns the token that adopt() takes, once, in any
         * process. Fence and metadata stay. What nobody adopts ends with its lease.
         *
         * @param string $key not empty
         * @param float|null $ttl a new lease in seconds, 0.001 to 1000000000; null keeps what is left
         *
         * @return string secret, for whoever has it can adopt the lock
         *
         * @throws TimeoutException as releaseLock()
         * @throws LostLockException as releaseLock()
         * @throws RLockException a key that is not held
         * @throws \ValueError an argument out of range
         */
        public function handOver(string $key, ?float $ttl = null): string;

        /**
         * Takes over a lock by its token, from handOver() or Lease::$token, and puts our own in its
         * place; whoever used it before learns LostLockException.
         *
         * @param string $key not empty
         * @param string $token of that key's present lock
         * @param float|null $ttl a new lease in seconds, 0.001 to 1000000000; null keeps what is left
         *
         * @return bool false: the token does not hold the key
         *
         * @throws \ValueError an argument out of range
         */
        public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool;

        /**
         * Administration: frees the lock whoever holds it, also one of another library or of the
         * wrong type; the holder learns LostLockException, and who waits has it at once.
         *
         * @param string $key not empty
         *
         * @return bool false: it was free
         *
         * @throws \ValueError an empty key
         */
        public function breakLock(string $key): bool;
    }

    /**
     * A lock that we hold, as it was when it was asked for. var_dump() and its kin hide the token.
     */
    final class Lease
    {
        public readonly string $key;

        /** What the server holds for us; secret, for whoever has it can free or adopt the lock. */
        public readonly string $token;

        /** Rises with every grant of the key; null if the server gave none. */
        public readonly ?int $fence;

        /** How often it was taken and not yet given back. */
        public readonly int $depth;

        /** Seconds that were left when this object was made, by the local clock; 0.0 or more. */
        public readonly float $ttl;

        public readonly ?string $metadata;

        /**
         * For tests; RLock::lease() makes the real ones.
         */
        public function __construct(
            string $key,
            #[\SensitiveParameter] string $token,
            ?int $fence = null,
            int $depth = 1,
            float $ttl = 0.0,
            ?string $metadata = null,
        ) {}
    }

    /**
     * Who held a lock when the server was asked.
     */
    final class Holder
    {
        public readonly string $key;

        /** "host:pid"; "" for a lock of another library, one handed over and not adopted yet, and a delayAfter. */
        public readonly string $owner;

        public readonly ?int $fence;

        /** Seconds that were left; null: it never expires. */
        public readonly ?float $ttl;

        public readonly ?string $metadata;

        /** Somebody is known to wait for it. */
        public readonly bool $contended;

        /**
         * For tests; RLock::holder() makes the real ones.
         */
        public function __construct(
            string $key,
            string $owner,
            ?int $fence = null,
            ?float $ttl = null,
            ?string $metadata = null,
            bool $contended = false,
        ) {}
    }

    /**
     * When to try again for a lock that is busy.
     */
    interface RetryStrategy
    {
        /**
         * Seconds before retry number $attempt, of which less than 0.001 counts as 0.001; INF: no retry
         * of its own; null: no more, which ends the wait. An exception ends the wait, too. May use the
         * lock that waits, but calls that wait within each other throw RLockException beyond 100.
         *
         * @param int $attempt 1 after the first refusal
         */
        public function nextBackoff(int $attempt): ?float;
    }

    /**
     * The built-in strategies. Immutable.
     */
    final class Retry implements RetryStrategy
    {
        private function __construct() {}

        /**
         * Asks once, whatever `wait` says.
         */
        public static function none(): Retry {}

        /**
         * The same delay before every retry.
         *
         * @param float $delay seconds; a wait counts less than 0.001 as 0.001
         *
         * @throws \ValueError NaN, negative or infinite
         */
        public static function linear(float $delay): Retry {}

        /**
         * 2 ** $attempt milliseconds, but never under `min` or over `max`.
         *
         * @param float $min seconds
         * @param float $max seconds, not under `min`
         *
         * @throws \ValueError NaN, negative, infinite, or `max` under `min`
         */
        public static function exponential(float $min, float $max): Retry {}

        /**
         * The same strategy with at most so many retries, which makes one request more.
         *
         * @param int $retries 0 or more
         *
         * @throws \ValueError a negative number
         */
        public function limit(int $retries): Retry {}

        /**
         * @param int $attempt 1 or more
         *
         * @throws \ValueError an attempt under 1
         */
        public function nextBackoff(int $attempt): ?float {}
    }

    /**
     * All that this library throws but ValueError and TypeError.
     */
    class RLockException extends \Exception
    {
        /** The lock that it is about, if it is about one. */
        public readonly ?string $key;

        public function __construct(string $message = "", ?string $key = null, ?\Throwable $previous = null) {}
    }

    /**
     * Our lease ran out; no client of this library has had the lock since.
     */
    class TimeoutException extends RLockException
    {
        /** Seconds after the deadline; 0.0 when it was lost before. */
        public readonly float $lateBy;

        /** True after prolongate(): it is ours again. */
        public readonly bool $held;

        public function __construct(
            string $message = "",
            ?string $key = null,
            float $lateBy = 0.0,
            bool $held = false,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * Another has had the lock since we took it, or that cannot be excluded.
     */
    class LostLockException extends TimeoutException
    {
        /** Who has it now, if that could be learnt. */
        public readonly ?Holder $holder;

        public function __construct(
            string $message = "",
            ?string $key = null,
            float $lateBy = 0.0,
            bool $held = false,
            ?Holder $holder = null,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * synchronized() did not get the lock.
     */
    class NotAcquiredException extends RLockException
    {
        /** Who has it now, if that could be learnt. */
        public readonly ?Holder $holder;

        public function __construct(
            string $message = "",
            ?string $key = null,
            ?Holder $holder = null,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * No connection, a deadline that passed, or an answer that made no sense.
     */
    class ConnectionException extends RLockException
    {
    }

    /**
     * The server refused.
     */
    class ServerException extends RLockException
    {
        /** The first word of its answer: "OOM", "NOAUTH", "READONLY", ... */
        public readonly string $error;

        public function __construct(
            string $message = "",
            ?string $key = null,
            string $error = "",
            ?\Throwable $previous = null,
        ) {}
    }
}
