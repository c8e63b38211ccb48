<?php

/**
 * What the extension rlock declares, for IDEs and analysers. It is not to be loaded.
 *
 * Made from src/php/rlock.stub.php by integrations/stubs/generate.
 */

namespace {

    /**
     * An owner of locks on Redis.
     *
     * Its locks are re-entrant. What it still holds when it is destroyed or the request ends is
     * released then.
     */
    final class RLock implements RLock\Locker
    {
        /**
         * Give up at once if the present lease outlasts `wait`.
         *
         * @var int
         */
        public const POLICY_FAIL_FAST = 0;

        /**
         * Keep trying until `wait` is used up.
         *
         * @var int
         */
        public const POLICY_WAIT = 1;

        /**
         * Does no I/O: the first use connects. For the first three arguments, null means the ini
         * setting of the same name.
         *
         * @param string|array<string>|null $servers one address, or those of 2 to 15 independent masters,
         *        of which a majority decides; then there is no fence. An address is
         *        - redis://[[user]:pass@]host[:6379][/db]
         *        - rediss://..., the same over TLS; options: cafile, cert, key, sni, verify as 0 or
         *          1
         *        - unix:///path/to/socket[?db=N&user=...&password=...]
         *        - sentinel://[user:pass@]h1[:26379],h2/master-name[?db=N&sentinel_password=...]
         *        - cluster://[user:pass@]h1[:6379],h2
         *        - sentinel://...?tls=1, cluster://...?tls=1, the same over TLS, with the options
         *          of rediss; sentinel_tls=0 leaves the sentinels out
         *        User, password and paths are percent-decoded, as by rawurldecode(). Options of all:
         *        connect_timeout, timeout in seconds up to 300, persistent as 0 or 1
         * @param string|null $prefix put before every key; at most 1 MiB
         * @param float|null $ttl the lease in seconds (not milliseconds) if a call names none, 0.01
         *        to 1000000000
         * @param bool $autoRenew a background thread renews the leases until the locks are
         *        released; it never acquires a lock again
         * @param bool $interrupt a lost or late lock throws in the running PHP code, at the next
         *        turn of a loop, or call (docs/renewal.md); its $holder is null
         * @param float|null $maxHold autoRenew stops this many seconds after the lock was acquired,
         *        0.0 or more; null: never, as it must be without autoRenew
         * @param RLock\RetryStrategy|null $retry more tries in a wait, for keys that foreign
         *        clients lock; when it ends, the wait ends
         * @param int $replicas a lock or a prolongation counts only once this many replicas have
         *        acknowledged it, 0 or more; otherwise it is released, and ServerException
         *        (NOREPLICAS) thrown. Must be 0 with several servers
         * @param bool $durable a lock or a prolongation counts only once it is in the append-only
         *        file of the server, and of `replicas` replicas (WAITAOF, docs/deployments.md);
         *        where the server cannot, ServerException (NOAOF). Must be false with several
         *        servers
         *
         * @throws ValueError an argument out of range, or an address that cannot be read or that
         *         open_basedir does not allow
         * @throws RLock\RLockException an argument or address that is not supported; `interrupt` in
         *         a build of PHP that does not survive it
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
            bool $durable = false,
        ) {}

        #[\NoDiscard]
        public function getLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
        ): bool {}

        #[\NoDiscard]
        public function getSharedLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            ?int $limit = null,
        ): bool {}

        public function downgrade(string $key): bool {}

        public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool {}

        public function prolongate(string $key, ?float $ttl = null): bool {}

        #[\NoDiscard]
        public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool {}

        public function releaseAll(): bool {}

        public function synchronized(
            string $key,
            callable $critical,
            float $wait = 0.0,
            ?float $ttl = null,
            ?string $metadata = null,
        ): mixed {}

        public function isLocking(string $key): bool {}

        public function ttl(string $key): float {}

        public function check(string $key): void {}

        public function lease(string $key): ?RLock\Lease {}

        public function holder(string $key): ?RLock\Holder {}

        /** @return list<RLock\Holder> */
        public function sharers(string $key): array {}

        /** @return array<string, RLock\Holder> */
        public function holders(string $pattern = '*', int $limit = 1000): array {}

        #[\NoDiscard]
        public function handOver(string $key, ?float $ttl = null): string {}

        #[\NoDiscard]
        public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool {}

        public function breakLock(string $key, ?int $fence = null): bool {}

