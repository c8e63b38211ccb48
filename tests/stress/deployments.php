<?php
/*
 * What the stress run can be made against: one server, with and without TLS, a majority of three, a master that Sentinel
 * replaces, whose replica may have to acknowledge, or a Redis Cluster whose slots move.
 */

require __DIR__ . '/node.php';
require __DIR__ . '/../tls/tls.inc';

/* A call's whole deadline is short, so that what is delivered after it is late. */
const TIMEOUTS = 'timeout=0.3&connect_timeout=0.3';
/* Longer than any lease, baton or flag of the run, by a clock that stepped. */
const LAST_LEASE = 12.0;

abstract class Deployment
{
    /** @var list<Node> */
    public array $nodes = [];

    /* For the workers: one address, or several with spaces between. */
    abstract public function servers(): string;

    /* How many have to acknowledge. */
    public function replicas(): int
    {
        return 0;
    }

    /* How often each fault that is done to the servers strikes: name => share. */
    abstract public function faults(): array;

    /** @return list<Node> those that have locks now */
    public function masters(): array
    {
        return $this->nodes;
    }

    public function anyMaster(): Node
    {
        $masters = $this->masters();
        return $masters[array_rand($masters)];
    }

    /* A server that is back need not be of use at once. */
    public function awaitReady(): void
    {
    }

    /* What only such a deployment has to bear, by the name that faults() gave it. */
    public function upset(string $what): void
    {
        throw new LogicException("There is no fault $what");
    }

    /* Whether other nodes are the masters by now, which nobody here asked for. */
    public function hasMoved(): bool
    {
        return false;
    }

    /* Makes the best of that. */
    public function follow(): void
    {
    }
}

/* With `count` 1 a single server, else a majority of so many. */
final class Masters extends Deployment
{
    public function __construct(string $folder, int $count)
    {
        for ($number = 1; $number <= $count; $number++) {
            $this->nodes[] = new Node($folder, $number);
        }
    }

    public function servers(): string
    {
        return implode(' ', array_map(fn (Node $node) => $node->url(TIMEOUTS), $this->nodes));
    }

    public function faults(): array
    {
        return ['restart' => 6, 'forget' => 2, 'clock' => 2];
    }
}

/* One server that speaks TLS. */
final class Encrypted extends Deployment
{
    private Authority $authority;

    public function __construct(string $folder)
    {
        $this->authority = new Authority();
        $certificate = $this->authority->sign('server', 'IP:127.0.0.1');
        $this->nodes[] = new Node($folder, 1, fn (Node $node) => ['--port', '0', '--tls-port', (string) $node->ownPort,
            '--tls-cert-file', "$certificate.pem", '--tls-key-file', "$certificate.key", '--tls-ca-cert-file', $this->authority->file,
            '--tls-auth-clients', 'no'], tls: true);
    }

    public function servers(): string
    {
        return "rediss://127.0.0.1:{$this->nodes[0]->port}?cafile={$this->authority->file}&" . TIMEOUTS;
    }

    public function faults(): array
    {
        return ['restart' => 6, 'forget' => 2, 'clock' => 2];
    }
}

/* A Redis Cluster of three masters. The slots that are at work move from one to another, key by key. */
final class Sharded extends Deployment
{
    private const NAMES = ['hot-1', 'hot-2', 'hot-3', 'hot-4', 'hot-5', 'hot-6', 'cool-1', 'cool-2', 'cool-3', 'cool-4', 'cool-5', 'cool-6', 'read-1', 'read-2',
        'pool-1', 'pool-2', 'pool-4', 'broken', 'lent'];
    /** @var array<int, int> slot => index of its master */
    private array $owners = [];

