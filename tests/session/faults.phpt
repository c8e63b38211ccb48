--TEST--
A lock that was lost, a server that refuses or is away, a page that dies: data are never half written, and it is said once
--EXTENSIONS--
session
pcntl
--FILE--
<?php
require __DIR__ . '/session.inc';

$client = shared_client();
$id = new_id();
$client('SET', data_key($id), 'n|i:1;');

$page = holder($id, '$_SESSION["n"] = 2; session_write_close(); echo "goes on\n";');
$other = new RLock(shared_url(), prefix: '');
ignore($other->breakLock(session_lock($id)));
ignore($other->getLock(session_lock($id), metadata: 'GET /other'));
$client('SET', data_key($id), 'n|i:77;');
$page->say('go on');
echo "lost to another:\n", preg_replace('/[\w.-]+:\d+ (?=holds|\()/', 'HOST:PID ', printed($page)), "\n";
say('data', $client('GET', data_key($id)));
$other->releaseLock(session_lock($id));

$page = holder($id, '$_SESSION["n"] = 2; session_write_close();');
$client('DEL', session_lock($id));
$page->say('go on');
echo "lost to nobody:\n", printed($page), "\n";
say('data', $client('GET', data_key($id)));

$page = holder($id, 'var_dump(session_destroy());');
$client('DEL', session_lock($id));
ignore($other->getLock(session_lock($id)));
$page->say('go on');
echo "lost, and destroyed:\n", preg_replace('/[\w.-]+:\d+ (?=holds|\()/', 'HOST:PID ', printed($page)), "\n";
say('data, and the other\'s lock', [$client('EXISTS', data_key($id)), $other->isLocking(session_lock($id))]);
$other->releaseLock(session_lock($id));

$client('SET', data_key($id), 'n|i:1;');
$page = holder($id, '$_SESSION["n"] = 3; while (true) { usleep(1000); }', ['rlock.session.ttl' => '0.3']);
say('killed', [$page->kill(), $client('GET', data_key($id))]);
say_took('so long the next waits', seconds(fn () => run_page('the next', 'var_dump(session_start());', ['id' => $id])), 0.0, 0.3);

$page = holder($id, 'usleep(400000); $_SESSION["n"] = 4;', ['rlock.session.ttl' => '0.1']);
$page->say('go on');
echo "outlives its lease: ", printed($page), "\n";
say('data', $client('GET', data_key($id)));
$page = holder($id, 'usleep(400000); $_SESSION["n"] = 5;', ['rlock.session.ttl' => '0.1', 'rlock.session.max_hold' => '0.1']);
$page->say('go on');
echo "but not max_hold:\n", printed($page), "\n";
say('data', $client('GET', data_key($id)));

