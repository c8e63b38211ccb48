<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use RLock\Locker;
use RLock\Symfony\RLockSymfonyBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Lock\LockFactory;

/** An application of the framework and our bundle. Its public services are `locks`, `locker`, and `invoices`. */
final class App extends Kernel
{
    private static int $apps = 0;

    /**
     * @param string|array<string, string|list<string>> $lock framework.lock
     * @param array<string, mixed> $rlock the bundle's settings
     * @param \Closure(ContainerBuilder): void|null $services adds services of the application's own
     */
    public function __construct(
        private readonly string|array $lock,
        private readonly array $rlock,
        private readonly ?\Closure $services = null,
    ) {
        parent::__construct('test' . ++self::$apps, false); // each has a container class of its own
    }

    public function registerBundles(): iterable
    {
        return [new FrameworkBundle(), new RLockSymfonyBundle()];
    }

    public function registerContainerConfiguration(LoaderInterface $loader): void
    {
        $loader->load(function (ContainerBuilder $container): void {
            $container->loadFromExtension('framework', ['http_method_override' => false, 'lock' => $this->lock]);
            $container->loadFromExtension('rlock', $this->rlock);
            $container->setAlias('locks', LockFactory::class)->setPublic(true);
            $container->setAlias('locker', Locker::class)->setPublic(true);
            if (isset($this->lock['invoices'])) {
                $container->setAlias('invoices', 'lock.invoices.factory')->setPublic(true);
            }
            $this->services === null || ($this->services)($container);
        });
    }

    public function getProjectDir(): string
    {
        return \temporary_folder();
    }
}
