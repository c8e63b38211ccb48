<?php

declare(strict_types=1);

namespace RLock\Client\Tests;

use PHPUnit\Framework\TestCase;

/** The package declares what the extension does. */
final class ClassesTest extends TestCase
{
    private const STUB = __DIR__ . '/../../../src/php/rlock.stub.php';

    public function testItDeclaresWhatTheStubDoes(): void
    {
        $declared = self::describe(self::STUB);
        unset($declared['RLock\NamedLock']); // the extension's own DetachedLock
        unset($declared['RLock\PendingLock']); // and Pending
        self::assertSame($declared, self::describe(__DIR__ . '/../classes'));
    }

    public function testItStandsBackForTheExtension(): void
    {
        self::assertSame(
            extension_loaded('rlock') ? 'rlock' : false,
            (new \ReflectionClass(\RLock\Locker::class))->getExtensionName(),
        );
    }

    /** @return array<string, mixed> */
    private static function describe(string $from): array
    {
        $command = array_map(escapeshellarg(...), [PHP_BINARY, '-n', __DIR__ . '/describe.php', $from]);
        $output = (string) shell_exec(implode(' ', $command));
        $description = json_decode($output, true);
        self::assertIsArray($description, $output);
        self::assertNotSame([], $description);
        return $description;
    }
}
