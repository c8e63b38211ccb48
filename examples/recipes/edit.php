<?php
/*
 * A lock over several requests: who opens a page's editor has it until it is saved or closed, or until nothing was
 * heard of the browser for a minute. The lock belongs to a name that the form carries, and not to a request.
 */

declare(strict_types=1);

const IDLE = 60.0;

/** GET /edit: the name goes into the form; null: somebody else is editing. */
function open(RLock\Locker $locks, int $page, string $user): ?string
{
    $name = bin2hex(random_bytes(16));                      // nobody can guess it
    return $locks->detached("page:$page", $name)->getLock(ttl: IDLE, metadata: $user) ? $name : null;
}

/** POST /keep, by the form's script every 20 s. False: it took too long, somebody else may be editing. */
function keep(RLock\Locker $locks, int $page, string $name): bool
{
    return $locks->detached("page:$page", $name)->prolongate(IDLE);
}

/**
 * POST /save. False: the lock is not ours any more, and nothing was written.
 * @param callable(int): void $write the fence goes into the statement that writes
 */
function save(RLock\Locker $locks, int $page, string $name, callable $write): bool
{
    $lock = $locks->detached("page:$page", $name);
    if (!$lock->prolongate(IDLE)) {
        return false;
    }
    $write($lock->fence());
    return $lock->releaseLock();
}
