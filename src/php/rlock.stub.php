<?php

/**
 * What the extension declares to PHP. rlock_arginfo.h is generated from this file
 * (dev/gen-arginfo); IDEs and static analysers can read it, too.
 *
 * Times are floats in seconds, rounded up to whole milliseconds. The following throw a ValueError
 * before anything is sent: an empty key, a key or prefix longer than 1 MiB, NaN, a negative time,
 * an infinite time other than `wait: INF`, and a ttl below 0.001 or above 1000000000.
 *
 * Every method that takes part in locking may throw these, besides what its own comment names:
 * - RLock\ConnectionException: no connection, no answer within `timeout`, or an answer that makes
 *   no sense.
 * - RLock\ServerException: the server refused; $error is the name of its error.
 * - RLock\RLockException: the object is closed or was never constructed, or the lock was taken
 *   before fork() and belongs to the parent process.
 *
 * After releaseLock(confirm: false), the next call may throw what became of that lock: a
 * TimeoutException, a LostLockException, or a ServerException if the server refused the release.
 * Its $key is that of the released lock, and the call that throws it has done nothing else.
 *
 * @generate-class-entries
 */

namespace {

    /**
     * An owner of locks on Redis.
     *
     * Locks are re-entrant: getLock() on a key that the object holds goes one level deeper, and
     * releaseLock() one level back. Two objects exclude each other, even in one process. Locks that
     * are still held when the object is destroyed or the request ends, however it ends, are
     * released then. At the end of a request, an object that is still referenced when PHP calls
     * destructors releases its locks after the session has been written.
     *
     * @strict-properties
     * @not-serializable
     */
    final class RLock implements RLock\Locker
    {
        /**
         * Give up at once if the present lease lasts longer than `wait`.
         *
         * @var int
         */
        public const POLICY_FAIL_FAST = 0;

        /**
         * Keep trying until `wait` is over, even if the present lease lasts longer: the lock may be
         * released early.
         *
         * @var int
         */
        public const POLICY_WAIT = 1;

        /**
         * Does no I/O: the first call that needs the server connects. For `servers`, `prefix` and
         * `ttl`, null means the ini setting of the same name.
         *
         * @param string|array|null $servers one address, or an array of 2 to 15 addresses of
         *        independent masters, a majority of which decides; then there is no fence. An
         *        address is one of:
         *        - redis://[[user]:pass@]host[:6379][/db]
         *        - rediss://..., the same over TLS; options cafile, cert, key, sni, verify (0 or 1)
         *        - unix:///path/to/socket[?db=N&user=...&password=...]
         *        - sentinel://[user:pass@]h1[:26379],h2/master-name[?db=N&sentinel_password=...]
         *        - cluster://[user:pass@]h1[:6379],h2
         *        All take the options connect_timeout and timeout (seconds) and persistent (0 or 1)
         * @param string|null $prefix put before every key; at most 1 MiB
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000, for calls that pass
         *        none
         * @param bool $autoRenew keeps leases alive until their locks are released: a background
         *        thread of the process renews each after a third of its length. It never takes a
         *        lock again that was lost
         * @param bool $interrupt once a lease is known to be lost, or its time is up, throws
         *        RLock\LostLockException or RLock\TimeoutException in the running PHP code, once,
         *        at the next safe point: a turn of a loop, a call, or the end of a call. $holder of
         *        the exception is null. A running call of an internal function is not cut short,
         *        and at the end of the script nothing is thrown
         * @param float|null $maxHold how many seconds after a lock was taken autoRenew stops
         *        renewing it, so that the lease then ends by itself; 0.0 or more, null: never. Has
         *        no effect without autoRenew
         * @param RLock\RetryStrategy|null $retry adds requests of its own to a wait, for keys that
         *        clients of other libraries lock: their releases wake nobody. When the strategy
         *        ends, so does the wait. null: a wait relies on being woken by the release, and
         *        asks at least once a second
         * @param int $replicas how many replicas must acknowledge a lock, or its prolongation,
         *        before it counts; with fewer the lock is released and an RLock\ServerException
         *        thrown (NOREPLICAS). 0 or more, and 0 with an array of several servers
         *
         * @throws ValueError an argument out of range, an address that cannot be read, or a path in
         *         it that open_basedir does not allow
         * @throws RLock\RLockException a kind of address that is not supported, or `interrupt` in a
         *         build of PHP that would crash
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
         * Counts since the object was constructed, without I/O: "acquired", "busy", "waits",
         * "wait_seconds" (a float), "renewals", "timeouts", "lost", "reconnects", "requests".
         *
         * @return array<string, int|float>
         *
         * @throws RLock\RLockException the object is closed
         */
        public function stats(): array {}