    public function __construct(string $folder)
    {
        foreach ([1, 2, 3] as $number) {
            $this->nodes[] = new Node($folder, $number, fn (Node $node) => ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000',
                '--cluster-announce-port', (string) $node->port, '--cluster-announce-bus-port', (string) ($node->ownPort + 10000)]);
        }
        foreach ($this->nodes as $i => $node) {
            [$first, $end] = [intdiv(TestCluster::SLOTS * $i, 3), intdiv(TestCluster::SLOTS * ($i + 1), 3)];
            $node->client()('CLUSTER', 'ADDSLOTS', ...range($first, $end - 1));
            $node->client()('CLUSTER', 'SET-CONFIG-EPOCH', $i + 1);
            $node->client()('CLUSTER', 'MEET', '127.0.0.1', $this->nodes[0]->port, $this->nodes[0]->ownPort + 10000);
            foreach (self::NAMES as $name) {
                $slot = TestCluster::slot("lock@$name");
                $slot >= $first && $slot < $end && $this->owners[$slot] = $i;
            }
        }
        $this->awaitReady();
    }

    public function awaitReady(): void
    {
        foreach ($this->nodes as $node) {
            await('the cluster', fn () => str_contains($node->client()('CLUSTER', 'INFO'), 'cluster_state:ok')
                && str_contains($node->client()('CLUSTER', 'INFO'), 'cluster_known_nodes:3'));
        }
    }

    public function servers(): string
    {
        return 'cluster://' . implode(',', array_map(fn (Node $node) => "127.0.0.1:$node->port", $this->nodes)) . '?' . TIMEOUTS;
    }

    public function faults(): array
    {
        return ['move' => 60, 'restart' => 2];
    }

    public function upset(string $what): void
    {
        $slot = array_rand($this->owners);
        $from = $this->nodes[$this->owners[$slot]];
        $this->owners[$slot] = ($this->owners[$slot] + mt_rand(1, 2)) % 3;
        $to = $this->nodes[$this->owners[$slot]];
        [$source, $target] = [$from->client(), $to->client()];
        $target('CLUSTER', 'SETSLOT', $slot, 'IMPORTING', $source('CLUSTER', 'MYID'));
        $source('CLUSTER', 'SETSLOT', $slot, 'MIGRATING', $target('CLUSTER', 'MYID'));
        usleep(mt_rand(0, 20_000));
        await('the keys moved', function () use ($source, $slot, $to) {
            $keys = $source('CLUSTER', 'GETKEYSINSLOT', $slot, 1);
            try {
                $keys === [] || $source('MIGRATE', '127.0.0.1', $to->ownPort, '', 0, 5000, 'KEYS', ...$keys);
            } catch (RawError) {
                /* The target has just been restarted, or the machine is too busy. */
            }
            return $keys === [];
        });
        $id = $target('CLUSTER', 'MYID');
        foreach ([$to, $from, ...array_filter($this->nodes, fn (Node $node) => $node !== $from && $node !== $to)] as $node) {
            $node->client()('CLUSTER', 'SETSLOT', $slot, 'NODE', $id);
        }
    }
}

/* A master, its replica, and three sentinels that put the replica in the master's place when that is killed, or asked to. */
final class Watched extends Deployment
{
    private const NAME = 'mymaster';
    /** @var list<TestSentinel> */
    private array $sentinels = [];
    private int $master = 0;

