<?php

declare(strict_types=1);

namespace RLock\Testing\Tests;

use PHPUnit\Framework\TestCase;

final class ReadmeTest extends TestCase
{
    public function testItsExamplePrintsWhatItSays(): void
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        self::assertSame(1, preg_match('/```php\n(.*?)```\n\n```text\n(.*?)```/s', $readme, $example));
        // Xdebug has var_dump() say where it is.
        $this->setOutputCallback(fn (string $output): string => (string) preg_replace('/^.*:\d+:\n/m', '', $output));
        $this->expectOutputString($example[2]);
        eval($example[1]);
    }
}
