<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Support\ConfigurationUrlParser;

/** One Redis connection of config/database.php, in rlock's words. */
final class RedisConfig
{
    /** @var array<string, mixed> */
    private readonly array $config;

    /** @param array<string, mixed> $redis the part `redis` of config/database.php */
    public function __construct(
        #[\SensitiveParameter] private readonly array $redis,
        private readonly string $connection,
    ) {
        $config = $redis[$connection] ?? ['options' => $redis['clusters']['options'] ?? []];
        $this->config = (new ConfigurationUrlParser())->parseConfiguration($config);
    }

    /** What the connection puts before every key. */
    public function prefix(): string
    {
        return (string) ($this->config['prefix']
            ?? $this->config['options']['prefix']
            ?? $this->redis['options']['prefix']
            ?? '');
    }

    /** @throws \InvalidArgumentException the connection is not to one server, or has settings that no address can tell */
    public function address(): string
    {
        [$scheme, $host] = $this->host();
        $this->refuseUnless($host !== '' && empty($this->config['context']) && empty($this->config['ssl']));
        $database = (int) ($this->config['database'] ?? 0);
        if ($scheme === 'unix') {
            $login = ['user' => $this->config['username'] ?? null, 'password' => $this->config['password'] ?? null];
            $path = implode('/', array_map(rawurlencode(...), explode('/', $host)));
            return "unix://$path?" . http_build_query(['db' => $database] + array_filter($login), '', '&', PHP_QUERY_RFC3986);
        }
        $host = str_contains($host, ':') ? '[' . trim($host, '[]') . ']' : $host;
        $port = (int) ($this->config['port'] ?? 6379);
        return "$scheme://{$this->login()}$host:$port/$database";
    }

    /** @return array{string, string} the scheme of rlock's address, and the host or path */
    private function host(): array
    {
        $host = (string) ($this->config['path'] ?? $this->config['host'] ?? '');
        $scheme = $this->config['scheme'] ?? $this->config['driver'] ?? 'tcp';
        if (preg_match('~^(\w+)://(.*)$~', $host, $parts)) {
            [, $scheme, $host] = $parts;
        }
        return [
            match (true) {
                str_starts_with($host, '/') => 'unix',
                in_array($scheme, ['tls', 'ssl', 'rediss'], true) => 'rediss',
                default => 'redis',
            },
            $host,
        ];
    }

    private function login(): string
    {
        $password = (string) ($this->config['password'] ?? '');
        $user = rawurlencode((string) ($this->config['username'] ?? ''));
        return $password === '' ? '' : "$user:" . rawurlencode($password) . '@';
    }

    private function refuseUnless(bool $possible): void
    {
        if (!$possible) {
            throw new \InvalidArgumentException(
                "The Redis connection [$this->connection] cannot be made an address for locks: "
                . 'set `servers` of the cache store with driver `rlock`',
            );
        }
    }
}
