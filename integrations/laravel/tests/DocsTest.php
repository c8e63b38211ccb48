<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Support\Facades\Facade;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Application.php';

/** What the README and docs/coming-from-laravel.md show is run, and must print what they say. */
final class DocsTest extends TestCase
{
    private static RedisServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = new RedisServer();
    }

    protected function setUp(): void
    {
        self::$server->client()->flushAll();
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication(Application::on(self::$server, ['redis' => ['driver' => 'redis']]));
    }

    protected function tearDown(): void
    {
        Facade::setFacadeApplication(null);
    }

    /** @dataProvider examples */
    public function testAnExamplePrintsWhatItSays(string $code, string $output): void
    {
        // Xdebug has var_dump() say where it is.
        $this->setOutputCallback(fn (string $printed): string => (string) preg_replace('/^.*:\d+:\n/m', '', $printed));
        $this->expectOutputString($output);
        (static fn () => eval($code))();
    }

    /** @return iterable<string, array{string, string}> */
    public static function examples(): iterable
    {
        foreach ([dirname(__DIR__) . '/README.md', dirname(__DIR__, 3) . '/docs/coming-from-laravel.md'] as $page) {
            preg_match_all('/^```php\n(.*?)^```(?:\n\n```text\n(.*?)^```)?/ms', (string) file_get_contents($page), $blocks, PREG_SET_ORDER);
            foreach ($blocks as $number => $block) {
                yield basename($page) . " $number" => [$block[1], $block[2] ?? ''];
            }
        }
    }

    public function testTheConfigurationOfTheReadmeWorks(): void
    {
        preg_match('/^```php\n(return .*?)^```/ms', (string) file_get_contents(dirname(__DIR__) . '/README.md'), $block);
        $stores = (eval($block[1]))['stores'];
        $other = new RedisServer();
        $stores['rlock']['servers'] = "unix://$other->socket";
        $cache = Application::on(self::$server, $stores)->make('cache');
        self::assertTrue($cache->lock('mail', 10)->get());
        self::assertSame(['shop-database-shop-cache-mail'], $other->client()->keys('shop-*'));
        self::assertTrue($cache->restoreLock('mail', 'me')->isLocked());
    }
}
