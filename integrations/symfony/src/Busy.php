<?php

declare(strict_types=1);

namespace RLock\Symfony;

/** What becomes of a call whose lock is still held when the wait is over. */
enum Busy
{
    /** It is not made, which is no error: a controller answers 204, a command ends with 0, a message counts as handled. */
    case Skip;

    /** A controller answers 423, a command fails, a message is retried as its transport does. */
    case Throw;
}