        /**
         * Releases all locks within one deadline, `timeout`, and closes connections that nobody
         * shares. Whatever it throws, the object is closed, and every method but close() throws
         * RLock\RLockException. A lock that turns out to be late or lost now is not thrown.
         *
         * @throws RLock\TimeoutException an earlier releaseLock(confirm: false) was late. If that
         *         turns out only now, it is an E_WARNING instead
         * @throws RLock\LostLockException likewise, if that lock had been lost
         * @throws RLock\ConnectionException a release could not be sent or was not answered
         * @throws RLock\ServerException the server refused a release
         */
        public function close(): void {}
    }
}

namespace RLock {

    /**
     * The type for application code to depend on, so that tests can replace it.
     */
    interface Locker
    {
        /**
         * Takes the lock, and waits for it if `wait` allows. Returns true only if the lease is
         * still safe when the answer arrives.
         *
         * On a key that this object holds already, it asks the server, sets the lease to `ttl`
         * unless more is left, and goes one level deeper; the metadata stays. It does the same if a
         * signal handler, a retry strategy or another fiber takes the lock with this object while
         * this call waits for it.
         *
         * @param string $key 1 byte to 1 MiB; any bytes
         * @param float $wait how long to try, in seconds: 0.0 asks once, INF waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: that of the
         *        constructor
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata what holder() shows to others; at most 65536 bytes
         *
         * @return bool false: the lock stayed busy
         *
         * @throws TimeoutException this object held the lock, but its lease has run out. Nobody
         *         else has had the lock since; this object no longer holds it
         * @throws LostLockException likewise, but another has had the lock, or that cannot be
         *         excluded
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
         * Goes one level back, without I/O while the lease is surely safe. At the last level it
         * releases the lock. After a TimeoutException or a LostLockException, this object no longer
         * holds the lock.
         *
         * @param string $key 1 byte to 1 MiB
         * @param float $delayAfter for how many seconds nobody, this object included, can take the
         *        lock after its release; 0.0 to 1000000000
         * @param bool $confirm false: sends the release and does not wait for the answer. Returning
         *        true then means that it was sent in time, by the local clock. If the server
         *        reports later that the lock was late or lost, or refuses, the next call of this
         *        object throws that before it does anything; without a next call it is an E_WARNING
         *        when the object ends. Once the lease has run out, the answer is always waited for
         *
         * @return bool false: this object does not hold the lock (no I/O)
         *
         * @throws TimeoutException the lease had run out; nobody else has had the lock since
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool;

        /**
         * Sets the lease to `ttl` from now, even if that shortens it.
         *
         * @param string $key 1 byte to 1 MiB
         * @param float|null $ttl the new lease in seconds, 0.001 to 1000000000; null: that of the
         *        constructor
         *
         * @return bool false: this object does not hold the lock (no I/O)
         *
         * @throws TimeoutException the lease had run out, nobody took the lock, and this object has
         *         it again ($held is true)
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws \ValueError an argument out of range
         */
        public function prolongate(string $key, ?float $ttl = null): bool;

        /**
         * Takes all of these locks or none, in sorted order, so that two callers cannot block each
         * other. A duplicate counts once, an int is taken as its decimal string, and for an empty
         * array it returns true. While it waits for one lock, it prolongs the leases of those that
         * it has taken; it shortens none that was held before.
         *
         * @param array $keys strings or ints, each 1 byte to 1 MiB
         * @param float $wait how long to try, in seconds, for all together: 0.0 asks once, INF
         *        waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: that of the
         *        constructor
         *
         * @return bool false: one of them stayed busy; every lock is held as deeply as before
         *
         * @throws TimeoutException as getLock(); $key says which lock it is about
         * @throws LostLockException as getLock(); $key says which lock it is about
         * @throws \ValueError an argument out of range
         * @throws \TypeError an element that is neither string nor int
         */
        public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool;

