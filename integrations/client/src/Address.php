<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\RLockException;

/**
 * Where the server is, and how to begin a connection to it.
 *
 * @internal
 */
final class Address
{
    public readonly string $target;

    /** Without what is secret. */
    public readonly string $shown;

    /** @var array<string, mixed> PHP's options of that name; empty without TLS */
    public readonly array $tls;

    /** @var list<list<string>> what a connection says first */
    public readonly array $greeting;

    public readonly int $connectTimeout;

    /** One call's whole deadline; both in microseconds. */
    public readonly int $timeout;

    public function __construct(#[\SensitiveParameter] string $url)
    {
        $parts = parse_url((string) preg_replace('~^unix:///~', 'unix://./', $url)); // which else has no host for PHP
        $scheme = $parts['scheme'] ?? '';
        if ($scheme === 'sentinel' || $scheme === 'cluster') {
            throw new RLockException("$scheme:// needs the extension: without it there is one server");
        }
        if ($parts === false || !in_array($scheme, ['redis', 'rediss', 'unix'], true)) {
            throw new \ValueError('An address must begin with redis://, rediss:// or unix://');
        }
        parse_str($parts['query'] ?? '', $options);
        $options = array_filter($options, is_string(...));
        $isSocket = $scheme === 'unix';
        $path = rawurldecode($parts['path'] ?? '');
        $this->shown = $isSocket ? $path : ($parts['host'] ?? '127.0.0.1') . ':' . ($parts['port'] ?? 6379);
        $this->target = ['redis' => 'tcp://', 'rediss' => 'ssl://', 'unix' => 'unix://'][$scheme] . $this->shown;
        $this->connectTimeout = (int) ((float) ($options['connect_timeout'] ?? 1.0) * 1e6);
        $this->timeout = (int) ((float) ($options['timeout'] ?? 1.0) * 1e6);
        $this->tls = $scheme === 'rediss' ? self::tls($options) : [];
        $user = rawurldecode($parts['user'] ?? $options['user'] ?? '');
        $password = rawurldecode($parts['pass'] ?? $options['password'] ?? '');
        $database = $isSocket ? $options['db'] ?? '' : ltrim($path, '/');
        $this->greeting = [
            ...$password === '' ? [] : [['AUTH', ...$user === '' ? [] : [$user], $password]],
            ...$database === '' ? [] : [['SELECT', $database]],
        ];
    }

    /**
     * @param array<string> $options
     * @return array<string, mixed>
     */
    private static function tls(array $options): array
    {
        $verify = ($options['verify'] ?? '1') !== '0';
        return ['verify_peer' => $verify, 'verify_peer_name' => $verify] + array_filter([
            'cafile' => $options['cafile'] ?? null,
            'local_cert' => $options['cert'] ?? null,
            'local_pk' => $options['key'] ?? null,
            'peer_name' => $options['sni'] ?? null,
        ]);
    }
}
