<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use Psr\Log\LoggerInterface;
use RLock\Symfony\Busy;
use RLock\Symfony\Locked;
use RLock\Symfony\RLockSymfonyBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\Console\Attribute\Argument;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Attribute\Option;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\LockableTrait;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\ViewEvent;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\HttpKernel\Log\Logger;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\MessageBusInterface;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Receiver\KeepaliveReceiverInterface;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\TransportFactoryInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;
use Symfony\Component\Routing\Attribute\Route;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Component\Scheduler\ScheduleProviderInterface;

if (interface_exists(ScheduleProviderInterface::class)) {
    require_once __DIR__ . '/ShopSchedule.php';
}

/**
 * An application with controllers, commands, messages and a schedule, all of which write notes and some of which wait for a
 * sign. Its settings are in the environment: FOLDER, SERVER, LEASE.
 */
final class Shop extends Kernel
{
    use MicroKernelTrait;

    /** @param bool $isWired with our bundle's part in it */
    public function __construct(private readonly bool $isWired = true, string $name = 'shop')
    {
        parent::__construct($name, false);
    }

    public static function note(string $what): void
    {
        file_put_contents(self::folder() . '/notes', "$what\n", FILE_APPEND);
    }

    /** @return list<string> */
    public static function notes(): array
    {
        return @file(self::folder() . '/notes', FILE_IGNORE_NEW_LINES) ?: [];
    }

    /** Notes it, and waits for the sign of that name. */
    public static function work(string $name): void
    {
        self::note("$name begins");
        while (!file_exists(self::folder() . "/$name.go")) {
            usleep(2000);
        }
        self::note("$name ends");
    }

    public static function go(string $name): void
    {
        touch(self::folder() . "/$name.go");
    }

    public static function folder(): string
    {
        return getenv('FOLDER');
    }

    public function registerBundles(): iterable
    {
        return $this->isWired ? [new FrameworkBundle(), new RLockSymfonyBundle()] : [new FrameworkBundle()];
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', [
            'http_method_override' => false,
            'handle_all_throwables' => true,
            'php_errors' => ['log' => true],
            'router' => ['utf8' => true],
            'lock' => $this->isWired ? 'rlock' : 'in-memory',
            'scheduler' => interface_exists(ScheduleProviderInterface::class),
            'messenger' => [
                'transports' => [
                    'files' => ['dsn' => 'files://', 'retry_strategy' => ['delay' => 0, 'max_retries' => 1]],
                    'here' => 'sync://',
                ],
                'routing' => [Ship::class => 'files', Pack::class => 'files', Weigh::class => 'here'],
            ],
        ]);
        if ($this->isWired) {
            $container->extension('rlock', ['servers' => '%env(SERVER)%', 'lease' => (float) getenv('LEASE')]);
        }
        $services = $container->services()->defaults()->autowire()->autoconfigure();
        $services->set('logger', Logger::class)->args(['debug', self::folder() . '/log'])->public();
        $services->alias(LoggerInterface::class, 'logger');
        $services->alias('locks', LockFactory::class)->public();
        $services->alias('bus', MessageBusInterface::class)->public();
        $services->set(Views::class)->tag('kernel.event_listener', ['event' => 'kernel.view']);
        foreach ([Orders::class, Import::class, Export::class, Rebuild::class, Shipping::class, Packing::class, Weighing::class, FilesFactory::class] as $class) {
            $services->set($class)->public();
        }
        if (interface_exists(ScheduleProviderInterface::class)) {
            $services->set(ShopSchedule::class);
            $services->set(Ticking::class);
        }
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->import(Orders::class, 'attribute');
    }

    public function getProjectDir(): string
    {
        return self::folder();
    }
}

final class Orders
{
    #[Route('/ship/{id}')]
    #[Locked('order:{id}', fence: 'fence')]
    public function ship(int $id, int $fence): Response
    {
        Locked::assertHeld();
        return new Response("shipped $id" . ($fence > 0 ? ' with a fence' : ''));
    }

    #[Route('/maybe/{id}')]
    #[Locked('order:{id}', wait: 0.05, busy: Busy::Skip)]
    public function maybe(string $id): Response
    {
        return new Response("shipped $id");
    }

    #[Route('/plain')]
    #[Locked('plain')]
    public function plain(): string
    {
        return 'plain';
    }

    #[Route('/fail/{id}')]
    #[Locked('order:{id}')]
    public function fail(string $id): Response
    {
        throw new \DomainException("not $id");
    }
}

