--TEST--
An RLock keeps its strategy, and lets it go with itself, also in a cycle
--FILE--
<?php
require __DIR__ . '/../../server.inc';

final class Own implements RLock\RetryStrategy
{
    public ?RLock $lock = null;

    public function nextBackoff(int $attempt): ?float
    {
        return $attempt < 3 ? 0.001 : null;
    }

    public function __destruct()
    {
        echo "the strategy ends\n";
    }
}

say('wrong', [outcome(fn () => new RLock(nowhere(), retry: new stdClass())), outcome(fn () => new RLock(nowhere(), retry: 1))]);
$client = shared_client();
$key = unique_key();
$client('SET', lock_key($key), 'foreign', 'PX', 60000);
$lock = new RLock(shared_url(), retry: new Own());
say('kept', $lock->getLock($key, wait: 5.0));
unset($lock);

$strategy = new Own();
$one = new RLock(shared_url(), retry: $strategy);
$two = new RLock(shared_url(), retry: $strategy);
say('shared', [$one->getLock($key, wait: 5.0), $two->getLock($key, wait: 5.0)]);
unset($one, $strategy);
say('still there', $two->getLock($key, wait: 5.0));
unset($two);

$strategy = new Own();
$lock = new RLock(shared_url(), retry: $strategy);
$strategy->lock = $lock;
$held = unique_key();
ignore($lock->getLock($held, ttl: 60.0));
$object = WeakReference::create($lock);
unset($lock, $strategy);
say('a cycle', $client('EXISTS', lock_key($held)));
gc_collect_cycles();
say('collected, and given back', [$object->get(), $client('EXISTS', lock_key($held))]);

say('failed', outcome(fn () => new RLock('nonsense', retry: new Own())));
$strategy = new Own();
$lock = new RLock(shared_url(), retry: $strategy);
$strategy->lock = $lock;
echo "the request ends\n";
?>
--EXPECT--
wrong: ["TypeError","TypeError"]
kept: false
the strategy ends
shared: [false,false]
still there: false
the strategy ends
a cycle: 1
the strategy ends
collected, and given back: [null,0]
the strategy ends
failed: ValueError
the request ends
the strategy ends
