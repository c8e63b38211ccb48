--TEST--
E7: a session that is written at the request's very end is written under the lock that the script still holds
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$code = '
    final class Handler implements SessionHandlerInterface, SessionIdInterface, SessionUpdateTimestampHandlerInterface
    {
        public function __construct(private RawClient $client, private array $keys, private ?RLock $lock = null) {}
        public function open(string $path, string $name): bool { return true; }
        public function create_sid(): string { return bin2hex(random_bytes(16)); }
        public function validateId(string $id): bool { return true; }
        public function updateTimestamp(string $id, string $data): bool { return true; }
        public function read(string $id): string { return ""; }
        public function destroy(string $id): bool { return true; }
        public function gc(int $max): int { return 0; }
        public function write(string $id, string $data): bool
        {
            echo "written under ", ($this->client)("EXISTS", ...array_map(lock_key(...), $this->keys)), " locks\n";
            return true;
        }
        public function close(): bool
        {
            if ($this->lock) {
                echo json_encode([$this->lock->releaseLock($this->keys[0]), $this->lock->close()]), "\n";
            }
            return true;
        }
    }
    final class Keeps { public static ?RLock $lock = null; public ?RLock $own = null; }
    function taken(int $key, ...$more): RLock
    {
        $lock = new RLock($GLOBALS["args"]["url"], ...$more);
        ignore($lock->getLock($GLOBALS["args"]["keys"][$key], ttl: $GLOBALS["args"]["ttl"]));
        return $lock;
    }
    function session(?RLock $lock = null): void
    {
        session_set_save_handler(new Handler(shared_client(), $GLOBALS["args"]["keys"], $lock), false);
        session_start();
        $_SESSION["value"] = 1;
    }
';
$ends = [
    'a global' => ['$lock = taken(0); session();'],
    'a static, and a property' => ['Keeps::$lock = taken(0); $keeps = new Keeps(); $keeps->own = taken(1); session();'],
    'in a cycle' => ['$ring = new Keeps(); $ring->own = taken(0); $ring->ring = $ring; unset($ring); session();'],
    'the handler has it, too' => ['$lock = taken(0); session($lock);'],
    'only the handler has it' => ['session(taken(0));'],
    'exit' => ['$lock = taken(0); session(); exit(3);'],
    'an uncaught exception' => ['$lock = taken(0); session(); throw new DomainException();'],
    'a fatal error' => ['$lock = taken(0); session(); eval("class Incomplete implements Iterator {}");'],
    'kept alive until then' => ['$lock = taken(0, autoRenew: true); session();
        final class Slow { public function __destruct() { usleep(4_500_000); } } $slow = new Slow();', 4.0],
    'unset before' => ['$lock = taken(0); session(); unset($lock);'],
    'unset in a shutdown function' => ['$lock = taken(0); session();
        register_shutdown_function(function () { unset($GLOBALS["lock"]); });'],
    'unset in a destructor' => ['session();
        final class Drops { public ?RLock $own; public function __destruct() { $this->own = null; } }
        $drops = new Drops(); $drops->own = taken(0);'],
    'made in a destructor' => ['session();
        final class Makes { public function __destruct() { taken(0); $GLOBALS["kept"] = taken(1); } }
        $makes = new Makes();'],
];
foreach ($ends as $name => $how) {
    [$end, $ttl] = [...$how, 300.0];
    $keys = [unique_key(), unique_key()];
    $child = Child::start($code . $end, ['url' => shared_url(), 'keys' => $keys, 'ttl' => $ttl],
        '-d session.use_cookies=0 -d session.cache_limiter= -d display_errors=0 -d log_errors=0');
    $status = $child->wait();
    say($name, [$status, $client('EXISTS', ...array_map(lock_key(...), $keys))]);
    echo $child->output();
}

/* It can still be said what became of a lock, but no code of the script's runs any more: PHP's modules are gone. */
$handler = '
    set_error_handler(function (int $level, string $message) { echo preg_replace("/[0-9]+/", "#", $message), "\n"; return true; });
    trigger_error("the handler works");
';
$keys = [unique_key(), unique_key()];
$child = Child::start($code . '
    $lock = taken(0);
    session();
    shared_client()("DEL", lock_key($args["keys"][0]));
', ['url' => shared_url(), 'keys' => $keys, 'ttl' => 300.0],
    '-d session.use_cookies=0 -d session.cache_limiter= -d display_errors=1 -d html_errors=0 -d log_errors=0');
say('without a handler', [$child->wait(), substr_count($child->output(), 'Warning: RLock: 1 of 1 locks had ended')]);
$keys = [unique_key(), unique_key()];
$child = Child::start($code . '
    $lock = taken(0);
    session();
' . $handler . '
    shared_client()("DEL", lock_key($args["keys"][0]));
', ['url' => shared_url(), 'keys' => $keys, 'ttl' => 300.0],
    '-d session.use_cookies=0 -d session.cache_limiter= -d display_errors=1 -d html_errors=0 -d log_errors=0');
say('with a handler', [$child->wait(), substr_count($child->output(), 'Warning: RLock: 1 of 1 locks had ended'),
    substr_count($child->output(), 'the handler works'), substr_count($child->output(), '#')]);
?>
--EXPECT--
a global: [0,0]
written under 1 locks
a static, and a property: [0,0]
written under 2 locks
in a cycle: [0,0]
written under 1 locks
the handler has it, too: [0,0]
written under 1 locks
[true,null]
only the handler has it: [0,0]
written under 1 locks
[true,null]
exit: [3,0]
written under 1 locks
an uncaught exception: [255,0]
written under 1 locks
a fatal error: [255,0]
written under 1 locks
kept alive until then: [0,0]
written under 1 locks
unset before: [0,0]
written under 0 locks
unset in a shutdown function: [0,0]
written under 0 locks
unset in a destructor: [0,0]
written under 0 locks
made in a destructor: [0,0]
written under 1 locks
without a handler: [0,1]
with a handler: [0,1,1,0]
