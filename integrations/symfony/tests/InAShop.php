<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\MessageBusInterface;

require_once __DIR__ . '/OnARealServer.php';
require_once __DIR__ . '/Shop.php';

/** The Shop, in this process and in others, with a folder for each test. */
trait InAShop
{
    use OnARealServer {
        setUp as private setUpServer;
        tearDown as private tearDownServer;
    }

    /** In seconds. */
    private const LEASE = 1.5;

    /** For a busy machine. */
    private const GRACE = 3.0;

    /** @var list<\Process> */
    private static array $processes = [];

    private static ?Shop $shop = null;

    protected function setUp(): void
    {
        putenv('SERVER=' . self::$server->url());
        putenv('LEASE=' . self::LEASE);
        putenv('FOLDER=' . \temporary_folder() . '/shop');
        putenv('AUTOLOAD=' . dirname((string) (new \ReflectionClass(\Composer\Autoload\ClassLoader::class))->getFileName(), 2) . '/autoload.php');
        @mkdir(Shop::folder());
        $this->setUpServer();
    }

    protected function tearDown(): void
    {
        $this->tearDownServer();
        array_map(fn (\Process $process) => $process->stop(), self::$processes);
        self::$processes = [];
        array_map(unlink(...), array_filter(glob(Shop::folder() . '/*'), is_file(...)));
        self::$server->client()('FLUSHALL');
        self::$shop?->shutdown();
        self::$shop = null;
        restore_exception_handler();
    }

    private static function shop(): Shop
    {
        if (self::$shop === null) {
            self::$shop = new Shop();
            self::$shop->boot();
        }
        return self::$shop;
    }

    /** bin/console in a process of its own. */
    private static function start(string ...$arguments): \Process
    {
        $null = ['file', '/dev/null', 'r'];
        $output = ['file', Shop::folder() . '/output', 'a'];
        $extension = explode(' ', (string) getenv('TEST_PHP_EXTRA_ARGS'));
        return self::$processes[] = new \Process([PHP_BINARY, ...$extension, __DIR__ . '/console.php', ...$arguments], [$null, $output, $output]);
    }

    private static function awaitNotes(string $note, int $count = 1): void
    {
        \await("$count times: $note", fn (): bool => count(array_keys(Shop::notes(), $note, true)) >= $count);
    }

    private static function dispatch(object $message): Envelope
    {
        return self::shop()->getContainer()->get('bus')->dispatch($message);
    }

    private static function assertLogged(string $pattern): void
    {
        self::assertMatchesRegularExpression("~$pattern~", (string) @file_get_contents(Shop::folder() . '/log'));
    }
}
