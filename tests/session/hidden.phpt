--TEST--
Whoever looks at locks or clients sees no id of a session, nor its data
--EXTENSIONS--
session
--SKIPIF--
<?php require __DIR__ . '/../cli/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
$id = new_id();
$client('SET', data_key($id), 'n|i:1;');
$client('SET', data_key('other' . $id), 'n|i:1;');
$settings = ['rlock.servers' => $server->url()];
$page = holder($id, '', $settings);
$waiter = page('session_start();', ['id' => $id], ['rlock.session.max_waiters' => '1'] + $settings);
await('a waiter', fn () => preg_match('/^blocked_clients:1\r/m', $client('INFO', 'clients')));
$long = holder($other = new_id(), '', ['rlock.session.prefix' => 'shop:'] + $settings);

putenv('RLOCK_SERVERS=' . $server->url());
$sorted = function (array $names): array {
    $names = preg_replace('/#[0-9a-f]{8}/', '#HASH', $names);
    sort($names);
    return $names;
};
$brief = holder($short = 'mine' . mt_rand(1000, 9999), '', $settings);
$cli = getenv('RLOCK_TEST_CLI');
$ls = shell_exec("$cli ls --prefix ''") . shell_exec("$cli ls --prefix '' --json");
preg_match_all('/^\S+/m', shell_exec("$cli ls --prefix ''"), $names);
say('ls', $sorted($names[0]));
preg_match('/#[0-9a-f]{8}/', shell_exec("$cli who --json --prefix '' " . session_lock($id)), $hash);
say('which is which', str_contains($ls, "PHPREDIS_SESSION:$hash[0]"));
$who = shell_exec("$cli who --prefix '' " . session_lock($id)) . shell_exec("$cli who --json --prefix '' " . session_lock($id));
$holders = array_keys((new RLock($server->url(), prefix: ''))->holders());
say('holders()', $sorted($holders));
try {
    (new RLock($server->url(), prefix: ''))->synchronized(session_lock($id), fn () => null);
} catch (RLock\NotAcquiredException $e) {
    $message = $e->getMessage();
}
$waits = '';
foreach (['ls --waiting', 'ls --waiting --json', 'graph', 'graph --json', 'graph --dot'] as $command) {
    $waits .= $text = shell_exec("$cli $command --prefix ''");
    say($command, substr_count($text, 'PHPREDIS_SESSION:#'));
}
$run = shell_exec("$cli run --json --prefix '' " . session_lock($id) . ' true 2>&1');
ini_set('error_log', $log = temporary_folder() . '/log');
ini_set('rlock.slow_wait', '0.01');
$locks = new RLock($server->url(), prefix: '');
ignore($locks->getLock(session_lock($id), wait: 0.05));
$pending = $locks->requestLock(session_lock($id), wait: 1.0);
try {
    ignore($locks->getLock(session_lock($id)));
} catch (RLock\RLockException $e) {
    $message .= $e->getMessage();
}
$pending->cancel();
$part = '';
foreach (['PHPREDIS_SESSION:', 'PHPREDIS_', '{'] as $prefix) {
    foreach (['ls', 'ls --json', 'ls --waiting', 'graph --json'] as $command) {
        $part .= shell_exec("$cli $command --prefix $prefix 2>&1");
    }
    $part .= json_encode((new RLock($server->url(), prefix: $prefix))->holders());
}
$shown = ['ls' => $ls, 'who' => $who, 'waits' => $waits, 'part of a prefix' => $part, 'run' => $run, 'slow_wait' => file_get_contents($log), 'clients' => $client('CLIENT', 'LIST'), 'the lock' => $client('GET', session_lock($id)),
    'message' => $message];
foreach ($shown as $what => $text) {
    say($what, [strlen($text) > 0, str_contains($text, $id), str_contains($text, $other), str_contains($text, $short), str_contains($text, 'n|i:1')]);
}
?>
--EXPECT--
ls: ["KEY","PHPREDIS_SESSION:#HASH","PHPREDIS_SESSION:#HASH","PHPREDIS_SESSION:#HASH_WAITERS","shop:#HASH"]
which is which: true
holders(): ["PHPREDIS_SESSION:#HASH","PHPREDIS_SESSION:#HASH","PHPREDIS_SESSION:#HASH_WAITERS","shop:#HASH"]
ls --waiting: 1
ls --waiting --json: 1
graph: 1
graph --json: 1
graph --dot: 1
ls: [true,false,false,false,false]
who: [true,false,false,false,false]
waits: [true,false,false,false,false]
part of a prefix: [true,false,false,false,false]
run: [true,false,false,false,false]
slow_wait: [true,false,false,false,false]
clients: [true,false,false,false,false]
the lock: [true,false,false,false,false]
message: [true,false,false,false,false]