        public function detached(string $key, #[\SensitiveParameter] string $name): RLock\DetachedLock {}

        #[\NoDiscard]
        public function requestLock(
            string $key,
            float $wait = INF,
            ?float $ttl = null,
            ?string $metadata = null,
            bool $shared = false,
            ?int $limit = null,
        ): RLock\Pending {}

        /**
         * Waits in the queue until the lock is free, and takes nothing; whoever waits behind is
         * told, too.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float $wait seconds; 0.0: looks once; INF: for ever
         *
         * @return bool false: it is still taken
         *
         * @throws RLock\ConnectionException see Locker
         * @throws RLock\ServerException see Locker
         * @throws RLock\RLockException this object holds the lock itself; see Locker
         * @throws ValueError see Locker
         */
        public function waitUntilFree(string $key, float $wait = INF): bool {}

        /**
         * Counters since construction, without I/O: "acquired", "busy", "waits", "wait_seconds" (a
         * float), "renewals", "timeouts", "lost", "reconnects", "requests".
         *
         * @return array{acquired: int, busy: int, waits: int, wait_seconds: float, renewals: int, timeouts: int, lost: int, reconnects: int, requests: int}
         *
         * @throws RLock\RLockException see Locker
         */
        public function stats(): array {}

        /**
         * What stats() says, of all objects that this process has had, in all threads. A forked
         * child begins anew.
         *
         * @return array{acquired: int, busy: int, waits: int, wait_seconds: float, renewals: int, timeouts: int, lost: int, reconnects: int, requests: int}
         */
        public static function totals(): array {}

        /**
         * Releases everything that the object holds, within one deadline, and closes what it does
         * not share with other objects. Afterwards every method but close() throws
         * RLock\RLockException. A lock that was late or lost is not thrown. After an exception the
         * object is closed all the same.
         *
         * @throws RLock\ConnectionException a release could not be sent or was not answered
         * @throws RLock\ServerException the server refused a release
         */
        public function close(): void {}
    }
}

namespace RLock {

    /**
     * The interface that application code should ask for. True of all methods:
     *
     * Times are seconds (not milliseconds) as floats, with fractions; they become whole
     * milliseconds, rounded up. What is out of its range, and NaN, is a ValueError before anything
     * is sent.
     *
     * Every method that asks the server may throw ConnectionException and ServerException. Every
     * method throws RLockException if the object is closed or was never constructed, or if it holds
     * the key from before fork(): then the lock is the parent's.
     *
     * A key that this object waits for by requestLock() is an RLockException to every other method
     * that acquires it; so is a shared lock on a majority of several servers.
     *
     * "Late" and "lost" are TimeoutException and LostLockException. After one of them the object no
     * longer holds the key, unless $held is true.
     */
    interface Locker
    {
        /**
         * Acquires the lock. True only if the lease is still safe when the answer arrives.
         *
         * If this object already holds the key, the call asks the server, sets the lease to the
         * longer of what is left and `ttl`, and goes one level deeper; the metadata stays.
         *
         * If this object holds a share of the key, the call asks once, whatever `wait` says. If it
         * is the only one, all levels become exclusive; otherwise the result is false, and the
         * share stays. The fence rises in both cases.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         *
         * @return bool false: it stayed busy
         *
         * @throws TimeoutException this object held the key, and is late
         * @throws LostLockException this object held the key, and has lost it
         * @throws RLockException a wait that can never end: another object of this thread renews
         *         the lock without maxHold, and there is no `retry`
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function getLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
        ): bool;

        /**
         * Acquires a share of the lock: any number of owners may have shares at once, or at most
         * `limit`, while nobody has the lock exclusively. Shares and exclusive locks wait in one
         * queue, first come, first served. Each share has a lease, a fence and metadata of its own.
         *
         * If this object already holds the key, either way, it goes one level deeper; an exclusive
         * lock stays exclusive, and `limit` does not matter.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         * @param int|null $limit a share is acquired only if fewer are held, 1 or more; all callers
         *        should pass the same; null: any number
         *
         * @return bool false: it stayed busy
         *
         * @throws TimeoutException this object held the key, and is late
         * @throws LostLockException this object held the key, and has lost it
         * @throws RLockException a wait that can never end; see Locker
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function getSharedLock(
            string $key,
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            ?int $limit = null,
        ): bool;

        /**
         * Makes an exclusive lock a share, at all levels, without letting go of it. Lease, fence
         * and metadata stay.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @return bool false: this object does not hold the lock exclusively (no I/O)
         *
         * @throws TimeoutException late
         * @throws LostLockException lost
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function downgrade(string $key): bool;

        /**
         * Goes one level back, without I/O while the lease is surely safe, and releases the lock at
         * the last level.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float $delayAfter keeps the lock from everybody, this object included, for this
         *        many seconds after the last level, 0.0 to 1000000000
         * @param bool $confirm false: sends the release and forgets it; true then means "sent, in
         *        time by the local clock". If it never arrives, the lock ends with its lease, and
         *        no call reports that. Ignored after the lease
         *
         * @return bool false: this object does not hold the lock (no I/O)
         *
         * @throws TimeoutException late
         * @throws LostLockException lost
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool;

        /**
         * Sets the lease to `ttl` from now. If that is shorter, it is a new grant: the fence rises.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         *
         * @return bool false: this object does not hold the lock (no I/O)
         *
         * @throws TimeoutException the lease had run out, nobody took the lock, and this object has
         *         it again ($held is true); or it was a share, and another has taken its place
         *         ($held is false)
         * @throws LostLockException lost
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function prolongate(string $key, ?float $ttl = null): bool;

        /**
         * Acquires all of these locks or none. If one is busy it gives back the others, waits for
         * that one, and begins again from it. Duplicates count once, an int stands for its decimal
         * string, and for an empty array the result is true. A share that this object holds becomes
         * exclusive, as by getLock(); if the call fails, it is a share again.
         *
         * @param array<string|int> $keys strings or ints, each 1 byte to 1 MiB
         * @param float $wait seconds for all together: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         *
         * @return bool false: one stayed busy; the depths are as before
         *
         * @throws TimeoutException late
         * @throws LostLockException lost
         * @throws RLockException as getLock()
         * @throws \TypeError an element that is neither string nor int
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool;

        /**
         * Releases everything that the object holds, all levels, within one deadline; afterwards it
         * holds nothing, also after an exception.
         *
         * @return bool true if every lock was still held; a late one is counted, not thrown
         *
         * @throws RLockException see Locker; nothing is released from within a call that changes a
         *         lock
         */
        public function releaseAll(): bool;