    public function __construct(string $folder, private int $replicas)
    {
        foreach ([1, 2] as $number) {
            $this->nodes[] = new Node($folder, $number, fn (Node $node) => ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1',
                '--replica-announce-ip', '127.0.0.1', '--replica-announce-port', (string) $node->port]);
        }
        $this->replicate();
        $ids = array_map(fn () => [free_port(), bin2hex(random_bytes(20))], range(1, 3));
        foreach ($ids as $i => [$port, $id]) {
            $this->sentinels[] = $this->sentinel("$folder/sentinel-$i", $port, $id, array_diff_key($ids, [$i => 1]));
        }
        $this->awaitPromotable();
    }

    public function replicas(): int
    {
        return $this->replicas;
    }

    private function sentinel(string $folder, int $port, string $id, array $others): TestSentinel
    {
        $name = self::NAME;
        $lines = ["sentinel monitor $name 127.0.0.1 {$this->nodes[0]->port} 2", "sentinel down-after-milliseconds $name 1500",
            "sentinel failover-timeout $name 2000", "sentinel myid $id", "sentinel known-replica $name 127.0.0.1 {$this->nodes[1]->port}"];
        foreach ($others as [$otherPort, $otherId]) {
            $lines[] = "sentinel known-sentinel $name 127.0.0.1 $otherPort $otherId";
        }
        $sentinel = new TestSentinel($port, $folder, implode("\n", $lines) . "\n");
        foreach (['info-period' => 100, 'ping-period' => 250, 'ask-period' => 100, 'publish-period' => 500, 'tilt-trigger' => 30_000] as $period => $ms) {
            $sentinel->client()('SENTINEL', 'DEBUG', $period, $ms);
        }
        return $sentinel;
    }

    private function replicate(): void
    {
        [$master, $replica] = [$this->nodes[$this->master], $this->nodes[1 - $this->master]];
        $replica->client()('REPLICAOF', '127.0.0.1', $master->port);
        await('the replica in step', fn () => str_contains($replica->client()('INFO', 'replication'), 'master_link_status:up'), 60.0);
        /* A replica whose link is up may have acknowledged nothing yet, and one that has may not answer yet: both are awaited. */
        await('its first acknowledgement', fn () => reached_replicas($master->client(), 1), 60.0);
    }

    private function awaitPromotable(): void
    {
        foreach ($this->sentinels as $sentinel) {
            await('a quorum, and a replica that may be promoted', function () use ($sentinel) {
                $fields = $sentinel->client()('SENTINEL', 'REPLICAS', self::NAME)[0] ?? [];
                $replica = array_column(array_chunk($fields, 2), 1, 0);
                return ($replica['flags'] ?? '') === 'slave' && $replica['master-link-status'] === 'ok'
                    && str_starts_with($this->quorum($sentinel), 'OK');
            }, 60.0);
        }
    }

    private function quorum(TestSentinel $sentinel): string
    {
        try {
            return $sentinel->client()('SENTINEL', 'CKQUORUM', self::NAME);
        } catch (RawError $e) {
            return $e->getMessage();
        }
    }

    public function servers(): string
    {
        return 'sentinel://' . implode(',', array_map(fn ($sentinel) => "127.0.0.1:$sentinel->port", $this->sentinels)) . '/' . self::NAME . '?' . TIMEOUTS;
    }

    public function masters(): array
    {
        return [$this->nodes[$this->master]];
    }

    public function faults(): array
    {
        return ['failover' => 12];
    }

    public function upset(string $what): void
    {
        $former = $this->nodes[$this->master];
        if (mt_rand(0, 1)) { /* the replica misses what is written now */
            $former->client()('CLIENT', 'KILL', 'TYPE', 'replica');
            usleep(mt_rand(0, 300_000));
        }
        $former->kill();
        $this->awaitNewMaster();
        $former->restart('empty');
        $this->replicate();
        $this->awaitPromotable();
    }

    private function awaitNewMaster(): void
    {
        $this->master = 1 - $this->master;
        foreach ($this->sentinels as $sentinel) {
            await('the new master', fn () => $this->isMaster($sentinel), 60.0);
        }
        await('its role', fn () => $this->nodes[$this->master]->client()('ROLE')[0] === 'master', 60.0);
    }

    private function isMaster(TestSentinel $sentinel): bool
    {
        return (int) $sentinel->client()('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', self::NAME)[1] === $this->nodes[$this->master]->port;
    }

    /* Several faults in a row may keep the master from answering for so long that it is replaced, though it lives. */
    public function hasMoved(): bool
    {
        return !$this->isMaster($this->sentinels[0]);
    }

    public function follow(): void
    {
        $this->awaitNewMaster();
        $this->replicate();
        $this->awaitPromotable();
    }
}

/** @return array<string, int> key => ms left */
function keys_of(Deployment $deployment): array
{
    $left = [];
    foreach ($deployment->masters() as $master) {
        $client = $master->client();
        foreach ($client('KEYS', '*') as $key) {
            $left[$key] = $client('PTTL', $key);
        }
    }
    return array_filter($left, fn (int $ttl) => $ttl !== -2);
}

/* As soon as only fences are left, and what tells late shares their verdict, at the latest when nothing else may be. */
function note_left(Deployment $deployment, string $folder): void
{
    $patience = hrtime(true) + (int) (LAST_LEASE * 1e9);
    do {
        usleep(100_000);
        $keys = keys_of($deployment);
        $others = array_filter($keys, fn (string $key) => !preg_match('/^rlock:[fh]:/', $key), ARRAY_FILTER_USE_KEY);
    } while ($others !== [] && hrtime(true) < $patience);
    foreach ($keys as $key => $ttl) {
        file_put_contents("$folder/left", "$key $ttl\n", FILE_APPEND);
    }
}
