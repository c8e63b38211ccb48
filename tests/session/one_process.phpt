--TEST--
Sessions one after another in one process: begun, written, read, regenerated, destroyed, reset, given up, and refused
--EXTENSIONS--
session
--INI--
session.save_handler=rlock
session.use_cookies=0
session.cache_limiter=
session.gc_probability=0
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/session.inc';

ob_start(); // no output before the last setting
$client = shared_client();
$told = [];
set_error_handler(function (int $level, string $message) use (&$told) {
    $told[] = preg_replace(['/ \(path: .*\)/', '/[\w.-]+:\d+ \(\"\S+\"\), holds it for another \d+\.\d{3} s/', '#/\S+redis\.sock#'], ['', 'HOST:PID ("PAGE"), holds it for another N s', 'SOCKET'], $message);
    return true;
});

/* What becomes of a session with 1 in it, what was told, the data, and whether it is free. */
function try_out(string $what, callable $code): void
{
    global $client, $told;
    $told = [];
    $id = new_id();
    $client('SET', data_key($id), 'n|i:1;');
    session_id($id);
    $result = $code($id);
    session_status() === PHP_SESSION_ACTIVE && session_write_close();
    say($what, [$result, $client('GET', data_key($id)), is_free($client, $id), $told]);
}

$other = new RLock(shared_url(), prefix: '');
foreach (['0', '1'] as $strict) {
    ini_set('rlock.servers', shared_url());
    ini_set('session.use_strict_mode', $strict);
    $begin = fn (array $options = []) => session_start($options) ? $_SESSION['n']++ : false;
    try_out('written', fn () => $begin());
    try_out('read', fn () => $begin(['read_and_close' => true]));
    try_out('unchanged', fn () => session_start());
    try_out('given up', fn () => [$begin(), session_abort()]);
    try_out('reset', fn () => [$begin(), session_reset(), $_SESSION['n']]);
    try_out('destroyed', fn () => [$begin(), session_destroy()]);
    try_out('regenerated', fn (string $id) => [$begin(), session_regenerate_id(true), session_id() === $id, session_destroy()]);
    try_out('regenerated, and kept', fn () => [$begin(), session_regenerate_id(), session_destroy()]);
    try_out('swept', fn () => [$begin(), session_gc()]);
    try_out('another id is made', fn () => [$begin(), strlen(session_create_id('a-')) > 2]);
    try_out('busy', function (string $id) use ($other, $begin) {
        ini_set('rlock.session.wait', '0');
        ignore($other->getLock(session_lock($id), ttl: 300.0, metadata: 'page'));
        $results = [$begin()];
        ini_set('rlock.session.busy', 'readonly');
        session_id($id);
        $results[] = $begin();
        session_write_close();
        ini_restore('rlock.session.wait');
        ini_restore('rlock.session.busy');
        $other->releaseLock(session_lock($id));
        return $results;
    });
    try_out('lost', fn (string $id) => [$begin(), $other->breakLock(session_lock($id)), session_write_close()]);
    try_out('destroyed after its lease', function (string $id) use ($client) {
        ini_set('rlock.session.ttl', '0.2');
        ini_set('rlock.session.max_hold', '0.2');
        for ($tries = 50; $tries > 0 && !session_start(); $tries--) { // a busy machine may get it too late
            session_id($id);
        }
        $client('SET', data_key($id), 'n|i:1;');
        await('its end', fn () => is_free($client, $id));
        $GLOBALS['told'] = [];
        $result = session_destroy();
        ini_restore('rlock.session.ttl');
        ini_restore('rlock.session.max_hold');
        return $result;
    });
    try_out('deleted meanwhile', fn (string $id) => [$begin(), $client('DEL', data_key($id)), session_write_close()]);
    try_out('of another kind', function (string $id) use ($client, $begin) {
        $client('DEL', data_key($id));
        $client('RPUSH', data_key($id), 'a');
        $began = $begin();
        $client('SET', data_key($id), 'n|i:1;');
        return $began;
    });
    try_out('nonsense', fn (string $id) => [$client('SET', data_key($id), 'nonsense'), $begin()]);
    ini_set('rlock.servers', nowhere());
    try_out('nobody there', fn () => $begin());
    ini_set('rlock.servers', 'nonsense');
    try_out('no address', fn () => $begin());
}
?>
--EXPECT--
written: [1,"n|i:2;",true,[]]
read: [1,"n|i:1;",true,[]]
unchanged: [true,"n|i:1;",true,[]]
given up: [[1,true],"n|i:1;",true,[]]
reset: [[1,true,1],"n|i:1;",true,[]]
destroyed: [[1,true],null,true,[]]
regenerated: [[1,true,false,true],null,true,[]]
regenerated, and kept: [[1,true,true],"n|i:2;",true,[]]
swept: [[1,0],"n|i:2;",true,[]]
another id is made: [[1,true],"n|i:2;",true,[]]
busy: [[false,1],"n|i:1;",true,["session_start(): The session stayed busy: this very process, HOST:PID (\"PAGE\"), holds it for another N s","session_start(): Failed to read session data: rlock","session_start(): The session is busy, and can only be read: this very process, HOST:PID (\"PAGE\"), holds it for another N s"]]
lost: [[1,true,true],"n|i:1;",true,["session_write_close(): The session was not written: its lock was lost"]]
destroyed after its lease: [true,null,true,["session_destroy(): The session was destroyed all the same: its lock was lost"]]
deleted meanwhile: [[1,1,true],null,true,["session_write_close(): The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted"]]
of another kind: [false,"n|i:1;",true,["session_start(): The session could not be started: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value","session_start(): Failed to read session data: rlock"]]
nonsense: [["OK",false],null,true,["session_start(): Failed to decode session object. Session has been destroyed"]]
nobody there: [false,"n|i:1;",true,["session_start(): The session could not be started: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory","session_start(): Failed to read session data: rlock"]]
no address: [false,"n|i:1;",true,["session_start(): The session could not be opened: The server address cannot be read: a host alone, or with its port, is written redis://host:6379; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it","session_start(): Failed to initialize storage module: rlock"]]
written: [1,"n|i:2;",true,[]]
read: [1,"n|i:1;",true,[]]
unchanged: [true,"n|i:1;",true,[]]
given up: [[1,true],"n|i:1;",true,[]]
reset: [[1,true,1],"n|i:1;",true,[]]
destroyed: [[1,true],null,true,[]]
regenerated: [[1,true,false,true],null,true,[]]
regenerated, and kept: [[1,true,true],"n|i:2;",true,[]]
swept: [[1,0],"n|i:2;",true,[]]
another id is made: [[1,true],"n|i:2;",true,[]]
busy: [[false,1],"n|i:1;",true,["session_start(): The session stayed busy: this very process, HOST:PID (\"PAGE\"), holds it for another N s","session_start(): Failed to read session data: rlock","session_start(): The session is busy, and can only be read: this very process, HOST:PID (\"PAGE\"), holds it for another N s"]]
lost: [[1,true,true],"n|i:1;",true,["session_write_close(): The session was not written: its lock was lost"]]
destroyed after its lease: [true,null,true,["session_destroy(): The session was destroyed all the same: its lock was lost"]]
deleted meanwhile: [[1,1,true],null,true,["session_write_close(): The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted"]]
of another kind: [false,"n|i:1;",true,["session_start(): The session could not be started: Redis at SOCKET refused: WRONGTYPE Operation against a key holding the wrong kind of value","session_start(): Failed to read session data: rlock"]]
nonsense: [["OK",false],null,true,["session_start(): Failed to decode session object. Session has been destroyed"]]
nobody there: [false,"n|i:1;",true,["session_start(): The session could not be started: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory","session_start(): Failed to read session data: rlock"]]
no address: [false,"n|i:1;",true,["session_start(): The session could not be opened: The server address cannot be read: a host alone, or with its port, is written redis://host:6379; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it","session_start(): Failed to initialize storage module: rlock"]]