/** Makes an answer of what a controller returns and which attributes it has. */
final class Views
{
    public function __invoke(ViewEvent $event): void
    {
        $locked = $event->controllerArgumentsEvent->getAttributes(Locked::class)[0];
        $event->setResponse(new Response($event->getControllerResult() . " under $locked->resource"));
    }
}

#[AsCommand('import')]
#[Locked('import:{file}', busy: Busy::Skip, fence: 'fence')]
final class Import extends Command
{
    protected function configure(): void
    {
        $this->addArgument('file', InputArgument::REQUIRED)->addOption('fence', null, InputOption::VALUE_REQUIRED);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        Locked::assertHeld();
        Shop::note($input->getOption('fence') > 0 ? 'a fence' : 'no fence');
        Shop::work($input->getArgument('file'));
        return 5;
    }
}

#[AsCommand('export')]
final class Export
{
    #[Locked('export', wait: 0.01)]
    public function __invoke(#[Argument] string $name, #[Option] bool $often = false): int
    {
        Locked::assertHeld();
        Shop::work($name);
        return Command::SUCCESS;
    }
}

#[AsCommand('rebuild')]
final class Rebuild extends Command
{
    use LockableTrait;

    public function __construct(LockFactory $locks)
    {
        parent::__construct();
        $this->lockFactory = $locks;
    }

    protected function configure(): void
    {
        $this->addArgument('name', InputArgument::REQUIRED);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!$this->lock()) {
            return 3;
        }
        Shop::work($input->getArgument('name'));
        return Command::SUCCESS;
    }
}

final class Ship
{
    public function __construct(public readonly int $id)
    {
    }
}

final class Shipping
{
    #[AsMessageHandler]
    #[Locked('order:{id}', fence: 'fence')]
    public function ship(Ship $message, ?int $fence = null): void
    {
        Locked::assertHeld();
        Shop::note($fence > 0 ? 'a fence' : 'no fence');
        Shop::work("ship-$message->id");
    }

    #[AsMessageHandler]
    #[Locked('bill:{id}')]
    public function bill(Ship $message): void
    {
        Shop::note("bill $message->id");
    }
}

final class Pack
{
    public function __construct(public readonly string $name)
    {
    }
}

#[AsMessageHandler]
final class Packing
{
    public function __construct(private readonly LockFactory $locks)
    {
    }

    public function __invoke(Pack $message): void
    {
        $lock = $this->locks->createLock('packing');
        if (!$lock->acquire()) {
            Shop::note("$message->name is busy");
            return;
        }
        Shop::work($message->name);
        $lock->release();
    }
}

final class Weigh
{
    public function __construct(public readonly int $id)
    {
    }
}

#[AsMessageHandler]
#[Locked('order:{id}', busy: Busy::Skip)]
final class Weighing
{
    public function __invoke(Weigh $message): string
    {
        Locked::assertHeld();
        return "weighed $message->id";
    }
}

/** Messages in files. One that was begun comes again if it is neither acknowledged nor kept alive for a while. */
final class Files implements TransportInterface, KeepaliveReceiverInterface
{
    private const AGAIN_AFTER = 2;

    public function __construct(private readonly SerializerInterface $serializer)
    {
    }

    public function send(Envelope $envelope): Envelope
    {
        $file = Shop::folder() . '/' . hrtime(true) . '.message';
        file_put_contents("$file.new", serialize($this->serializer->encode($envelope)));
        touch("$file.new", time() - 1);
        rename("$file.new", $file);
        return $envelope;
    }

    public function get(): iterable
    {
        clearstatcache();
        foreach (glob(Shop::folder() . '/*.message') as $file) {
            if (filemtime($file) <= time()) {
                touch($file, time() + self::AGAIN_AFTER);
                $envelope = $this->serializer->decode(unserialize(file_get_contents($file)));
                return [$envelope->with(new TransportMessageIdStamp($file))];
            }
        }
        return [];
    }

    public function ack(Envelope $envelope): void
    {
        unlink($envelope->last(TransportMessageIdStamp::class)->getId());
    }

    public function reject(Envelope $envelope): void
    {
        $this->ack($envelope);
    }

    public function keepalive(Envelope $envelope, ?int $seconds = null): void
    {
        touch($envelope->last(TransportMessageIdStamp::class)->getId(), time() + self::AGAIN_AFTER);
        Shop::note('kept alive');
    }
}

final class FilesFactory implements TransportFactoryInterface
{
    public function createTransport(string $dsn, array $options, SerializerInterface $serializer): TransportInterface
    {
        return new Files($serializer);
    }

    public function supports(string $dsn, array $options): bool
    {
        return str_starts_with($dsn, 'files:');
    }
}
