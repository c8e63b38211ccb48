<?php

declare(strict_types=1);

namespace RLock\Session;

/**
 * A session's id comes from a cookie: whoever sends it may have written anything, and whoever knows a good one has the
 * session.
 *
 * @internal
 */
final class SessionId
{
    /** What PHP makes ids of, and the most that its own handlers accept. */
    public static function isValid(#[\SensitiveParameter] string $id): bool
    {
        return preg_match('/^[A-Za-z0-9,-]{1,256}$/D', $id) === 1;
    }

    /** Locks are named in messages and listed by tools, so the name must not tell the id. */
    public static function lockOf(#[\SensitiveParameter] string $id): string
    {
        return 'session:' . substr(hash('sha256', $id), 0, 32);
    }
}
