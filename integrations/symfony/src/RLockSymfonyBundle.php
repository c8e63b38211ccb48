<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\Locker;
use Symfony\Component\Config\Definition\Configurator\DefinitionConfigurator;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;

use function Symfony\Component\DependencyInjection\Loader\Configurator\service;

/**
 * The services of rlock, and `framework.lock: rlock`. Its name is one of those that Symfony Flex looks for.
 */
final class RLockSymfonyBundle extends AbstractBundle
{
    protected string $extensionAlias = 'rlock';

    public function configure(DefinitionConfigurator $definition): void
    {
        $definition->rootNode()
            ->children()
                ->variableNode('servers')
                    ->info('One address, or a list of the addresses of independent masters; null or empty: rlock.servers of php.ini')
                    ->defaultNull()
                ->end()
                ->scalarNode('prefix')
                    ->info('Put before the name of every lock; null: rlock.prefix of php.ini')
                    ->defaultNull()
                ->end()
                ->floatNode('initial_ttl')
                    ->info('The ttl in seconds of locks that are created with the ttl null')
                    ->defaultValue(300.0)
                ->end()
                ->floatNode('max_wait')
                    ->info('How long acquire(true) waits, in seconds; null: forever')
                    ->treatNullLike(INF)
                    ->defaultValue(INF)
                ->end()
                ->floatNode('lease')
                    ->info('The lease in seconds of what is renewed while a process works under it')
                    ->defaultValue(RLockStore::LEASE)
                ->end()
            ->end();
    }

    /** @param array{servers: mixed, prefix: ?string, initial_ttl: float, max_wait: float, lease: float} $config */
    public function loadExtension(
        #[\SensitiveParameter] array $config,
        ContainerConfigurator $container,
        ContainerBuilder $builder,
    ): void {
        $services = $container->services();
        $services->set('rlock.locker', \RLock::class)
            ->factory([LockerFactory::class, 'create'])
            ->args([$config['servers'], $config['prefix']]);
        $services->alias(Locker::class, 'rlock.locker');
        $services->set('rlock', RLockStore::class)
            ->args([service('rlock.locker'), $config['initial_ttl'], $config['max_wait'], $config['lease']])
            ->call('setLogger', [service('logger')->ignoreOnInvalid()])
            ->tag('monolog.logger', ['channel' => 'lock']);
        $services->alias(RLockStore::class, 'rlock');
    }

    public function build(ContainerBuilder $container): void
    {
        $container->addCompilerPass(new NamedStorePass());
    }
}
