--TEST--
E8: an object that comes back to life at its end, in whatever code ends it, works, and its locks are released with it at last
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$code = '
    final class Kept { public static array $all = []; public mixed $lock = null; public mixed $self = null; }
    function taken(int $key, ...$more): RLock
    {
        $lock = new RLock($GLOBALS["args"]["url"], ...$more);
        ignore($lock->getLock($GLOBALS["args"]["keys"][$key], ttl: 300.0));
        return $lock;
    }
    /* Takes the other lock with it, and keeps it until the process ends. */
    function revive(?RLock $lock): void
    {
        if (!$lock) {
            echo "not to be had\n";
            return;
        }
        Kept::$all[] = $lock;
        try {
            echo json_encode([$lock->lease($GLOBALS["args"]["keys"][0])?->depth, $lock->getLock($GLOBALS["args"]["keys"][1], ttl: 300.0)]), "\n";
        } catch (RLock\RLockException $e) {
            echo $e->getMessage(), "\n";
        }
    }
    final class Revives
    {
        public function __construct(public RLock|WeakReference|WeakMap $lock) {}
        public function __destruct()
        {
            $lock = $this->lock;
            if ($lock instanceof WeakMap) {
                echo count($lock), " in the map\n";
                return;
            }
            revive($lock instanceof WeakReference ? $lock->get() : $lock);
        }
    }
    final class Strategy implements RLock\RetryStrategy
    {
        public ?Revives $last = null;
        public function nextBackoff(int $attempt): ?float { return null; }
    }
    final class Handler implements SessionHandlerInterface
    {
        public function __construct(private WeakReference $lock) {}
        public function open(string $path, string $name): bool { return true; }
        public function read(string $id): string { return ""; }
        public function destroy(string $id): bool { return true; }
        public function gc(int $max): int { return 0; }
        public function close(): bool { return true; }
        public function write(string $id, string $data): bool { revive($this->lock->get()); return true; }
    }
    function session(RLock $lock): void
    {
        session_set_save_handler(new Handler(WeakReference::create($lock)), false);
        session_start();
        $_SESSION["value"] = 1;
    }
    /* Its end has something to tell. */
    function gone(int $key): void
    {
        shared_client()("DEL", lock_key($GLOBALS["args"]["keys"][$key]));
    }
    $revived_by_warning = function (RLock $lock): void {
        $reference = WeakReference::create($lock);
        gone(0);
        set_error_handler(function () use ($reference) { revive($reference->get()); return true; });
    };
';
$lives = [
    'a destructor of its strategy, by a weak reference' =>
        '$strategy = new Strategy(); $lock = taken(0, retry: $strategy);
         $strategy->last = new Revives(WeakReference::create($lock)); unset($strategy, $lock);',
    'a destructor of its strategy, by a weak map' =>
        '$strategy = new Strategy(); $lock = taken(0, retry: $strategy); $map = new WeakMap(); $map[$lock] = 1;
         $strategy->last = new Revives($map); unset($strategy, $lock, $map);',
    'a destructor of what a weak map has for it' =>
        '$lock = taken(0); $map = new WeakMap(); $map[$lock] = new Revives(WeakReference::create($lock)); unset($lock);',
    'a ring with its strategy' =>
        '$strategy = new Strategy(); $lock = taken(0, retry: $strategy); $strategy->last = new Revives($lock);
         unset($strategy, $lock); gc_collect_cycles();',
    'a ring that is never collected' =>
        '$kept = new Kept(); $kept->self = $kept; $kept->lock = [taken(0)]; $kept->lock[] = new Revives($kept->lock[0]); unset($kept);',
    'the warning of its end' => '$lock = taken(0); $revived_by_warning($lock); unset($lock);',
    'the warning of its end, in a shutdown function' =>
        '$lock = taken(0); $revived_by_warning($lock); register_shutdown_function(function () { unset($GLOBALS["lock"]); });',
    'the warning of its end, at the request\'s' => '$lock = taken(0); $revived_by_warning($lock);',
    'a session handler, of a global' => '$lock = taken(0); session($lock);',
    'a session handler, of a static' => 'Kept::$all[] = taken(0); session(Kept::$all[0]);',
    'a session handler, after exit' => 'Kept::$all[] = taken(0); session(Kept::$all[0]); exit(0);',
    'a session handler, after an exception' => 'Kept::$all[] = taken(0); session(Kept::$all[0]); throw new DomainException();',
    'a session handler, of a ring' => '$kept = new Kept(); $kept->self = $kept; $kept->lock = taken(0); session($kept->lock); unset($kept);',
    'a session handler, of one that is lost' => 'Kept::$all[] = taken(0); session(Kept::$all[0]); gone(0);',
    'a session handler, renewing' => 'Kept::$all[] = taken(0, autoRenew: true, interrupt: true); session(Kept::$all[0]);',
    'a session handler, closed before' => 'Kept::$all[] = taken(0); session(Kept::$all[0]); Kept::$all[0]->close();',
];
foreach ($lives as $name => $life) {
    $keys = [unique_key(), unique_key()];
    $child = Child::start($code . $life, ['url' => shared_url(), 'keys' => $keys],
        '-d session.use_cookies=0 -d session.cache_limiter= -d display_errors=0 -d log_errors=0');
    $status = $child->wait();
    say($name, [$status, $client('EXISTS', ...array_map(lock_key(...), $keys))]);
    echo $child->output();
}
?>
--EXPECT--
a destructor of its strategy, by a weak reference: [0,0]
not to be had
a destructor of its strategy, by a weak map: [0,0]
0 in the map
a destructor of what a weak map has for it: [0,0]
not to be had
a ring with its strategy: [0,0]
[1,true]
a ring that is never collected: [0,0]
[null,true]
the warning of its end: [0,0]
[null,true]
the warning of its end, in a shutdown function: [0,0]
[null,true]
the warning of its end, at the request's: [0,0]
[null,true]
a session handler, of a global: [0,0]
not to be had
a session handler, of a static: [0,0]
[1,true]
a session handler, after exit: [0,0]
[1,true]
a session handler, after an exception: [255,0]
[1,true]
a session handler, of a ring: [0,0]
[1,true]
a session handler, of one that is lost: [0,0]
[1,true]
a session handler, renewing: [0,0]
[1,true]
a session handler, closed before: [0,0]
This RLock has been closed
