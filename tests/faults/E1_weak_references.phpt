--TEST--
E1: a destructor that runs while an RLock is freed does not get it from a weak reference or map
--FILE--
<?php
require __DIR__ . '/../server.inc';

final class Keeps implements RLock\RetryStrategy
{
    public static array $kept = [];
    public static ?WeakReference $reference = null;
    public static ?WeakMap $map = null;

    public function nextBackoff(int $attempt): ?float
    {
        return null;
    }

    public function __destruct()
    {
        self::$kept[] = self::$reference->get();
        foreach (self::$map as $lock => $value) {
            self::$kept[] = $lock;
        }
    }
}

/* Nobody but the lock has its strategy. */
function remembered(): RLock
{
    $lock = new RLock(shared_url(), retry: new Keeps());
    Keeps::$reference = WeakReference::create($lock);
    Keeps::$map = new WeakMap();
    Keeps::$map[$lock] = 'value';
    return $lock;
}

$key = unique_key();
$lock = remembered();
ignore($lock->getLock($key));
unset($lock);
$others = array_map(fn () => new RLock(shared_url()), range(1, 10));
say('kept', Keeps::$kept);
say('alive', [Keeps::$reference->get(), count(Keeps::$map)]);

/* Destructors in a cycle run before anything in it is freed. */
Keeps::$kept = [];
$lock = remembered();
$ring = new stdClass();
$ring->self = $ring;
$ring->lock = $lock;
unset($lock, $ring);
gc_collect_cycles();
say('from a cycle', [Keeps::$kept[0]->getLock($key), Keeps::$kept[1]->releaseLock($key)]);
Keeps::$kept = [];

/* While its own end warns, it is alive, and stays so. */
$server = TestServer::start();
$lock = new RLock($server->url());
ignore($lock->getLock('key'));
$server->client()('DEL', 'lock@key');
$reference = WeakReference::create($lock);
set_error_handler(function () use ($reference, &$revived) { $revived = $reference->get(); return true; });
unset($lock);
restore_error_handler();
say('revived', [$revived->getLock('key'), $server->client()('EXISTS', 'lock@key')]);
unset($revived);
say('left', [$reference->get(), $server->client()('EXISTS', 'lock@key')]);
?>
--EXPECT--
kept: [null]
alive: [null,0]
from a cycle: [true,true]
revived: [true,1]
left: [null,0]
