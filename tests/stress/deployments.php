<?php
/*
 * What the stress run can be made against: one server, a Redis Cluster whose slots move all the
 * time, or a master that is killed again and again, while Sentinel puts its replica in its place.
 */

interface Deployment
{
    /* For the workers. */
    public function url(): string;

    /** @return list<RawClient> to all servers that have locks now */
    public function masters(): array;

    /* What is done to it as a whole, in so many of 100 harms. */
    public function share(): int;

    /* Does it; its name. */
    public function upset(): string;
}

/* Keeps its data over a restart. */
final class OneServer implements Deployment
{
    private TestServer $server;

    public function __construct()
    {
        $this->server = TestServer::start(['--appendonly', 'yes', '--appendfsync', 'always',
            '--auto-aof-rewrite-min-size', '16mb']);
    }

    public function url(): string
    {
        return $this->server->url();
    }

    public function masters(): array
    {
        return [$this->server->client()];
    }

    public function share(): int
    {
        return 8;
    }

    public function upset(): string
    {
        $this->server->kill();
        $this->server = $this->server->restart();
        return 'restart';
    }
}

final class MovingCluster implements Deployment
{
    private const NAMES = ['hot-1', 'hot-2', 'hot-3', 'hot-4', 'cool-1', 'cool-2', 'cool-3', 'cool-4', 'broken'];
    private TestCluster $cluster;
    /** @var array<int, int> slot => index of its master */
    private array $owners = [];

    public function __construct()
    {
        $this->cluster = new TestCluster(arguments: ['--cluster-node-timeout', '5000']);
        foreach (self::NAMES as $name) {
            $this->owners[TestCluster::slot("lock@$name")] = $this->cluster->masterOf($name);
        }
    }

    public function url(): string
    {
        return $this->cluster->url();
    }

    public function masters(): array
    {
        return array_map(fn ($server) => $server->client(), $this->cluster->masters);
    }

    public function share(): int
    {
        return 50;
    }

    /* Moves a slot that is at work, key by key. */
    public function upset(): string
    {
        $slot = array_rand($this->owners);
        $from = $this->cluster->masters[$this->owners[$slot]];
        $this->owners[$slot] = ($this->owners[$slot] + mt_rand(1, 2)) % 3;
        $to = $this->cluster->masters[$this->owners[$slot]];
        $this->cluster->beginMove($slot, $from, $to);
        usleep(mt_rand(0, 20_000));
        while ($keys = $from->client()('CLUSTER', 'GETKEYSINSLOT', $slot, 1)) {
            $this->cluster->moveKeys($slot, $from, $to, $keys);
            usleep(mt_rand(0, 5_000));
        }
        $this->cluster->endMove($slot, $from, $to);
        return 'move';
    }
}

final class FailingMaster implements Deployment
{
    private SentinelGroup $group;

    public function __construct()
    {
        $this->group = new SentinelGroup(downAfter: 1.0);
    }

    public function url(): string
    {
        return $this->group->url();
    }

    public function masters(): array
    {
        return [$this->group->master->client()];
    }

    public function share(): int
    {
        return 30;
    }

    /* Until there is a master again, and a replica for the next time. */
    public function upset(): string
    {
        $former = $this->group->master;
        $former->kill();
        $this->group->awaitSwitch(patience: 60.0); // sentinels pause between two failovers
        $this->group->rejoin($former);
        return 'failover';
    }
}
