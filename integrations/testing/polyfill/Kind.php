<?php

declare(strict_types=1);

namespace RLock;

enum Kind
{
    case Lease;
    case Detached;
    case HandOver;
    case Cooldown;
    case Foreign;
}
