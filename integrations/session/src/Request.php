<?php

declare(strict_types=1);

namespace RLock\Session;

/**
 * What others are told of the request that has a session.
 *
 * @internal
 */
final class Request
{
    private const LONGEST = 200;

    /**
     * "POST /checkout", or the script's name on the command line. Without the query, which may hold secrets, and the
     * session's id, which is one.
     */
    public static function describe(): string
    {
        $method = self::server('REQUEST_METHOD', PHP_SAPI);
        $place = explode('?', self::server('REQUEST_URI', self::server('SCRIPT_NAME', '')))[0];
        return substr((string) preg_replace('/[^\x20-\x7e]/', '?', $method . ' ' . self::withoutId($place)), 0, self::LONGEST);
    }

    private static function withoutId(string $place): string
    {
        $id = (string) session_id();
        return $id === '' ? $place : str_replace([$id, rawurlencode($id)], '#', $place);
    }

    /**
     * Whether the session that is being started will be closed at once. PHP does not tell a handler, but the option is
     * an argument of session_start(), which called it.
     */
    public static function readsAndCloses(): bool
    {
        foreach (debug_backtrace(0, 8) as $frame) {
            if ($frame['function'] === 'session_start' && !isset($frame['class'])) {
                $options = $frame['args'][0] ?? [];
                $option = is_array($options) ? $options['read_and_close'] ?? 0 : 0;
                return is_scalar($option) && (int) $option > 0;
            }
        }
        return false;
    }

    private static function server(string $name, string $default): string
    {
        $value = $_SERVER[$name] ?? null;
        return is_string($value) ? $value : $default;
    }
}