        /**
         * Calls `$critical(Lease $lease)` under the lock, and returns its result. Always releases
         * the lock, also if `$critical` throws.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param callable(Lease): T $critical
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         *
         * @template T
         * @return T
         *
         * @throws NotAcquiredException the lock stayed busy; `$critical` was not called
         * @throws TimeoutException late when the lock was released; what `$critical` returned is in
         *         $result, what it threw is the previous exception
         * @throws LostLockException likewise, and lost
         * @throws RLockException as getLock()
         * @throws \TypeError `$critical` returned a Generator
         * @throws \ValueError see Locker
         */
        public function synchronized(
            string $key,
            callable $critical,
            float $wait = 0.0,
            ?float $ttl = null,
            ?string $metadata = null,
        ): mixed;

        /**
         * Asks the server whether this object has the lock now.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function isLocking(string $key): bool;

        /**
         * Asks the server how many seconds of this object's lease are left; 0.0 if it does not have
         * the lock, INF if somebody took the expiry away.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function ttl(string $key): float;

        /**
         * For loops: returns if this object surely has the lock, without I/O while the lease is
         * surely safe; otherwise throws. For a lost key it throws again at every call, until the
         * key is acquired again. A detached lock counts while an object from here renews it.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @throws TimeoutException late
         * @throws LostLockException lost
         * @throws RLockException this object does not hold the key
         * @throws \ValueError see Locker
         */
        public function check(string $key): void;

        /**
         * What this object holds; null if it does not hold the key. Does no I/O.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function lease(string $key): ?Lease;

        /**
         * Asks the server who holds the lock; null if it is free. Of several shares, the one that
         * lasts longest; sharers() has all. During a delayAfter, who had it: Kind::Cooldown.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function holder(string $key): ?Holder;

        /**
         * Asks the server for all holders of the lock: each share's, or one if it is exclusive;
         * none if it is free.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         *
         * @return list<Holder>
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function sharers(string $key): array;

        /**
         * Who holds what: every lock under this object's prefix whose name matches, by its name
         * (PHP makes an int of a decimal number). Of several servers, those that a majority holds;
         * of several shares, the one that lasts longest.
         *
         * It asks with SCAN, in small steps: the more keys of whatever kind, the longer it takes,
         * with no deadline as a whole. An exception of a signal handler ends it. Locks that are
         * taken or end meanwhile may be missing. With an empty prefix, every key counts as a lock
         * of another library.
         *
         * @param string $pattern a glob of names, as in Redis: * ? [abc] [^a-z], and \ before a
         *        character that is meant as it is; the prefix is not part of it
         * @param int $limit at most this many locks, 1 or more
         *
         * @return array<string, Holder>
         *
         * @throws RLockException the names that match take more than 64 MiB
         * @throws \ValueError see Locker
         */
        public function holders(string $pattern = '*', int $limit = 1000): array;