        /**
         * Releases all locks, at all levels, within one deadline, `timeout`. Whatever it throws,
         * this object holds nothing afterwards.
         *
         * @return bool true: each of them was still held; false: at least one was late or lost,
         *         which is not thrown
         *
         * @throws TimeoutException an earlier releaseLock(confirm: false) was late
         * @throws LostLockException likewise, if that lock had been lost
         * @throws ConnectionException a release could not be sent or was not answered
         * @throws ServerException the server refused a release
         */
        public function releaseAll(): bool;

        /**
         * Calls `$critical(Lease $lease)` under the lock and returns its result. Always releases
         * the lock, even if `$critical` throws.
         *
         * @param string $key 1 byte to 1 MiB; any bytes
         * @param callable $critical is passed the Lease
         * @param float $wait how long to try, in seconds: 0.0 asks once, INF waits for ever
         * @param float|null $ttl the lease in seconds, 0.001 to 1000000000; null: that of the
         *        constructor
         *
         * @throws NotAcquiredException the lock stayed busy; `$critical` was not called
         * @throws TimeoutException the lease had run out when the lock was released; nobody else
         *         has had the lock since. If `$critical` threw, that is the previous exception
         * @throws LostLockException likewise, but another has had the lock, or that cannot be
         *         excluded
         * @throws \ValueError an argument out of range
         */
        public function synchronized(string $key, callable $critical, float $wait = 0.0, ?float $ttl = null): mixed;

        /**
         * Asks the server whether this object holds the lock now.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @throws \ValueError a key that is empty or too long
         */
        public function isLocking(string $key): bool;

        /**
         * Asks the server how many seconds are left of this object's lease: 0.0 if it does not hold
         * the lock, INF if somebody has removed the expiry of the key.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @throws \ValueError a key that is empty or too long
         */
        public function ttl(string $key): float;

        /**
         * For loops: returns if this object surely holds the lock, and throws otherwise. It does no
         * I/O while the lease is surely safe, with one exception: after a getLock() that waited,
         * the server's answer that confirms the whole lease may still be due, and is waited for, at
         * most `timeout`. For a lost lock it throws again at every call, until the lock is taken
         * again.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @throws TimeoutException the lease has run out; nobody else has had the lock since
         * @throws LostLockException another has had the lock, or that cannot be excluded
         * @throws ConnectionException that answer did not come; this object holds the lock for now
         * @throws RLockException this object does not hold the lock
         * @throws \ValueError a key that is empty or too long
         */
        public function check(string $key): void;

        /**
         * What this object holds; null if it does not hold the lock. It sends nothing, but it may
         * wait, at most `timeout`: after a getLock() that waited, the server's answer that confirms
         * the whole lease may still be due.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @throws \ValueError a key that is empty or too long
         */
        public function lease(string $key): ?Lease;

        /**
         * Asks the server who holds the lock; null if it is free.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @throws \ValueError a key that is empty or too long
         */
        public function holder(string $key): ?Holder;

        /**
         * Gives the lock away, at all levels, and returns a token with which adopt() takes it over,
         * once, in any process. Fence and metadata stay. If nobody adopts the lock, it ends with
         * its lease.
         *
         * @param string $key 1 byte to 1 MiB
         * @param float|null $ttl a new lease in seconds, 0.001 to 1000000000; null: what is left
         *
         * @return string the token. Keep it secret: whoever has it can adopt the lock
         *
         * @throws TimeoutException as releaseLock()
         * @throws LostLockException as releaseLock()
         * @throws RLockException this object does not hold the lock
         * @throws \ValueError an argument out of range
         */
        public function handOver(string $key, ?float $ttl = null): string;

        /**
         * Takes a lock over by its token, from handOver() or Lease::$token, and replaces the token
         * by one of its own. For whoever held the lock before, it is lost (LostLockException).
         *
         * @param string $key 1 byte to 1 MiB
         * @param string $token of the present lock
         * @param float|null $ttl a new lease in seconds, 0.001 to 1000000000; null: what is left
         *
         * @return bool false: the present lock does not have this token, or there is none
         *
         * @throws \ValueError an argument out of range
         */
        public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool;

