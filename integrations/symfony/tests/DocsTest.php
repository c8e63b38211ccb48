<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Yaml\Yaml;

require_once __DIR__ . '/App.php';
require_once __DIR__ . '/OnARealServer.php';

/** What the README and docs/coming-from-symfony.md show is run, and must print what they say. */
final class DocsTest extends TestCase
{
    use OnARealServer;

    /** @dataProvider provideExamples */
    public function testAnExamplePrintsWhatItSays(string $code, string $output): void
    {
        // Xdebug has var_dump() say where it is.
        $this->setOutputCallback(fn (string $printed): string => (string) preg_replace('/^.*:\d+:\n/m', '', $printed));
        $this->expectOutputString($output);
        (static fn () => eval(str_replace('redis://127.0.0.1', self::$server->url(), $code)))();
    }

    /** @return iterable<string, array{string, string}> */
    public static function provideExamples(): iterable
    {
        foreach ([dirname(__DIR__) . '/README.md', dirname(__DIR__, 3) . '/docs/coming-from-symfony.md'] as $page) {
            preg_match_all('/^```php\n(.*?)^```(?:\n\n```text\n(.*?)^```)?/ms', self::read($page), $blocks, PREG_SET_ORDER);
            foreach ($blocks as $number => $block) {
                yield basename($page) . " $number" => [$block[1], $block[2] ?? ''];
            }
        }
    }

    public function testTheConfigurationOfTheReadmeWorks(): void
    {
        preg_match_all('/^```yaml\n(.*?)^```/ms', self::read(dirname(__DIR__) . '/README.md'), $blocks);
        $config = array_merge(...array_map(Yaml::parse(...), $blocks[1]));
        $_ENV['LOCK_SERVERS'] = self::$server->url();
        $app = new App($config['framework']['lock'], $config['rlock']);
        $app->boot();
        $lock = $app->getContainer()->get('locks')->createLock('mail');
        $lock->acquire();
        unset($_ENV['LOCK_SERVERS']);
        self::assertSame(1, self::$server->client()('EXISTS', $config['rlock']['prefix'] . 'mail'));
    }

    private static function read(string $page): string
    {
        return (string) file_get_contents($page);
    }
}