        /**
         * Gives this object's lock away, all levels. Returns the token that adopt() accepts, once,
         * in any process. The metadata stays. If nobody adopts it, it ends with its lease.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float|null $ttl a new lease in seconds, 0.01 to 1000000000; null keeps what is left
         *
         * @return string secret, since anybody who has it can adopt the lock
         *
         * @throws TimeoutException late
         * @throws LostLockException lost
         * @throws RLockException this object does not hold the key, or only a share of it; or on a
         *         majority: use detached()
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function handOver(string $key, ?float $ttl = null): string;

        /**
         * Takes over a lock by its token, from handOver() or Lease::$token, under a new token and a
         * higher fence. The metadata stays; the former user of the token gets LostLockException.
         * That of a share takes over nothing.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param string $token of that key's present lock
         * @param float|null $ttl a new lease in seconds, 0.01 to 1000000000; null keeps what is left
         *
         * @return bool false: the token does not hold the key
         *
         * @throws RLockException on a majority: use detached()
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool;

        /**
         * For administrators: frees the lock whoever holds it, with all shares, also one of another
         * library or of the wrong type (docs/operations.md).
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param int|null $fence only the grant with this fence, 1 or more, as holder(), sharers()
         *        or lease() told it: of several shares, that one. On a majority it frees nothing
         *
         * @return bool false: it was free, or another grant
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function breakLock(string $key, ?int $fence = null): bool;

        /**
         * A lock that belongs to a name instead of to this object. Does no I/O.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param string $name any bytes, 1 to 255; secret, since it opens the lock
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function detached(string $key, #[\SensitiveParameter] string $name): DetachedLock;

        /**
         * Asks for the lock, and returns at once: the result says when the lock is there. Any
         * number may be under way at once, of different keys.
         *
         * If this object already holds the key, it goes one level deeper.
         *
         * @param string $key any bytes, 1 byte to 1 MiB
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         * @param bool $shared a share, as by getSharedLock()
         * @param int|null $limit a share is acquired only if fewer are held, 1 or more; all callers
         *        should pass the same; null: any number
         *
         * @return Pending keep it: letting go of it cancels the request
         *
         * @throws TimeoutException this object held the key, and is late
         * @throws LostLockException this object held the key, and has lost it
         * @throws RLockException this object waits for that key already; the system has no
         *         descriptor to watch; see Locker
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function requestLock(
            string $key,
            float $wait = \INF,
            ?float $ttl = null,
            ?string $metadata = null,
            bool $shared = false,
            ?int $limit = null,
        ): Pending;
    }

    /**
     * A lock that is held by a name: by whoever says it, in any object and any process, until
     * somebody says releaseLock() or the lease ends. It has no levels, and nothing releases it by
     * itself, not even releaseAll() or close(). Nothing renews it, unless getLock() is asked to.
     * Times, ranges and exceptions are those of Locker.
     *
     * Late and lost are not told apart: the result is false.
     */
    interface DetachedLock
    {
        public function key(): string;

        /**
         * Acquires the lock. If this name has it already, the lease becomes the longer of what is
         * left and `ttl`, and the metadata stays. A share becomes exclusive, as by
         * Locker::getLock().
         *
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         * @param bool $autoRenew a background thread keeps this lease alive, whatever the RLock
         *        says, while this object exists and the RLock is not closed
         * @param float|null $maxHold autoRenew stops this many seconds after the lock was
         *        acquired, 0.0 or more; null: never
         *
         * @return bool false: it stayed busy
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function getLock(
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            bool $autoRenew = false,
            ?float $maxHold = null,
        ): bool;

        /**
         * Acquires a share, as Locker::getSharedLock() does. If this name has the lock already,
         * either way, that is as with getLock(), and the kind stays.
         *
         * @param float $wait seconds, while the lock is taken: 0.0 asks once, INF waits forever
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         * @param int $policy RLock::POLICY_WAIT or RLock::POLICY_FAIL_FAST
         * @param string|null $metadata shown to others by holder(); at most 65536 bytes
         * @param int|null $limit a share is acquired only if fewer are held, 1 or more; all callers
         *        should pass the same; null: any number
         *
         * @return bool false: it stayed busy
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        #[\NoDiscard]
        public function getSharedLock(
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            ?int $limit = null,
        ): bool;

        /**
         * Makes an exclusive lock a share, as Locker::downgrade() does.
         *
         * @return bool false: this name does not have the lock exclusively
         *
         * @throws RLockException see Locker
         */
        public function downgrade(): bool;

