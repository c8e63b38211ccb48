<?php

declare(strict_types=1);

namespace RLock\Client\Tests;

use PHPUnit\Framework\TestCase;

/**
 * Where the extension is loaded, it is what code gets.
 *
 * @group extension
 */
final class ExtensionTest extends TestCase
{
    public function testItWins(): void
    {
        self::assertTrue((new \ReflectionClass(\RLock::class))->isInternal());
        self::assertFalse(class_exists(\RLock\Client\Server::class, autoload: false));
    }
}
