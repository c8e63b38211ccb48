--TEST--
What PHP code opens while a session of ours is in a call is refused, and both that one and the next are as they should be
--EXTENSIONS--
session
pcntl
--INI--
session.save_handler=rlock
session.use_cookies=0
session.use_strict_mode=0
session.cache_limiter=
session.gc_probability=0
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/session.inc';

ob_start(); // no output before the last setting
$server = TestServer::start();
$client = $server->client();
ini_set('rlock.servers', $server->url());
ini_set('rlock.session.wait', '120'); // under valgrind, too, one is parked before it is over
pcntl_async_signals(true);
$told = [];
set_error_handler(function (int $level, string $message) use (&$told) {
    $told[] = preg_replace('/ \(path: .*\)/', '', $message);
    return true;
});
$handler = new SessionHandler();
session_set_save_handler($handler, false);
$holder = new RLock($server->url(), prefix: '');
$signaller = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    while (true) {
        $parent->hear();
        $redis->awaitBlocked(1);
        send_signal($args["pid"], SIGUSR1);
        $parent->say("sent");
    }
', ['pid' => getmypid(), 'socket' => $server->socket]);

/* Begins a session that another has, and in its wait does what is to be done. */
$in_wait = function (string $what, callable $act) use ($signaller, $holder, &$told): void {
    $told = [];
    $id = new_id();
    ignore($holder->getLock(session_lock($id), ttl: 300.0));
    $result = null;
    pcntl_signal(SIGUSR1, function () use ($act, $holder, $id, &$result) {
        try {
            $result = $act($id);
        } finally {
            $holder->releaseLock(session_lock($id));
        }
    });
    $signaller->say('go');
    session_id($id);
    $began = outcome(fn () => session_start());
    $signaller->hear();
    say($what, [$result, $began, $told]);
};
/* Another session, to its end. */
$next = function (string $what) use ($client, &$told): void {
    $told = [];
    session_id($id = new_id());
    $began = session_start();
    $locked = !is_free($client, $id);
    $_SESSION['n'] = 1;
    session_write_close();
    say($what, [$began, $locked, $client('GET', data_key($id)), is_free($client, $id), $told]);
};

$in_wait('the same is opened once more', fn () => $handler->open('', 'PHPSESSID'));
$_SESSION['n'] = 1;
say('and written', session_write_close());
$next('the next');

/* With nothing between PHP and us, it is closed and another one begun; then that of the call is forgotten. */
ini_set('session.save_handler', 'rlock');
foreach (['closed' => false, 'given up by an exception' => true] as $what => $throws) {
    $in_wait("another one, $what", function () use ($throws) {
        session_abort();
        session_id(new_id());
        $began = session_start();
        return $throws ? throw new DomainException(json_encode($began)) : $began;
    });
    $next('the next');
}
?>
--EXPECT--
the same is opened once more: [false,"true",[]]
and written: true
the next: [true,true,"n|i:1;",true,[]]
another one, closed: [false,"false",["session_start(): Failed to initialize storage module: rlock","session_start(): Failed to read session data: rlock"]]
the next: [true,true,"n|i:1;",true,[]]
another one, given up by an exception: [null,"DomainException",["session_start(): Failed to initialize storage module: rlock"]]
the next: [true,true,"n|i:1;",true,[]]
