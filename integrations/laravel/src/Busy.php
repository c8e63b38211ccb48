<?php

declare(strict_types=1);

namespace RLock\Laravel;

/** What becomes of a job whose lock another still has at the end of the wait. */
enum Busy
{
    /** It is done with. The log says who has the lock. */
    case Skip;

    /** It goes back to the queue at once. The log says who has the lock. */
    case Release;

    /** A LockTimeoutException that says who has the lock; the queue tries again as after any exception. */
    case Throw;
}
