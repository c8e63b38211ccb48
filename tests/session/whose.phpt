--TEST--
PHP says whose session it is: that id has the lock, whatever else a handler around ours reads, validates, writes or destroys
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
$settings = ['rlock.servers' => $server->url(), 'rlock.session.wait' => '0.5'];
$locks = fn () => array_values(array_filter($client('KEYS', '*_LOCK'), fn (string $key) => !str_starts_with($key, 'rlock:') && str_starts_with((string) $client('GET', $key), 'rlock1')));
$keys = fn () => count(preg_grep('/^rlock:/', $client('KEYS', '*'), PREG_GREP_INVERT));

/* Looks at another session at each opportunity. */
$looking = '
    final class Looking extends SessionHandler implements SessionUpdateTimestampHandlerInterface
    {
        private function look(): void
        {
            global $args, $seen;
            $seen[] = $this->read($args["other"], true);
            $seen[] = parent::write($args["other"], "x|i:6;");
        }
        public function open(string $path, string $name): bool { $is = parent::open($path, $name); $this->look(); return $is; }
        public function close(): bool { $this->look(); return parent::close(); }
        public function read(string $id, bool $quiet = false): string|false { $quiet || $this->look(); $is = parent::read($id); $quiet || $this->look(); return $is; }
        public function write(string $id, string $data): bool { $this->look(); $is = parent::write($id, $data); $this->look(); return $is; }
        public function destroy(string $id): bool { $this->look(); $is = parent::destroy($id); $this->look(); return $is; }
        public function validateId(string $id): bool { $this->look(); $is = parent::read($id); $this->look(); return $is !== ""; }
        public function updateTimestamp(string $id, string $data): bool { $this->look(); $is = parent::write($id, $data); $this->look(); return $is; }
    }
    session_set_save_handler(new Looking(), false);
    session_start();
    $seen = [array_count_values(array_map(fn ($of) => json_encode($of), $seen))];
    $parent->say("has it");
    $parent->hear();
    $_SESSION["n"]++;';
foreach (['0', '1'] as $strict) {
    foreach (['written' => '', 'given up' => 'session_abort();', 'destroyed' => 'session_destroy();', 'regenerated' => 'ob_start(); session_regenerate_id(true);'] as $what => $more) {
        $client('FLUSHALL');
        $id = new_id();
        $other = 'other' . new_id();
        $client('SET', data_key($id), 'n|i:1;');
        $client('SET', data_key($other), 'x|i:5;');
        $page = page($looking . $more . 'session_write_close(); $parent->say($seen);', ['id' => $id, 'other' => $other], ['session.use_strict_mode' => $strict] + $settings);
        $page->hear();
        $held = $locks() === [session_lock($id)];
        run_page("the other, whose session is free", 'var_dump(session_start());', ['id' => $other], $settings);
        $client('SET', data_key($other), 'x|i:5;');
        $page->say('go on');
        $seen = $page->hear();
        say("$what, strict $strict", [$held, $seen[0], array_values(array_unique(array_slice($seen, 1), SORT_REGULAR)), printed($page), $client('GET', data_key($id)), $client('GET', data_key($other)), $locks()]);
    }
}

/* Validates by reading, as libraries do that know of no other way, and does not read again what was not there. */
$strict = '
    final class Strict extends SessionHandler implements SessionUpdateTimestampHandlerInterface
    {
        private array $known = [];
        public function validateId(string $id): bool { return ($this->known[$id] = parent::read($id)) !== ""; }
        public function read(string $id): string|false { $data = in_array("", $this->known, true) ? "" : $this->known[$id] ?? parent::read($id); $this->known = []; return $data; }
        public function updateTimestamp(string $id, string $data): bool { return parent::write($id, $data); }
    }
    ob_start();
    session_set_save_handler(new Strict());
    session_start();
    $id = session_id();
    echo json_encode([$id === $args["id"], $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1]);
    $parent->say($id);
    $parent->hear();
';
$visit = function (string $what, string $id, string $more = '') use ($strict, $settings, $client, $locks, $keys): string {
    $client('CONFIG', 'RESETSTAT');
    $page = page($strict . $more, ['id' => $id], ['session.use_strict_mode' => '1'] + $settings);
    $has = $page->hear();
    $held = [$keys(), $locks() === [session_lock($has)]];
    $page->say('go on');
    $said = printed($page);
    preg_match_all('/^cmdstat_eval(?:sha)?:calls=(\d+)/m', $client('INFO', 'commandstats'), $found);
    say($what, [$said, 'keys, and held' => $held, 'data' => $client('GET', data_key($has)), 'locks' => $locks(), 'requests' => array_sum($found[1])]);
    return $has;
};
$client('FLUSHALL');
$id = $visit('the server learns the scripts', new_id());
$client('FLUSHDB');
$new = $visit('an unknown id', $id);
$visit('its second visit', $new);
$visit('regenerated', $new, 'session_regenerate_id(true); $parent->say(1); ');
$client('SET', data_key($new), 'n|i:1;');
$visit('destroyed', $new, 'session_destroy();');

