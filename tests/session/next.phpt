--TEST--
Whatever a handler around ours did, the next session of the process is locked, read, written, and where the settings say now
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$servers = [TestServer::start(), TestServer::start()];
$folder = temporary_folder() . '/files';
mkdir($folder);

/* Each function of a handler misbehaves in each way, in whatever the script does; then another session follows. */
$code = '
    ob_start();
    error_reporting(E_ALL);
    final class Bad extends SessionHandler implements SessionUpdateTimestampHandlerInterface
    {
        public static string $which = "", $how = "";
        private function call(string $function, mixed $instead, callable $parent): mixed
        {
            if ($function !== self::$which) {
                return $parent();
            }
            if (self::$how === "throws first") {
                throw new DomainException($function);
            }
            $answer = self::$how === "calls nobody" || self::$how === "refuses at once" ? $instead : $parent();
            if (self::$how === "throws afterwards") {
                throw new DomainException($function);
            }
            return self::$how === "refuses" || self::$how === "refuses at once" ? ($function === "create_sid" ? "" : false) : $answer;
        }
        public function open(string $path, string $name): bool { return $this->call("open", true, fn () => parent::open($path, $name)); }
        public function close(): bool { return $this->call("close", true, fn () => parent::close()); }
        public function read(string $id): string|false { return $this->call("read", "n|i:3;", fn () => parent::read($id)); }
        public function write(string $id, string $data): bool { return $this->call("write", true, fn () => parent::write($id, $data)); }
        public function destroy(string $id): bool { return $this->call("destroy", true, fn () => parent::destroy($id)); }
        public function gc(int $max): int|false { return $this->call("gc", 0, fn () => parent::gc($max)); }
        public function create_sid(): string { return $this->call("create_sid", bin2hex(random_bytes(16)), fn () => parent::create_sid()); }
        public function validateId(string $id): bool { return $this->call("validateId", true, fn () => parent::read($id) !== ""); }
        public function updateTimestamp(string $id, string $data): bool { return $this->call("updateTimestamp", true, fn () => parent::write($id, $data)); }
    }
    final class Good extends SessionHandler {}
    const ACTS = [
        "write" => "session_write_close", "abort" => "session_abort", "reset" => "session_reset", "destroy" => "session_destroy",
        "gc" => "session_gc", "create" => "session_create_id", "nothing" => "session_status",
    ];
    $clients = [];
    foreach ($args["sockets"] as $socket) {
        $clients[] = new RawClient("unix://$socket");
    }
    function misbehave(string $act): void
    {
        session_start();
        $_SESSION["n"] = 5;
        match ($act) {
            "regenerate" => session_regenerate_id(),
            "regenerate, deleting" => session_regenerate_id(true),
            "unchanged" => [$_SESSION["n"] = 1, session_write_close()],
            default => ACTS[$act](),
        };
    }
    $count = 0;
    $bad = "";
    $all = [];
    foreach ($args["functions"] as $which) {
        foreach (["throws first", "throws afterwards", "calls nobody", "refuses at once", "refuses"] as $how) {
            foreach (["regenerate", "regenerate, deleting", "unchanged", ...array_keys(ACTS)] as $act) {
                foreach (["same", "path", "prefix", "files", "servers"] as $change) {
                    foreach ([Good::class, null] as $next) {
                        $all[] = [$which, $how, $act, $change, $next];
                    }
                }
            }
        }
    }
    foreach ($all as $i => [$which, $how, $act, $change, $next]) {
        if ($i % $args["of"] !== $args["part"]) {
            continue;
        }
        $first = "first" . $i;
        $second = "second" . $i;
        $here = 0;
        $prefix = "PHPREDIS_SESSION:";
        ini_set("rlock.servers", $args["urls"][0]);
        ini_set("session.save_path", "");
        ini_set("rlock.session.prefix", "");
        ini_set("session.use_strict_mode", (string) ($i % 2));
        ini_set("session.gc_probability", (string) ($which === "gc" ? 1 : 0));
        ini_set("session.gc_divisor", "1");
        set_error_handler($i % 3 ? function ($level, $message) { throw new ErrorException($message); } : fn () => true);
        Bad::$which = $which;
        Bad::$how = $how;
        $clients[0]("SET", $prefix . $first, "n|i:1;");
        session_id($which === "create_sid" ? "" : $first);
        try {
            session_set_save_handler(new Bad(), (bool) ($i % 2));
            misbehave($act);
        } catch (DomainException | ErrorException | Error) {
        }
        for ($n = 0; session_status() === PHP_SESSION_ACTIVE && $n < 3; $n++) {
            try {
                session_abort();
            } catch (DomainException | ErrorException | Error) {
            }
        }
        restore_error_handler();
        $said = [];
        set_error_handler(function ($level, $message) use (&$said) {
            $said[] = $message;
            return true;
        });
        if ($change === "path") {
            ini_set("session.save_path", $args["urls"][$here = 1]);
        } elseif ($change === "servers") {
            ini_set("rlock.servers", $args["urls"][$here = 1]);
        } elseif ($change === "prefix") {
            ini_set("rlock.session.prefix", $prefix = "shop:");
        }
        if ($change === "files") {
            ini_set("session.save_handler", "files");
            ini_set("session.save_path", $args["folder"]);
            session_id("infiles");
            $files = [session_start(), $_SESSION["m"] = $i, session_write_close(), is_file("$args[folder]/sess_" . session_id())];
            if ($files !== [true, $i, true, true]) {
                $said[] = "files: " . json_encode($files);
            }
            ini_set("session.save_path", "");
        }
        ini_set("session.save_handler", "rlock");
        if ($next) {
            session_set_save_handler(new $next(), false);
        }
        $client = $clients[$here];
        $client("SET", $prefix . $second, "n|i:7;");
        session_id($second);
        $began = session_start();
        $locked = str_starts_with((string) $client("GET", "$prefix{$second}_LOCK"), "rlock1");
        $read = $_SESSION["n"] ?? null;
        $former = $clients[0]("EXISTS", "PHPREDIS_SESSION:{$first}_LOCK");
        $_SESSION["n"] = 8;
        $closed = session_write_close();
        restore_error_handler();
        $is = [$began, $locked, $read, $former, $closed, $client("GET", $prefix . $second), $client("EXISTS", "$prefix{$second}_LOCK"), $said];
        if ($is !== [true, true, 7, 0, true, "n|i:8;", 0, []]) {
            $bad .= "$which $how, $act, $change, " . ($next ?? "nobody") . ": " . json_encode($is) . "\n";
        }
        $count++;
        if ($which !== ($all[$i + $args["of"]][0] ?? null)) {
            $parent->say([$count, $bad]);
            $count = 0;
            $bad = "";
        }
    }
    ob_clean();';