        /**
         * For administrators: frees the lock, whoever holds it, even if it belongs to another
         * library or the key is not a string. For the holder it is lost (LostLockException); the
         * next waiter gets it at once.
         *
         * @param string $key 1 byte to 1 MiB
         *
         * @return bool false: it was free already
         *
         * @throws \ValueError a key that is empty or too long
         */
        public function breakLock(string $key): bool;
    }

    /**
     * A lock that an object holds, as it was when lease() was called. var_dump(), print_r(),
     * var_export() and json_encode() hide the token.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Lease
    {
        public readonly string $key;

        /** The value of the key on the server. Keep it secret: whoever has it can free or adopt the lock. */
        public readonly string $token;

        /** A number that rises with every grant of the key; null if there is none. */
        public readonly ?int $fence;

        /** How many more times releaseLock() has to be called; 1 or more. */
        public readonly int $depth;

        /** Seconds that were left, by the local clock; 0.0 or more. */
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
     *
     * @strict-properties
     * @not-serializable
     */
    final class Holder
    {
        public readonly string $key;

        /** "host:pid"; "" for a lock of another library, one that is handed over but not adopted yet, and a delayAfter. */
        public readonly string $owner;

        public readonly ?int $fence;

        /** Seconds that were left; null: the lock never expires. */
        public readonly ?float $ttl;

        public readonly ?string $metadata;

        /** Whether somebody may have been waiting for the lock. */
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
         * How long to pause before retry number $attempt, in seconds: 0.0 or more, where less than
         * 0.001 counts as 0.001; INF leaves it to the wake-up by a release; null ends the wait, as
         * an exception does. It may use the RLock that waits, but beyond 100 waits within each
         * other calls throw RLockException.
         *
         * @param int $attempt 1 after the first request found the lock busy
         */
        public function nextBackoff(int $attempt): ?float;
    }

    /**
     * The built-in strategies. Immutable.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Retry implements RetryStrategy
    {
        private function __construct() {}

        /**
         * No retries: asks for the lock once, whatever `wait` says.
         */
        public static function none(): Retry {}

        /**
         * The same delay before every retry.
         *
         * @param float $delay seconds, finite, 0.0 or more; less than 0.001 counts as 0.001
         *
         * @throws \ValueError an argument out of range
         */
        public static function linear(float $delay): Retry {}

        /**
         * 2 ** $attempt milliseconds, but at least `min` and at most `max`.
         *
         * @param float $min seconds, finite, 0.0 or more
         * @param float $max seconds, finite, `min` or more
         *
         * @throws \ValueError an argument out of range
         */
        public static function exponential(float $min, float $max): Retry {}

        /**
         * The same strategy with at most this many retries, that is, one request more than that.
         *
         * @param int $retries 0 or more
         *
         * @throws \ValueError a negative number
         */
        public function limit(int $retries): Retry {}

        /**
         * @param int $attempt 1 or more
         *
         * @throws \ValueError an attempt below 1
         */
        public function nextBackoff(int $attempt): ?float {}
    }

    /**
     * The parent of all exceptions of this extension. Bad arguments throw PHP's own ValueError and
     * TypeError.
     *
     * @strict-properties
     * @not-serializable
     */
    class RLockException extends \Exception
    {
        /** The lock that the exception is about; null if it is about none. */
        public readonly ?string $key;

        public function __construct(string $message = "", ?string $key = null, ?\Throwable $previous = null) {}
    }

    /**
     * The lease ran out. No other user of this extension has had the lock since.
     *
     * @strict-properties
     * @not-serializable
     */
    class TimeoutException extends RLockException
    {
        /** Seconds by which the lease had run out; 0.0 if the lock was lost before that. */
        public readonly float $lateBy;

        /** Whether the object holds the lock again, which prolongate() can bring about. */
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
     * Another has had the lock since this object took it, or that cannot be excluded.
     *
     * @strict-properties
     * @not-serializable
     */
    class LostLockException extends TimeoutException
    {
        /** Who holds the lock now; null if nobody does, or if that was not asked or not answered. */
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
     *
     * @strict-properties
     * @not-serializable
     */
    class NotAcquiredException extends RLockException
    {
        /** Who holds the lock now; null if nobody does, or if that was not asked or not answered. */
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
     *
     * @strict-properties
     * @not-serializable
     */
    class ConnectionException extends RLockException
    {
    }

    /**
     * The server refused.
     *
     * @strict-properties
     * @not-serializable
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
