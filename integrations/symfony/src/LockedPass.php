<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Messenger\Handler\BatchHandlerInterface;
use Symfony\Component\Messenger\Handler\HandlerDescriptor;

/**
 * Puts #[Locked] before the handlers of messages, and refuses it where nothing minds it. MessengerPass has run.
 *
 * @internal
 */
final class LockedPass implements CompilerPassInterface
{
    /** Of services on which it is an attribute. */
    public const TAG = 'rlock.locked';

    /** Of services for which something minds it. */
    private const MINDED = ['controller.service_arguments', 'console.command', 'messenger.message_handler'];

    public function process(ContainerBuilder $container): void
    {
        foreach (array_keys($container->findTaggedServiceIds(self::TAG)) as $id) {
            $definition = $container->getDefinition($id);
            if (!$definition->isAbstract() && array_filter(self::MINDED, $definition->hasTag(...)) === []) {
                throw new \LogicException("#[Locked] does nothing for the service \"$id\": it is not tagged as a controller, a command, or a message's handler");
            }
        }
        foreach ($container->getDefinitions() as $definition) {
            if ($definition->getClass() === HandlerDescriptor::class) {
                self::lock($container, $definition);
            }
        }
    }

    private static function lock(ContainerBuilder $container, Definition $descriptor): void
    {
        [$handler, $options] = $descriptor->getArguments() + [1 => []];
        $wrapper = $container->findDefinition((string) $handler);
        [$service, $method] = $wrapper->getClass() === 'Closure' ? $wrapper->getArgument(0) : [$handler, '__invoke'];
        $class = self::classOf($container, $service);
        if (Locked::of(new \ReflectionMethod($class, $method), $class) === null) {
            return;
        }
        if (is_a($class, BatchHandlerInterface::class, true)) {
            throw new \LogicException("#[Locked] cannot be for $class, which handles messages later than it is called");
        }
        $locked = new Definition(LockedHandler::class, [new Reference('rlock.locked_calls'), $handler]);
        $name = "$class::$method" . (isset($options['alias']) ? "@$options[alias]" : '');
        $descriptor->setArguments([$locked, ['alias' => $name] + $options]); // a message remembers who has handled it
    }

    private static function classOf(ContainerBuilder $container, Reference $service): string
    {
        $definition = $container->findDefinition((string) $service);
        while ($definition->getClass() === null && $definition instanceof ChildDefinition) {
            $definition = $container->findDefinition($definition->getParent());
        }
        return $container->getParameterBag()->resolveValue($definition->getClass());
    }
}
