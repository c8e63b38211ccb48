--TEST--
However a handler around ours ends a request, the next one of that FPM child has a session as any other
--EXTENSIONS--
session
posix
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/site.inc';

$server = TestServer::start(tcp: true);
$client = $server->client();
$code = '
    final class Bad extends SessionHandler
    {
        private function call(string $function, callable $parent): mixed
        {
            $is_it = $function === $_GET["which"];
            if ($is_it && !str_ends_with($_GET["how"], " afterwards")) {
                self::end();
            }
            $answer = $parent();
            if ($is_it) {
                self::end();
            }
            return $answer;
        }
        private static function end(): void
        {
            match (strtok($_GET["how"], " ")) {
                "exits" => exit("ended"),
                "throws" => throw new DomainException("ended"),
                "dies" => [ini_set("memory_limit", "4M"), str_repeat("x", 1 << 24)],
            };
        }
        public function open(string $path, string $name): bool { return $this->call("open", fn () => parent::open($path, $name)); }
        public function close(): bool { return $this->call("close", fn () => parent::close()); }
        public function read(string $id): string|false { return $this->call("read", fn () => parent::read($id)); }
        public function write(string $id, string $data): bool { return $this->call("write", fn () => parent::write($id, $data)); }
        public function destroy(string $id): bool { return $this->call("destroy", fn () => parent::destroy($id)); }
    }
    if (isset($_GET["which"])) {
        session_set_save_handler(new Bad(), (bool) $_GET["at_shutdown"]);
        session_start();
        $_SESSION["n"] = 5;
        if ($_GET["which"] === "destroy") {
            session_destroy();
        } elseif ($_GET["how"][-1] === "s") {
            session_write_close();
        }
        exit;
    }
    $client = stream_socket_client("unix://" . $_GET["server"]);
    $locked = function () use ($client): bool {
        fwrite($client, "EXISTS PHPREDIS_SESSION:{$_COOKIE["PHPSESSID"]}_LOCK\r\n");
        return fgets($client) === ":1\r\n";
    };
    $began = session_start();
    $is = [$began, $locked(), $_SESSION["n"]++, session_write_close(), $locked(), error_get_last()["message"] ?? null];
    echo json_encode([getmypid(), $is]);';
$site = new Site($code, ['site' => ['rlock.servers' => "redis://127.0.0.1:$server->port?timeout=10", 'rlock.session.wait' => '0.5']], 1);
$children = [];
$odd = $count = 0;
foreach (['open', 'close', 'read', 'write', 'destroy'] as $which) {
    foreach (['exits', 'exits afterwards', 'throws', 'throws afterwards', 'dies', 'dies afterwards'] as $how) {
        foreach (['0', '1'] as $at_shutdown) {
            $client('SET', data_key($first = new_id()), 'n|i:1;');
            $client('SET', data_key($next = new_id()), 'n|i:7;');
            $site->answer($site->ask('/?' . http_build_query(['which' => $which, 'how' => $how, 'at_shutdown' => $at_shutdown]), $first));
            $left = $client('EXISTS', session_lock($first));
            [$status, $body] = $site->answer($site->ask('/?' . http_build_query(['server' => $server->socket]), $next));
            [$child, $is] = json_decode($body, true) ?? [null, "$status: $body"];
            $children[$child] = true;
            $count++;
            if ($is !== [true, true, 7, true, false, null] || $left || $client('GET', data_key($next)) !== 'n|i:8;') {
                $odd++;
                echo "$which $how $at_shutdown: ", json_encode([$is, $left, $client('GET', data_key($next))]), "\n";
            }
        }
    }
}
say('requests that followed, in so many children', [$count, count($children), $odd]);
?>
--EXPECT--
requests that followed, in so many children: [60,1,0]
