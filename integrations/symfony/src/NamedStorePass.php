<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Lets framework.lock name a service that is an RLockStore. The framework takes a service's name for that of a
 * connection, for which StoreFactory finds a store, and StoreFactory knows none for rlock.
 *
 * The framework's factories tell stores the ttl in time; stores of other kinds do not look at it.
 *
 * @internal
 */
final class NamedStorePass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        if ($container->hasDefinition('lock.factory.abstract')) {
            $container->getDefinition('lock.factory.abstract')->setClass(RLockFactory::class);
        }
        foreach ($container->getDefinitions() as $id => $definition) {
            $service = self::connectionOf($definition);
            if ($service !== null && self::isStore($container, $service)) {
                $container->setAlias($id, $service);
            }
        }
    }

    /** The service of which StoreFactory is to make this store. */
    private static function connectionOf(Definition $definition): ?string
    {
        $connection = $definition->getArguments()[0] ?? null;
        return $definition->getFactory() === [StoreFactory::class, 'createStore'] && $connection instanceof Reference
            ? (string) $connection
            : null;
    }

    private static function isStore(ContainerBuilder $container, string $service): bool
    {
        return $container->has($service) && $container->findDefinition($service)->getClass() === RLockStore::class;
    }
}