        /**
         * Sets the lease to `ttl` from now, also when that is shorter.
         *
         * @param float|null $ttl the lease in seconds, 0.01 to 1000000000; null: the constructor's
         *
         * @return bool false: this name does not have the lock
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function prolongate(?float $ttl = null): bool;

        /**
         * Releases the lock.
         *
         * @param float $delayAfter as Locker::releaseLock()
         *
         * @return bool false: this name does not have the lock
         *
         * @throws RLockException see Locker
         * @throws \ValueError see Locker
         */
        public function releaseLock(float $delayAfter = 0.0): bool;

        /**
         * Asks the server whether this name has the lock now.
         *
         * @throws RLockException see Locker
         */
        public function isLocking(): bool;

        /**
         * As Locker::ttl().
         *
         * @throws RLockException see Locker
         */
        public function ttl(): float;

        /**
         * Asks the server for the fence of the present grant; null if this name does not have the
         * lock, or the server gave none.
         *
         * @throws RLockException see Locker
         */
        public function fence(): ?int;
    }

    /**
     * What RLock::detached() returns.
     *
     * @internal
     */
    final class NamedLock implements DetachedLock
    {
        private function __construct() {}

        public function key(): string {}

        #[\NoDiscard]
        public function getLock(
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            bool $autoRenew = false,
            ?float $maxHold = null,
        ): bool {}

        #[\NoDiscard]
        public function getSharedLock(
            float $wait = 0.0,
            ?float $ttl = null,
            int $policy = \RLock::POLICY_WAIT,
            ?string $metadata = null,
            ?int $limit = null,
        ): bool {}

        public function downgrade(): bool {}

        public function prolongate(?float $ttl = null): bool {}

        public function releaseLock(float $delayAfter = 0.0): bool {}

        public function isLocking(): bool {}

        public function ttl(): float {}

        public function fence(): ?int {}
    }

    /**
     * A lock that was asked for by Locker::requestLock(). It keeps its RLock alive. Letting go of
     * it cancels it while it is undecided; releaseAll() leaves it alone, and close() ends it. After
     * fork() it is the parent's.
     *
     * No method waits for anything.
     */
    interface Pending
    {
        public function key(): string;

        /**
         * A stream that is readable when poll() has something to do, and for good once it is over.
         * It is for watching only. The same each time.
         *
         * @return resource
         */
        public function stream(): mixed;

        /**
         * @return bool|null true: the object holds the lock; false: it stayed busy, poll() has
         *         thrown before, or it was cancelled; null: not yet. True and false stay so,
         *         whatever becomes of the lock
         *
         * @throws TimeoutException this object held the key, and is late
         * @throws LostLockException this object held the key, and has lost it
         * @throws RLockException the RLock was closed meanwhile, or the process was forked; see
         *         Locker
         */
        public function poll(): ?bool;

        /** Ends the wait, unless it is over. Whatever still comes is passed on or released. */
        public function cancel(): void;
    }

    /**
     * What RLock::requestLock() returns.
     *
     * @internal
     */
    final class PendingLock implements Pending
    {
        private function __construct() {}

        public function key(): string {}

        /** @return resource */
        public function stream(): mixed {}

        public function poll(): ?bool {}

        public function cancel(): void {}
    }

    /**
     * A lock that an object held when it was asked. var_dump() and similar functions hide the
     * token.
     */
    final class Lease
    {
        public readonly string $key;

        /** Secret, since anybody who has it can free or adopt the lock. */
        public readonly string $token;

        /** Rises with every grant of the key; null if the server gave none. */
        public readonly ?int $fence;

        /** How often it was acquired and not yet released. */
        public readonly int $depth;

        /** Seconds that were left when this object was made, by the local clock; 0.0 or more. */
        public readonly float $ttl;

        public readonly ?string $metadata;

        /** Whether it is a share. */
        public readonly bool $shared;

