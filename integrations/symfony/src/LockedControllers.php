<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\ControllerArgumentsEvent;
use Symfony\Component\HttpKernel\Event\ControllerEvent;
use Symfony\Component\HttpKernel\Exception\LockedHttpException;
use Symfony\Component\HttpKernel\KernelEvents;
use Symfony\Component\Lock\Exception\LockConflictedException;

/**
 * #[Locked] on controllers. Whatever else may turn a request away comes first.
 *
 * @internal
 */
final class LockedControllers implements EventSubscriberInterface
{
    /** @param \Closure(): LockedCalls $calls */
    public function __construct(private readonly \Closure $calls)
    {
    }

    public static function getSubscribedEvents(): array
    {
        return [
            KernelEvents::CONTROLLER => 'announceFence',
            KernelEvents::CONTROLLER_ARGUMENTS => ['lock', -10_000],
        ];
    }

    /** An argument must have a value before there is a lock. */
    public function announceFence(ControllerEvent $event): void
    {
        $fence = self::attributeOf($event)?->fence;
        if ($fence !== null) {
            $event->getRequest()->attributes->set($fence, 0);
        }
    }

    public function lock(ControllerArgumentsEvent $event): void
    {
        $locked = self::attributeOf($event);
        if ($locked === null) {
            return;
        }
        $controller = new \ReflectionFunction($event->getController()(...)); // called by PHP itself, it converts text to numbers
        $arguments = $event->getNamedArguments();
        $fenceAt = array_search($locked->fence, array_keys($arguments), true);
        $locking = function (mixed ...$given) use ($locked, $controller, $arguments, $fenceAt): mixed {
            $call = $this->begin($locked, $arguments, Locked::classOf($controller));
            if ($call === null) {
                return new Response(status: Response::HTTP_NO_CONTENT);
            }
            try {
                return $controller->invokeArgs($fenceAt === false ? $given : array_replace($given, [$fenceAt => $call->fence]));
            } finally {
                $call->end();
            }
        };
        $event->setController($locking, $event->getAttributes());
    }

    /**
     * @param array<string, mixed> $arguments
     * @param class-string $class
     */
    private function begin(Locked $locked, array $arguments, string $class): ?LockedCall
    {
        try {
            return ($this->calls)()->begin($locked, $arguments, $class);
        } catch (LockConflictedException $busy) {
            throw new LockedHttpException('', $busy); // who has it is nothing for the client
        }
    }

    private static function attributeOf(ControllerEvent|ControllerArgumentsEvent $event): ?Locked
    {
        $found = $event->getAttributes(Locked::class); // the class's, and the method's
        $controller = new \ReflectionFunction($event->getController()(...));
        return end($found) ?: Locked::of($controller, Locked::classOf($controller)); // or what the class extends has it
    }
}
