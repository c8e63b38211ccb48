<?php
/*
 * What worker.c runs: requests of a worker, and what is left of each when the next one begins. Each run prints one line.
 */
declare(strict_types=1);

final class Kept
{
    public static ?RLock $lock = null;
    public static ?RLock $renewing = null;
    public static ?RLock\Pending $pending = null;
    public static ?RLock\Pending $granted = null;
}

/** Suspends the fiber that waits. */
final class Suspends implements RLock\RetryStrategy
{
    public function nextBackoff(int $attempt): ?float
    {
        Fiber::suspend();
        return 0.0;
    }
}

/** Closes its session only if it is told to. */
final class Forgetful extends SessionHandler
{
    public function close(): bool
    {
        return true;
    }
}

$prefix = bin2hex(random_bytes(8)) . ':';
$wrong = [];
$url = ini_get('rlock.servers');

function check(string $what, bool $isRight): void
{
    if (!$isRight) {
        $GLOBALS['wrong'][] = $what;
    }
}

/** Who has what, as somebody else sees it. */
function is_free(string $key): bool
{
    return (new RLock(prefix: $GLOBALS['prefix']))->holder($key) === null;
}

function said(string $text): int
{
    return substr_count(file_get_contents(ini_get('error_log')), $GLOBALS['prefix'] . $text);
}

/** To the server, whose answer is awaited. */
function command(string $words): void
{
    $redis = stream_socket_client($GLOBALS['url']);
    fwrite($redis, "$words\r\n");
    fgets($redis);
}

function session_lock_is_free(string $id): bool
{
    return (new RLock(prefix: 'PHPREDIS_SESSION:'))->holder("{$id}_LOCK") === null;
}

set_error_handler(function (int $level, string $message): bool {
    check("no error handler runs between requests: $message", false);
    return true;
});

// Before the first request: it ends, too, when that begins.
Kept::$lock = new RLock(prefix: $prefix);
check('taken at the start', Kept::$lock->getLock('start', ttl: 300.0));

handle_request(function (): void {
    check('what was taken at the start ends with it', is_free('start') && Kept::$lock->lease('start') === null);
    check('a lock', Kept::$lock->getLock('key', ttl: 300.0) && Kept::$lock->getLock('key', ttl: 300.0));
    check('a share', Kept::$lock->getSharedLock('share', ttl: 300.0, limit: 2));
    Kept::$renewing = new RLock(prefix: $GLOBALS['prefix'], ttl: 1.0, autoRenew: true, interrupt: true);
    check('one that renews', Kept::$renewing->getLock('renewed'));
    check('before the end all is held', !is_free('key') && !is_free('share') && !is_free('renewed'));
});

handle_request(function (): void {
    check('a lock ends with the request', is_free('key') && Kept::$lock->lease('key') === null);
    check('a share does', is_free('share'));
    check('one that renews does', is_free('renewed'));
    check('nothing is held', !Kept::$lock->releaseLock('key') && !Kept::$lock->isLocking('share'));
    check('and can be had again', Kept::$lock->getLock('key', ttl: 300.0) && Kept::$lock->lease('key')->depth === 1);
    check('by others, too, when it was given back', Kept::$lock->releaseLock('key') && is_free('key'));
});

// Requests of locks.
handle_request(function (): void {
    check('taken', Kept::$lock->getLock('busy', ttl: 300.0));
    $other = new RLock(prefix: $GLOBALS['prefix']);
    Kept::$pending = $other->requestLock('busy', ttl: 300.0);
    Kept::$granted = $other->requestLock('free', ttl: 300.0);
    for ($end = microtime(true) + 30.0; Kept::$granted->poll() === null && microtime(true) < $end;) {
        $read = [Kept::$granted->stream()];
        $write = $except = null;
        stream_select($read, $write, $except, 1);
    }
    check('not yet', Kept::$pending->poll() === null);
});

handle_request(function (): void {
    check('a request that waits is over', Kept::$pending->poll() === false);
    check('what was granted is given back', is_free('free'));
    check('and the queue is empty', is_free('busy') && Kept::$lock->getLock('busy', ttl: 300.0));
    Kept::$pending = Kept::$granted = null;
});

// A fiber outlives the request in which it began to wait.
$fiber = new Fiber(static function () use ($prefix): void {
    $lock = new RLock(prefix: $prefix, retry: new Suspends());
    check('a share', $lock->getSharedLock('shared', ttl: 300.0));
    check('had in a later request', $lock->getLock('busy', wait: 300.0) && $lock->lease('shared') === null);
});
handle_request(function () use ($fiber): void {
    check('taken', Kept::$lock->getLock('busy', ttl: 300.0));
    $fiber->start();
    check('not yet', $fiber->isSuspended() && !is_free('shared'));
});

handle_request(function () use ($fiber): void {
    check('its share is gone', is_free('shared'));
    for ($end = microtime(true) + 30.0; !$fiber->isTerminated() && microtime(true) < $end;) {
        $fiber->resume();
    }
    check('it went on', $fiber->isTerminated());
});

// Locks that were lost are told in the log.
handle_request(function (): void {
    check('taken', Kept::$lock->getLock('lost', ttl: 300.0) && Kept::$renewing->getLock('stolen'));
    command("DEL {$GLOBALS['prefix']}lost {$GLOBALS['prefix']}stolen");
});

handle_request(function (): void {
    check('told once', said('lost') + said('stolen') === 0 && substr_count(file_get_contents(ini_get('error_log')), 'locks had ended') > 0);
    for ($end = microtime(true) + 0.2; microtime(true) < $end;) {
        strlen((string) $end); // no exception of the request before
    }
    check('and is free', Kept::$renewing->getLock('stolen') && Kept::$renewing->releaseLock('stolen'));
});

// Sessions.
$id = bin2hex(random_bytes(16));
handle_request(function () use ($id): void {
    session_id($id);
    check('a session', session_start());
    $_SESSION['visits'] = 1;
    check('it is locked', !session_lock_is_free($id));
});

handle_request(function () use ($id): void {
    check('it ended with the request', session_status() === PHP_SESSION_NONE && session_lock_is_free($id));
    session_id($id);
    check('it was written', session_start() && ($_SESSION['visits'] ?? 0) === 1);
    $_SESSION['visits'] = 2;
}, endsSession: false);

handle_request(function () use ($id): void {
    check('its lock ends even if PHP does not end it', session_lock_is_free($id));
    check('then PHP may', session_write_close() && session_lock_is_free($id));
    session_set_save_handler(new Forgetful(), false);
    session_id($id);
    check('a handler around ours', session_start());
});

handle_request(function () use ($id): void {
    check('which forgets to close', session_lock_is_free($id));
    ini_set('session.save_handler', 'rlock');
    session_id($id);
    check('once more', session_start() && $_SESSION['visits'] === 2 && session_write_close());
    check('and closed', session_lock_is_free($id));
});

handle_request(function (): void {
    echo $GLOBALS['wrong'] === [] ? "right\n" : 'WRONG: ' . implode('; ', $GLOBALS['wrong']) . "\n";
});

// The run ends by a fatal error in a request, or after one.
check('taken', Kept::$lock->getLock('last', ttl: 300.0));
if (random_int(0, 1) === 0) {
    handle_request(fn () => eval('class Incomplete implements Iterator {}'));
}