        /** Seconds that acquiring it took, with the wait; of getLocks() the part for this key. */
        public readonly float $waited;

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
            bool $shared = false,
            float $waited = 0.0,
        ) {}
    }

    /**
     * What a Holder stands for.
     */
    enum Kind: string
    {
        /** A lock that an object holds. */
        case Lease = 'lease';

        /** A lock that belongs to a name. */
        case Detached = 'detached';

        /** Given away by handOver() and not adopted yet; or on its way to a waiter. */
        case HandOver = 'hand-over';

        /** Kept from everybody by a delayAfter; the rest tells who had it. */
        case Cooldown = 'cooldown';

        /** A lock of another library; or one whose keys may not be read, as its metadata say. */
        case Foreign = 'foreign';
    }

    /**
     * Who held a lock when the server was asked.
     */
    final class Holder
    {
        public readonly string $key;

        /** "host:pid", after a delayAfter that of the last holder; "" for a hand-over or foreign lock. */
        public readonly string $owner;

        /** Null for a lock of another library, and if the server gave none. */
        public readonly ?int $fence;

        /** Seconds that were left; null: it never expires. */
        public readonly ?float $ttl;

        public readonly ?string $metadata;

        /** Whether somebody may be waiting for it. */
        public readonly bool $contended;

        public readonly Kind $kind;

        /** Whether it is a share. */
        public readonly bool $shared;

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
            Kind $kind = \RLock\Kind::Lease,
            bool $shared = false,
        ) {}
    }

    /**
     * When to try again for a lock that is busy.
     */
    interface RetryStrategy
    {
        /**
         * Seconds before retry number $attempt; less than 0.001 counts as 0.001. INF: no retry of
         * its own. null, or an exception, ends the wait. More than 100 waits within each other
         * throw RLockException.
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
         * @param float $delay seconds, 0.0 or more, finite
         *
         * @throws \ValueError see Locker
         */
        public static function linear(float $delay): Retry {}

        /**
         * 2 ** $attempt milliseconds, within `min` and `max`.
         *
         * @param float $min seconds, 0.0 or more, finite
         * @param float $max seconds, `min` or more, finite
         *
         * @throws \ValueError see Locker
         */
        public static function exponential(float $min, float $max): Retry {}

        /**
         * The same strategy with at most this many retries.
         *
         * @param int $retries 0 or more
         *
         * @throws \ValueError see Locker
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
     * Whatever rlock throws, except ValueError and TypeError.
     */
    class RLockException extends \Exception
    {
        /** The lock that the exception is about, if it is about one. */
        public readonly ?string $key;

        public function __construct(string $message = "", ?string $key = null, ?\Throwable $previous = null) {}
    }

    /**
     * The lease ran out; no rlock client has had the lock since (of a share: exclusively).
     */
    class TimeoutException extends RLockException
    {
        /** Seconds after the deadline; 0.0 if the lock was lost before it. */
        public readonly float $lateBy;

        /** True after prolongate(): the object holds the lock again. */
        public readonly bool $held;

        /** What the callable of synchronized() had returned; otherwise null. */
        public readonly mixed $result;

        public function __construct(
            string $message = "",
            ?string $key = null,
            float $lateBy = 0.0,
            bool $held = false,
            mixed $result = null,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * Another client has had the lock since (of a share: exclusively), or that cannot be ruled out.
     */
    class LostLockException extends TimeoutException
    {
        /** Who has the lock now, if that could be found out. */
        public readonly ?Holder $holder;

        public function __construct(
            string $message = "",
            ?string $key = null,
            float $lateBy = 0.0,
            bool $held = false,
            mixed $result = null,
            ?Holder $holder = null,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * synchronized() did not get the lock.
     */
    class NotAcquiredException extends RLockException
    {
        /** Who has the lock now, if that could be found out. */
        public readonly ?Holder $holder;

        public function __construct(
            string $message = "",
            ?string $key = null,
            ?Holder $holder = null,
            ?\Throwable $previous = null,
        ) {}
    }

    /**
     * There was no connection, the deadline `timeout` passed, or an answer made no sense.
     */
    class ConnectionException extends RLockException
    {
    }

    /**
     * The server refused.
     */
    class ServerException extends RLockException
    {
        /** The first word of the server's answer: "OOM", "NOAUTH", "READONLY", ... */
        public readonly string $error;

        public function __construct(
            string $message = "",
            ?string $key = null,
            string $error = "",
            ?\Throwable $previous = null,
        ) {}
    }
}