run_page('a child leaves it alone', 'session_start(); $_SESSION["n"] = 6;
    if (pcntl_fork() === 0) { $_SESSION["n"] = 7; session_write_close(); exit; }
    pcntl_wait($status); var_dump($status, is_free(shared_client(), $args["id"]));
    function is_free($client, $id) { return !str_starts_with((string) $client("GET", "PHPREDIS_SESSION:" . $id . "_LOCK"), "rlock1"); }', ['id' => $id]);
say('data, and free', [$client('GET', data_key($id)), is_free($client, $id)]);
foreach (['exit' => 'exit(3);', 'an uncaught exception' => 'throw new DomainException("x");', 'out of memory' => 'ini_set("memory_limit", "4M"); $a = str_repeat("a", 1 << 24);',
    'a handler that throws' => '', 'out of time' => 'set_time_limit(1); while (true) { hash("md5", "a"); }'] as $what => $code) {
    $page = page(($what === 'a handler that throws' ? '
            final class Throws extends SessionHandler { public function write(string $id, string $data): bool { throw new DomainException("in write"); } }
            session_set_save_handler(new Throws(), false);' : '')
        . 'session_start(); $_SESSION["n"] = 8; ' . $code, ['id' => $id]);
    say("ended by $what", [$page->wait(), $client('GET', data_key($id)), is_free($client, $id)]);
    $client('SET', data_key($id), 'n|i:1;');
}
$first = holder($id);
$client('DEL', 'rlock:w:{' . session_lock($id) . '}:' . session_lock($id));
$page = page('pcntl_async_signals(true); pcntl_signal(SIGUSR1, fn () => throw new DomainException("by a signal"));
    $parent->say("waits"); try { session_start(); } catch (DomainException $e) { echo $e->getMessage(), "\n"; }
    pcntl_signal(SIGUSR1, fn () => session_abort()); session_id($args["id"]); $parent->say("again"); var_dump(session_start());', ['id' => $id]);
$flag = fn () => $client('EXISTS', 'rlock:w:{' . session_lock($id) . '}:' . session_lock($id));
$page->hear();
await('it waits', $flag);
$page->signal('USR1');
$page->hear();
usleep(100000);
$page->signal('USR1');
echo "signals end a wait:\n", printed($page), "\n";
$page = page('pcntl_async_signals(true); pcntl_signal(SIGUSR1, function () { ini_set("memory_limit", "4M"); str_repeat("x", 1 << 30); });
    $parent->say("waits"); session_start();', ['id' => $id]);
$page->hear();
await('it is parked', fn () => preg_match('/^blocked_clients:[1-9]/m', $client('INFO', 'clients')));
usleep(100000);
$page->signal('USR1');
say('a fatal error ends it, too', [$page->wait(), str_contains($page->output(), 'Allowed memory size')]);
$first->kill();
$client('DEL', session_lock($id), data_key($id));

run_page('nobody there', 'var_dump(session_start()); var_dump(session_start());', ['id' => $id], ['rlock.servers' => nowhere()]);
$client('RPUSH', data_key($id), 'a');
run_page('a list', 'var_dump(session_start());', ['id' => $id]);
say('is left alone, and nothing was taken', [$client('LLEN', data_key($id)), $client('EXISTS', session_lock($id))]);
foreach (['written' => '$_SESSION["n"] = 2; session_write_close();', 'touched' => 'session_write_close();', 'destroyed' => 'var_dump(session_destroy());'] as $what => $code) {
    $client('DEL', data_key($id));
    $client('SET', data_key($id), 'n|i:1;');
    $page = holder($id, $code);
    $client('DEL', data_key($id));
    $client('RPUSH', data_key($id), 'a');
    $page->say('go on');
    echo "a list that came meanwhile, and is to be $what:\n", printed($page), "\n";
    say('is left alone, and the lock is free', [$client('LLEN', data_key($id)), $client('TTL', data_key($id)), is_free($client, $id)]);
}
$client('SET', data_key($id), "\x28\xb5\x2f\xfdxyz");
run_page('compressed', 'var_dump(session_start());', ['id' => $id]);
say('stays', $client('GET', data_key($id)) === "\x28\xb5\x2f\xfdxyz");
$client('SET', data_key($id), 'nonsense');
run_page('what is not, PHP destroys', 'var_dump(session_start());', ['id' => $id]);
say('is there', $client('EXISTS', data_key($id)));
say('free', is_free($client, $id));
$client('DEL', data_key($id));

$server = TestServer::start();
$admin = $server->client();
$page = holder($id, '$_SESSION["n"] = str_repeat("x", 100); session_write_close();', ['rlock.servers' => $server->url()]);
$admin('CONFIG', 'SET', 'maxmemory', '1');
$page->say('go on');
echo "full when it is written:\n", printed($page), "\n";
say('free, and without data', [$admin('EXISTS', session_lock($id)), $admin('EXISTS', data_key($id))]);
run_page('full at once', 'var_dump(session_start());', ['id' => $id], ['rlock.servers' => $server->url()]);
$admin('CONFIG', 'SET', 'maxmemory', '0');
$admin('CONFIG', 'SET', 'requirepass', 'secret');
$frozen = TestServer::start();
foreach (['session_write_close', 'session_destroy', 'session_reset', 'session_abort'] as $call) {
    $page = holder($id, "ob_start(); \$_SESSION['n'] = 1; \$began = microtime(true); @$call(); \$parent->say(microtime(true) - \$began);",
        ['rlock.servers' => $frozen->url('timeout=1')]);
    $frozen->freeze();
    $page->say('go on');
    say_within("$call() of a frozen server", $page->hear(), 0.9, 1.4);
    $frozen->thaw();
    $page->wait();
}
run_page('wants a password', 'var_dump(session_start());', ['id' => $id], ['rlock.servers' => $server->url()]);
?>
--EXPECT--
lost to another:
Warning: session_write_close(): The session was not written: its lock was lost: HOST:PID ("GET /other") holds it for another N s
goes on
data: n|i:77;
lost to nobody:
Warning: session_write_close(): The session was not written: its lock was lost
data: n|i:77;
lost, and destroyed:
Warning: session_destroy(): The session was destroyed all the same: its lock was lost: HOST:PID holds it for another N s
bool(true)
data, and the other's lock: [0,true]
killed: [null,"n|i:1;"]
the next:
    bool(true)
so long the next waits: in time
outlives its lease: 
data: n|i:4;
but not max_hold:
Warning: PHP Request Shutdown: The session was not written: its lock was lost
data: n|i:4;
a child leaves it alone:
    int(0)
    bool(false)
data, and free: ["n|i:6;",true]
ended by exit: [3,"n|i:8;",true]
ended by an uncaught exception: [255,"n|i:8;",true]
ended by out of memory: [255,"n|i:8;",true]
ended by a handler that throws: [255,"n|i:1;",true]
ended by out of time: [255,"n|i:8;",true]
signals end a wait:
by a signal
Warning: session_start(): Failed to read session data: rlock
bool(false)
a fatal error ends it, too: [255,true]
nobody there:
    Warning: session_start(): The session could not be started: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
    Warning: session_start(): The session could not be started: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
a list:
    Warning: session_start(): The session could not be started: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
is left alone, and nothing was taken: [1,0]
a list that came meanwhile, and is to be written:
Warning: session_write_close(): The session was not written: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value
is left alone, and the lock is free: [1,-1,true]
a list that came meanwhile, and is to be touched:
Warning: session_write_close(): The session was not written: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value
is left alone, and the lock is free: [1,-1,true]
a list that came meanwhile, and is to be destroyed:
Warning: session_destroy(): The session could not be destroyed: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value
Warning: session_destroy(): Session object destruction failed
bool(false)
is left alone, and the lock is free: [1,-1,true]
compressed:
    Notice: session_start(): The session's data look compressed, which only phpredis can read, and stay as they are; set redis.session.compression to "none" there
    Warning: session_start(): Failed to decode session object. Session has been destroyed
    bool(false)
stays: true
what is not, PHP destroys:
    Warning: session_start(): Failed to decode session object. Session has been destroyed
    bool(false)
is there: 0
free: true
full when it is written:
Warning: session_write_close(): The session was not written: Redis at SOCKET refused: OOM command not allowed when used memory > 'maxmemory'.
free, and without data: [0,0]
full at once:
    Warning: session_start(): The session could not be started: Redis at SOCKET refused: OOM command not allowed when used memory > 'maxmemory'.
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
session_write_close() of a frozen server: in time
session_destroy() of a frozen server: in time
session_reset() of a frozen server: in time
session_abort() of a frozen server: in time
wants a password:
    Warning: session_start(): The session could not be started: Redis at SOCKET refused: NOAUTH Authentication required. Its password goes into the address, percent-encoded: redis://:password@host, unix:///path?password=..., a sentinel's as sentinel_password=... (in PHP the constructor's $servers or the ini setting rlock.servers; for the command, --servers or RLOCK_SERVERS)
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
