--TEST--
An RLock that is still referenced at the end gives back after the session has been written, whoever writes that
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$folder = sys_get_temp_dir() . '/rlock-sessions-' . getmypid();
mkdir($folder);

/* What is in the session is serialized when it is written, whatever the handler. */
$code = '
    final class Witness
    {
        public function __serialize(): array
        {
            echo "written under ", shared_client()("EXISTS", lock_key($GLOBALS["args"]["key"])), " locks\n";
            return [];
        }
        public function __unserialize(array $data): void {}
    }
    $lock = new RLock($args["url"]);
    $taken = $lock->getLock($args["key"], ttl: 300.0);
    function session(): void
    {
        session_id("a" . getmypid());
        session_start();
        $_SESSION["witness"] = new Witness();
    }
    final class Quiet implements SessionHandlerInterface
    {
        public function open(string $path, string $name): bool { return true; }
        public function read(string $id): string { return ""; }
        public function destroy(string $id): bool { return true; }
        public function gc(int $max): int { return 0; }
        public function write(string $id, string $data): bool { return true; }
        public function close(): bool { return true; }
    }
';
$ends = [
    'the files handler' => 'session();',
    'the files handler, and exit' => 'session(); exit(3);',
    'the files handler, and an uncaught exception' => 'session(); throw new DomainException();',
    'a handler of the script, as a shutdown function' => 'session_set_save_handler(new Quiet()); session();',
    'a handler of the script, at the very end' => 'session_set_save_handler(new Quiet(), false); session();',
    'functions of the script' => '$q = new Quiet();
        session_set_save_handler($q->open(...), $q->close(...), $q->read(...), $q->write(...), $q->destroy(...), $q->gc(...));
        session();',
    'a handler around the files handler' => 'session_set_save_handler(new SessionHandler(), false); session();',
    'the files handler, and a shutdown function' => 'register_shutdown_function(fn () => null); session();',
    'a handler of the script, and a shutdown function' => 'register_shutdown_function(fn () => null);
        session_set_save_handler(new Quiet(), false); session();',
    'the files handler, and no session_status()' => 'function_exists("session_status") && exit(1); session();',
    'a shutdown function with a lock of its own' => 'register_shutdown_function(function () {
            (new RLock($GLOBALS["args"]["url"]))->getLock("other") && print("other is had\n");
        });
        register_shutdown_function(fn () => print("still had: " . json_encode($GLOBALS["lock"]->isLocking($GLOBALS["args"]["key"])) . "\n"));
        session();',
    'by a destructor' => 'session();
        final class Writes { public function __destruct() { session_write_close(); } }
        final class Keeps { public static array $all = []; }
        Keeps::$all = [$lock, new Writes()];',
    'by the script, and opened again' => 'session(); session_write_close(); session_start();',
    'by the script' => 'session(); session_write_close(); echo "going on\n";',
    'not at all' => 'session(); session_abort();',
    'by nobody, since there is none' => '',
];
foreach ($ends as $name => $end) {
    $key = unique_key();
    $child = Child::start($code . $end, ['url' => shared_url(), 'key' => $key],
        "-d session.save_path=$folder -d session.use_cookies=0 -d session.use_strict_mode=0 -d session.cache_limiter="
        . ' -d display_errors=0 -d log_errors=0' . (str_contains($name, 'no session_status') ? ' -d disable_functions=session_status' : ''));
    $status = $child->wait();
    say($name, [$status, $client('EXISTS', lock_key($key))]);
    echo $child->output();
}
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
the files handler: [0,0]
written under 1 locks
the files handler, and exit: [3,0]
written under 1 locks
the files handler, and an uncaught exception: [255,0]
written under 1 locks
a handler of the script, as a shutdown function: [0,0]
written under 1 locks
a handler of the script, at the very end: [0,0]
written under 1 locks
functions of the script: [0,0]
written under 1 locks
a handler around the files handler: [0,0]
written under 1 locks
the files handler, and a shutdown function: [0,0]
written under 1 locks
a handler of the script, and a shutdown function: [0,0]
written under 1 locks
the files handler, and no session_status(): [0,0]
written under 1 locks
a shutdown function with a lock of its own: [0,0]
other is had
still had: true
written under 1 locks
by a destructor: [0,0]
written under 1 locks
by the script, and opened again: [0,0]
written under 1 locks
written under 1 locks
by the script: [0,0]
written under 1 locks
going on
not at all: [0,0]
by nobody, since there is none: [0,0]
