<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Messenger\Exception\RecoverableMessageHandlingException;

/**
 * #[Locked] on a handler of messages.
 *
 * @internal
 */
final class LockedHandler
{
    /** Called by PHP itself, it converts text to numbers, as Messenger's calls do. */
    private readonly \ReflectionFunction $handler;

    private readonly string $class;
    private readonly Locked $locked;

    public function __construct(private readonly LockedCalls $calls, callable $handler)
    {
        $this->handler = new \ReflectionFunction($handler(...));
        $this->class = Locked::classOf($this->handler);
        $this->locked = Locked::of($this->handler, $this->class);
    }

    public function __invoke(object $message, mixed ...$more): mixed
    {
        try {
            $call = $this->calls->begin($this->locked, $message, $this->class);
        } catch (LockConflictedException $busy) {
            throw new RecoverableMessageHandlingException($busy->getMessage(), 0, $busy);
        }
        if ($call === null) {
            return null;
        }
        try {
            $fence = $this->locked->fence === null ? [] : [$this->locked->fence => $call->fence];
            return $this->handler->invoke($message, ...$more, ...$fence);
        } finally {
            $call->end();
        }
    }
}
