<?php
/*
 * What the stress run can be made against: one server, a majority of three, a master that Sentinel replaces, or a
 * Redis Cluster whose slots move.
 */

require __DIR__ . '/node.php';

/* A call's whole deadline is short, so that what is delivered after it is late. */
const TIMEOUTS = 'timeout=0.3&connect_timeout=0.3';

abstract class Deployment
{
    /** @var list<Node> */
    public array $nodes = [];

    /* For the workers: one address, or several with spaces between. */
    abstract public function servers(): string;

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

    /* What only such a deployment has to bear, by the name that faults() gave it. */
    public function upset(string $what): void
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
