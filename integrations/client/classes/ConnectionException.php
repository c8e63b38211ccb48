<?php

declare(strict_types=1);

namespace RLock;

class ConnectionException extends RLockException
{
}
