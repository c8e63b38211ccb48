<?php

declare(strict_types=1);

namespace RLock;

enum Kind: string
{
    case Lease = 'lease';
    case Detached = 'detached';
    case HandOver = 'hand-over';
    case Cooldown = 'cooldown';
    case Foreign = 'foreign';
}
