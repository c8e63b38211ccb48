<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * What has become of a grant.
 *
 * @internal
 */
enum Fate
{
    case Held;

    /** Its lease ran out, and nobody has had the lock since. */
    case RanOut;

    /** Another has had the lock since, or that can no longer be told. */
    case Lost;
}
