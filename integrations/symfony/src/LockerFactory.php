<?php

declare(strict_types=1);

namespace RLock\Symfony;

/**
 * Makes the RLock of the settings. An environment variable among them is read only now, and may be empty.
 *
 * @internal
 */
final class LockerFactory
{
    /**
     * @param string|list<string>|null $servers if there are none, those of php.ini
     * @param float|null $renewed the lease, in seconds, that it renews; null: it renews none
     */
    public static function create(#[\SensitiveParameter] string|array|null $servers, ?string $prefix, ?float $renewed = null): \RLock
    {
        return new \RLock($servers ?: null, $prefix, $renewed, $renewed !== null);
    }
}