const PARTS = 4;
const FUNCTIONS = ['open', 'close', 'read', 'write', 'destroy', 'gc', 'create_sid', 'validateId', 'updateTimestamp'];
$pages = [];
for ($part = 0; $part < PARTS; $part++) {
    $pages[] = page($code, ['sockets' => array_column($servers, 'socket'), 'urls' => array_map(fn ($server) => $server->url('timeout=10'), $servers),
        'folder' => $folder, 'part' => $part, 'of' => PARTS, 'functions' => FUNCTIONS], ['rlock.session.wait' => '0.2', 'session.lazy_write' => '1']);
}
foreach (FUNCTIONS as $function) {
    $count = 0;
    foreach ($pages as $page) {
        [$part, $bad] = $page->hear();
        $count += $part;
        echo substr($bad, 0, 3000);
    }
    say("sessions that followed a bad $function()", $count);
}
foreach ($pages as $page) {
    echo substr(printed($page), 0, 3000);
}
?>
--EXPECT--
sessions that followed a bad open(): 500
sessions that followed a bad close(): 500
sessions that followed a bad read(): 500
sessions that followed a bad write(): 500
sessions that followed a bad destroy(): 500
sessions that followed a bad gc(): 500
sessions that followed a bad create_sid(): 500
sessions that followed a bad validateId(): 500
sessions that followed a bad updateTimestamp(): 500
