<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\Locker;
use Symfony\Component\Config\Definition\Configurator\DefinitionConfigurator;
use Symfony\Component\Console\ConsoleEvents;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\DependencyInjection\Loader\Configurator\ServicesConfigurator;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;

use function Symfony\Component\DependencyInjection\Loader\Configurator\service;
use function Symfony\Component\DependencyInjection\Loader\Configurator\service_closure;

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
        $this->loadLocked($services, $config);
        $builder->registerAttributeForAutoconfiguration(
            Locked::class,
            static fn (ChildDefinition $definition, Locked $locked, \ReflectionClass|\ReflectionMethod $of) => $definition->addTag(LockedPass::TAG),
        );
    }

    /** @param array{servers: mixed, prefix: ?string, lease: float} $config */
    private function loadLocked(ServicesConfigurator $services, #[\SensitiveParameter] array $config): void
    {
        $services->set('rlock.renewing_locker', \RLock::class)
            ->factory([LockerFactory::class, 'create'])
            ->args([$config['servers'], $config['prefix'], $config['lease']])
            ->share(false);
        $services->set('rlock.locked_calls', LockedCalls::class)
            ->args([service_closure('rlock.renewing_locker'), service('logger')->nullOnInvalid()])
            ->tag('monolog.logger', ['channel' => 'lock']);
        foreach ([LockedControllers::class, LockedCommands::class] as $subscriber) {
            if ($subscriber !== LockedCommands::class || class_exists(ConsoleEvents::class)) {
                $services->set($subscriber)->args([service_closure('rlock.locked_calls')])->tag('kernel.event_subscriber');
            }
        }
    }

    public function build(ContainerBuilder $container): void
    {
        $container->addCompilerPass(new NamedStorePass());
        $container->addCompilerPass(new LockedPass(), priority: -10);
    }
}
