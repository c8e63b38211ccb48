--TEST--
A handler's functions may be called in any order, by code of the script, at any moment: the next session is as any other, and nothing is left behind
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

const SEEDS = 30;
$server = TestServer::start();
$client = $server->client();

/* A handler that does something else first, and afterwards; and a script that calls what it likes. */
$code = '
    error_reporting(E_ALL);
    mt_srand($args["seed"]);
    const IDS = ["aaaa", "bbbb", "cccc"];
    function any(array $of) { return $of[mt_rand(0, count($of) - 1)]; }
    final class Mad extends SessionHandler
    {
        private int $depth = 0;
        private function more(): void
        {
            if ($this->depth > 2 || mt_rand(0, 2) > 0) {
                return;
            }
            $this->depth++;
            for ($n = mt_rand(1, 3); $n > 0; $n--) {
                $this->one();
            }
            $this->depth--;
        }
        private function one(): void
        {
            match (mt_rand(0, 11)) {
                0 => parent::open("", "PHPSESSID"),
                1 => parent::close(),
                2, 3 => parent::read(any(IDS)),
                4, 5 => parent::write(any(IDS), str_repeat("x|i:1;", mt_rand(0, 3))),
                6 => parent::destroy(any(IDS)),
                7 => parent::gc(1),
                8 => parent::create_sid(),
                9 => throw new DomainException("mad"),
                10 => $GLOBALS["may_end"] && @session_abort(),
                11 => $GLOBALS["may_end"] && @session_write_close(),
            };
        }
        public function open(string $path, string $name): bool { $this->more(); $r = parent::open($path, $name); $this->more(); return $r; }
        public function close(): bool { $this->more(); $r = parent::close(); $this->more(); return $r; }
        public function read(string $id): string|false { $this->more(); $r = parent::read($id); $this->more(); return $r; }
        public function write(string $id, string $data): bool { $this->more(); $r = parent::write($id, $data); $this->more(); return $r; }
        public function destroy(string $id): bool { $this->more(); $r = parent::destroy($id); $this->more(); return $r; }
        public function gc(int $max): int|false { $this->more(); return parent::gc($max); }
        public function create_sid(): string { $this->more(); return parent::create_sid(); }
    }
    /* PHP itself crashes where the session ends meanwhile, whatever the handler. */
    function regenerate(): void
    {
        $GLOBALS["may_end"] = false;
        session_regenerate_id((bool) mt_rand(0, 1));
    }
    function create_id(): void
    {
        $GLOBALS["may_end"] = false;
        session_create_id();
    }
    /* PHP 8.6 crashes also where a handler of PHP code ends a session that begins. */
    function start(): void
    {
        $GLOBALS["may_end"] = $GLOBALS["may_end"] && !($GLOBALS["args"]["mad"] && PHP_VERSION_ID >= 80600);
        session_id(any(IDS));
        session_start();
    }
    function act(): void
    {
        match (mt_rand(0, 10)) {
            0, 1, 2 => session_status() === PHP_SESSION_ACTIVE || start(),
            3 => session_write_close(),
            4 => session_abort(),
            5 => session_reset(),
            6 => session_destroy(),
            7 => regenerate(),
            8 => create_id(),
            9 => session_gc(),
            10 => $_SESSION["k"] = mt_rand(),
        };
    }
    $args["mad"] && no_leaks_told();
    set_error_handler(function ($level, $message) {
        if (mt_rand(0, 3) === 0 && $GLOBALS["may_end"]) {
            any([session_abort(...), session_write_close(...), session_destroy(...), session_reset(...)])();
        }
        if (mt_rand(0, 5) === 0) {
            throw new DomainException($message);
        }
        return true;
    });
    ob_start();
    if ($args["mad"]) {
        session_set_save_handler(new Mad(), (bool) mt_rand(0, 1));
    }
    function acts(int $count): void
    {
        for ($n = 0; $n < $count; $n++) {
            try {
                $GLOBALS["may_end"] = true;
                act();
            } catch (DomainException | TypeError | Error) {
            }
        }
    }
    /* What has become of the next session of this process, with a handler around ours or without. */
    function next_session(RawClient $client, string $id): array
    {
        for ($n = 0; session_status() === PHP_SESSION_ACTIVE && $n < 20; $n++) {
            try {
                session_abort();
            } catch (DomainException | Error) {
            }
        }
        $said = [];
        set_error_handler(function ($level, $message) use (&$said) {
            $said[] = $message;
            return true;
        });
        ini_set("session.save_handler", "rlock");
        ini_set("session.gc_maxlifetime", "1440");
        if ($GLOBALS["args"]["seed"] % 2) {
            session_set_save_handler(new class extends SessionHandler {}, false);
        }
        ini_set("rlock.session.prefix", "next:");
        $client("SET", "next:$id", "n|i:7;");
        session_id($id);
        $is = [session_start(), str_starts_with((string) $client("GET", "next:{$id}_LOCK"), "rlock1"), $_SESSION["n"] ?? null, count($client("KEYS", "PHPREDIS*_LOCK"))];
        $_SESSION["n"] = 8;
        $is = [...$is, session_write_close(), $client("GET", "next:$id"), $client("EXISTS", "next:{$id}_LOCK"), $said];
        ini_set("rlock.session.prefix", "");
        restore_error_handler();
        return $is;
    }
    $client = new RawClient($args["server"]);
    $odd = [];
    for ($n = 0; $n < 20; $n++) {
        acts(4);
        $is = next_session($client, "next" . $args["seed"]);
        if ($is !== [true, true, 7, 0, true, "n|i:8;", 0, []]) {
            $odd[] = $is;
        }
        ini_set("session.save_handler", "rlock");
        ini_set("session.gc_maxlifetime", $args["seed"] % 4 ? "1440" : "0");
        if ($args["mad"] && mt_rand(0, 3)) {
            session_set_save_handler(new Mad(), (bool) mt_rand(0, 1));
        }
    }
    $parent->say($odd);
    acts(4);
    if ($args["seed"] % 3 === 1) {
        exit(0);
    }
    if ($args["seed"] % 3 === 2) {
        throw new DomainException("the end");
    }';
$settings = ['rlock.servers' => $server->url(), 'rlock.session.wait' => '0.01'];
for ($seed = 1; $seed <= SEEDS; $seed++) {
    $mad = $seed > 15; // then a debugging PHP itself leaks, whatever the handler
    $page = page($code, ['seed' => $seed, 'mad' => $mad, 'server' => "unix://$server->socket"],
        $settings + ['session.use_strict_mode' => (string) ($seed % 2), 'rlock.session.busy' => $seed % 5 ? 'fail' : 'readonly']);
    $next = $page->hear();
    if ($next) {
        echo "seed $seed, the next session: ", json_encode($next), "\n";
    }
    $status = $page->wait();
    if (!in_array($status, [0, 255], true) || str_contains($page->output(), 'Fatal error: Allowed')) {
        echo "seed $seed: $status\n", $page->output(), "\n";
    }
    if ($locks = $client('KEYS', '*_LOCK')) {
        $locks = array_filter($locks, fn ($key) => $client('TYPE', $key) === 'string' && str_starts_with((string) $client('GET', $key), 'rlock1'));
        if ($locks) {
            echo "seed $seed leaves ", implode(', ', $locks), "\n";
            $client('FLUSHALL');
        }
    }
}
echo "done\n";
?>
--EXPECT--
done
