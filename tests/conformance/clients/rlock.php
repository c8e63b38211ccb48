<?php
/*
 * rlock itself as a client under test: the class RLock, from the extension or from integrations/client.
 *
 *   php -d extension=rlock.so clients/rlock.php
 *   php clients/rlock.php integrations/client
 */

require __DIR__ . '/../bytes.php';

if (isset($argv[1])) {
    require "$argv[1]/autoload.php";
}

final class Adapter
{
    /** @var array<int, RLock> */
    private array $owners = [];
    /** @var array<string, RLock\DetachedLock> which remember what they were granted */
    private array $named = [];

    public function answer(array $command): array
    {
        try {
            return ['result' => $this->do($command)];
        } catch (RLock\LostLockException $e) {
            return ['error' => 'lost', 'late' => $e->lateBy * 1000];
        } catch (RLock\TimeoutException $e) {
            return ['error' => 'timeout', 'late' => $e->lateBy * 1000, 'held' => $e->held];
        } catch (RLock\ServerException $e) {
            return ['error' => 'server', 'code' => $e->error];
        } catch (RLock\ConnectionException $e) {
            return ['error' => str_contains($e->getMessage(), 'had run out when') ? 'expired' : 'connection', 'says' => $e->getMessage()];
        } catch (ValueError $e) {
            return ['error' => 'refused', 'says' => $e->getMessage()];
        } catch (RLock\RLockException $e) {
            return ['error' => 'other', 'says' => $e->getMessage()];
        }
    }

    private function do(array $command): mixed
    {
        ['do' => $do, 'owner' => $owner, 'key' => $key] = $command + ['owner' => 0, 'key' => ''];
        if ($do === 'hello') {
            $levels = extension_loaded('rlock') ? ['core', 'queue', 'shares', 'renewal', 'majority', 'names'] : ['core', 'queue'];
            return ['name' => 'rlock, ' . (extension_loaded('rlock') ? 'the extension' : 'in PHP'), 'levels' => $levels];
        }
        if ($do === 'open') {
            $renews = ($command['renew'] ?? false) ? ['autoRenew' => true] : [];
            $servers = array_map(fn (array $server) => self::address($server, $command['timeout']), $command['servers']);
            $this->owners[$owner] = new RLock(count($servers) === 1 ? $servers[0] : $servers,
                $command['prefix'], ...$renews);
            return null;
        }
        $locks = $this->owners[$owner] ?? throw new RLock\RLockException("There is no owner $owner");
        $ttl = isset($command['ttl']) ? $command['ttl'] / 1000 : null;
        $wait = ($command['wait'] ?? 0) < 0 ? INF : ($command['wait'] ?? 0) / 1000;
        $metadata = $command['metadata'] ?? null;
        if (isset($command['name'])) {
            $lock = $this->named["$owner $command[name] $key"] ??= $locks->detached($key, $command['name']);
            return match ($do) {
                'take' => $lock->getLock($wait, $ttl, metadata: $metadata),
                'release' => $lock->releaseLock(($command['delay'] ?? 0) / 1000),
                'prolong' => $lock->prolongate($ttl),
                'look' => $lock->isLocking(),
            };
        }
        return match ($do) {
            'take' => $locks->getLock($key, $wait, $ttl, metadata: $metadata),
            'share' => $locks->getSharedLock($key, $wait, $ttl, metadata: $metadata, limit: $command['limit'] ?? null),
            'release' => $locks->releaseLock($key, ($command['delay'] ?? 0) / 1000),
            'prolong' => $locks->prolongate($key, $ttl),
            'downgrade' => $locks->downgrade($key),
            'check' => $locks->check($key),
            'look' => $locks->isLocking($key),
            'lease' => self::lease($locks->lease($key)),
            'holder' => self::holder($locks->holder($key)),
            'break' => $locks->breakLock($key, $command['fence'] ?? null),
            'hand_over' => $locks->handOver($key, $ttl),
            'adopt' => $locks->adopt($key, $command['token'], $ttl),
            'close' => $this->close($owner),
        };
    }

    private static function address(array $server, int $timeout): string
    {
        $scheme = isset($server['tls']) ? 'rediss' : 'redis';
        $password = isset($server['password']) ? ':' . rawurlencode($server['password']) . '@' : '';
        $options = ['timeout' => $timeout / 1000, 'connect_timeout' => $timeout / 1000, ...isset($server['tls']) ? ['cafile' => $server['tls']] : []];
        return "$scheme://$password$server[host]:$server[port]?" . http_build_query($options);
    }

    private static function lease(?RLock\Lease $lease): ?array
    {
        return $lease === null ? null : ['token' => $lease->token, 'fence' => $lease->fence, 'depth' => $lease->depth,
            'left' => $lease->ttl * 1000, 'shared' => $lease->shared];
    }

    private static function holder(?RLock\Holder $holder): ?array
    {
        return $holder === null ? null : ['kind' => $holder->kind->value, 'owner' => $holder->owner, 'fence' => $holder->fence,
            'left' => $holder->ttl === null ? null : $holder->ttl * 1000, 'metadata' => $holder->metadata];
    }

    private function close(int $owner): void
    {
        $locks = $this->owners[$owner];
        unset($this->owners[$owner]);
        $locks->close();
    }
}

ini_set('serialize_precision', -1);
ini_set('display_errors', 'stderr'); /* results go to standard output */
$adapter = new Adapter;
while (($line = fgets(STDIN)) !== false) {
    fwrite(STDOUT, to_json($adapter->answer(from_json($line))) . "\n");
}