/* An id that is no longer PHP's is let go of as soon as the handler is called about PHP's own. */
$client('FLUSHALL');
$client('SET', data_key($id), 'n|i:1;');
$page = page('
    final class Rejects extends SessionHandler
    {
        public function validateId(string $id): bool { parent::read($id); return false; }
    }
    ob_start();
    $handler = new Rejects();
    session_set_save_handler(...array_map(fn (string $name) => fn (...$words) => $handler->$name(...$words), ["open", "close", "read", "write", "destroy", "gc", "create_sid", "validateId"]));
    session_start();
    $_SESSION["n"] = 7;
    $parent->say(session_id());
    $parent->hear();', ['id' => $id], ['session.use_strict_mode' => '1', 'error_reporting' => (string) (E_ALL & ~E_DEPRECATED)] + $settings);
$new = $page->hear();
say('a known id that is rejected', [$new !== $id, $locks() === [session_lock($new)]]);
$page->say('go on');
say('written under the new one', [printed($page), $client('GET', data_key($new)), $client('GET', data_key($id)), $locks()]);

/* Only PHP ends its session: who writes by hand, or while it reads, as to encrypt anew, keeps the lock. */
foreach ([
    'written while it is read' => 'class Anew extends SessionHandler { public function read(string $id): string|false { parent::write($id, "n|i:2;"); return parent::read($id); } }
        session_set_save_handler(new Anew()); session_start();',
    'read, and then written' => 'class Anew extends SessionHandler { public function read(string $id): string|false { $data = parent::read($id); parent::write($id, "n|i:2;"); return "n|i:2;"; } }
        session_set_save_handler(new Anew()); session_start();',
    'written by hand' => '$handler = new SessionHandler(); session_set_save_handler($handler); session_start(); $_SESSION["n"]++; $handler->write($args["id"], session_encode());',
    'destroyed by hand' => '$handler = new SessionHandler(); session_set_save_handler($handler); session_start(); $_SESSION["n"]++; $handler->destroy($args["id"]);',
] as $what => $code) {
    $client('FLUSHALL');
    $client('SET', data_key($id), 'n|i:1;');
    $page = page($code . '$parent->say("has it"); $parent->hear(); $_SESSION["n"]++;', ['id' => $id], $settings);
    $page->hear();
    $between = [$client('GET', data_key($id)), $locks() === [session_lock($id)]];
    $other = page('$parent->say("waits"); session_start(); $_SESSION["n"]++;', ['id' => $id], ['rlock.session.wait' => '20'] + $settings);
    $other->hear();
    $page->say('go on');
    say($what, [$between, printed($page), printed($other), $client('GET', data_key($id)), $locks()]);
}
$client('FLUSHALL');
$client('SET', data_key($id), 'n|i:1;');
$page = page('$handler = new SessionHandler(); session_set_save_handler($handler); session_start(); $parent->say("has it"); $parent->hear(); $handler->write($args["id"], "n|i:3;"); $_SESSION["n"] = 4;', ['id' => $id], $settings);
$page->hear();
$client('SET', session_lock($id), 'foreign', 'PX', '60000');
$page->say('go on');
say('written by hand without the lock', [printed($page), $client('GET', data_key($id))]);

/* Who writes twice when PHP ends the session has given the lock back meanwhile. */
foreach (['nobody' => '', 'who writes' => '$_SESSION["n"] = 7;', 'who logs out' => 'session_destroy();'] as $what => $between) {
    $client('FLUSHALL');
    $client('SET', data_key($id), 'n|i:1;');
    $page = page('
        class Twice extends SessionHandler { public function write(string $id, string $data): bool { global $parent; parent::write($id, $data); $parent->say("once"); $parent->hear(); return parent::write($id, $data); } }
        session_set_save_handler(new Twice()); session_start(); $_SESSION["n"] = 5;', ['id' => $id], $settings);
    $page->hear();
    if ($between !== '') {
        run_page("written twice, and between by one $what", "ob_start(); session_start(); $between", ['id' => $id], $settings);
    }
    $page->say('go on');
    say("written twice: $what", [printed($page), $client('GET', data_key($id)), $locks()]);
}

/* What the data are is for those to know who made them. */
run_page('data that begin with anything', '
    session_set_save_handler(new class extends SessionHandler {
        public string $as = "";
        public function read(string $id): string|false { return substr((string) parent::read($id), strlen($this->as)); }
        public function write(string $id, string $data): bool { return parent::write($id, $this->as . $data); }
    });
    $handler = new class extends SessionHandler {
        public string $as = "";
        public function read(string $id): string|false { $data = (string) parent::read($id); return $data === "" ? "" : ~substr($data, strlen($this->as)); }
        public function write(string $id, string $data): bool { return parent::write($id, $this->as . ~$data); }
    };
    ob_start();
    session_set_save_handler($handler, false);
    $odd = 0;
    for ($byte = 0; $byte < 256; $byte++) {
        $handler->as = $byte === 255 ? "\x28\xb5\x2f\xfd" : chr($byte);
        session_id("byte$byte");
        session_start();
        $_SESSION["byte"] = $byte;
        session_write_close();
        $_SESSION = [];
        session_start();
        $odd += ($_SESSION["byte"] ?? null) !== $byte;
        session_abort();
    }
    var_dump($odd);', [], $settings);
?>
--EXPECT--
the other, whose session is free:
    bool(true)
written, strict 0: [true,{"\"x|i:5;\"":3,"false":3},["x|i:5;",false],"","n|i:2;","x|i:5;",[]]
the other, whose session is free:
    bool(true)
given up, strict 0: [true,{"\"x|i:5;\"":3,"false":3},["x|i:5;",false],"","n|i:1;","x|i:5;",[]]
the other, whose session is free:
    bool(true)
destroyed, strict 0: [true,{"\"x|i:5;\"":3,"false":3},["x|i:5;",false],"",null,"x|i:5;",[]]
the other, whose session is free:
    bool(true)
regenerated, strict 0: [true,{"\"x|i:5;\"":3,"false":3},["x|i:5;",false],"",null,"x|i:5;",[]]
the other, whose session is free:
    bool(true)
written, strict 1: [true,{"\"x|i:5;\"":5,"false":5},["x|i:5;",false],"","n|i:2;","x|i:5;",[]]
the other, whose session is free:
    bool(true)
given up, strict 1: [true,{"\"x|i:5;\"":5,"false":5},["x|i:5;",false],"","n|i:1;","x|i:5;",[]]
the other, whose session is free:
    bool(true)
destroyed, strict 1: [true,{"\"x|i:5;\"":5,"false":5},["x|i:5;",false],"",null,"x|i:5;",[]]
the other, whose session is free:
    bool(true)
regenerated, strict 1: [true,{"\"x|i:5;\"":5,"false":5},["x|i:5;",false],"",null,"x|i:5;",[]]
the server learns the scripts: {"0":"[false,1]","keys, and held":[0,false],"data":"n|i:1;","locks":[],"requests":3}
an unknown id: {"0":"[false,1]","keys, and held":[0,false],"data":"n|i:1;","locks":[],"requests":3}
its second visit: {"0":"[true,2]","keys, and held":[2,true],"data":"n|i:2;","locks":[],"requests":2}
regenerated: {"0":"[true,3]","keys, and held":[2,true],"data":null,"locks":[],"requests":4}
destroyed: {"0":"[true,2]","keys, and held":[3,true],"data":null,"locks":[],"requests":2}
a known id that is rejected: [true,true]
written under the new one: ["","n|i:7;","n|i:1;",[]]
written while it is read: [["n|i:2;",true],"","","n|i:4;",[]]
read, and then written: [["n|i:2;",true],"","","n|i:4;",[]]
written by hand: [["n|i:2;",true],"","","n|i:4;",[]]
destroyed by hand: [[null,true],"","","n|i:4;",[]]
written by hand without the lock: ["Warning: SessionHandler::write(): The session was not written: its lock was lost: a client of another library holds it for another N s","n|i:1;"]
written twice: nobody: ["","n|i:5;",[]]
written twice, and between by one who writes:

written twice: who writes: ["Warning: SessionHandler::write(): The session was not written again: another request has changed it meanwhile","n|i:7;",[]]
written twice, and between by one who logs out:

written twice: who logs out: ["Warning: SessionHandler::write(): The session was not written again: another request has changed it meanwhile",null,[]]
data that begin with anything:
    int(0)
