--TEST--
session.save_path: nothing, an address, and phpredis' forms; what cannot be read is refused without its secrets
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start(['--requirepass', 'p&s s%', '--databases', '4'], tcp: true);
$client = $server->client();
$client('AUTH', 'p&s s%');
$client('ACL', 'SETUSER', 'me', 'on', '>secret', '~*', '&*', '+@all');
$id = new_id();
$code = 'if (session_start()) { $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; echo $_SESSION["n"], "\n"; }';
$password = rawurlencode('p&s s%');
$tcp = "tcp://127.0.0.1:$server->port";
$unix = "unix://$server->socket";
foreach ([
    'ours' => "redis://:$password@127.0.0.1:$server->port/2?timeout=5",
    'tcp' => "$tcp?auth=$password&database=2&timeout=2.5&read_timeout=0&persistent=1&persistent_id=a&retry_interval=100&weight=2&stream[verify_peer]=0",
    'tcp, with a slash' => "$tcp/?auth=$password&database=2&timeout=999&read_timeout=3600",
    'unix' => "$unix?auth=$password&database=2&weight=1",
    'a user' => "$unix?auth[]=me&auth[]=secret&database=2",
    'a user by name' => "$unix?auth[pass]=secret&auth[user]=me&database=2",
    'a password by name' => "$tcp?auth[pass]=$password&database=2",
    'one of a list' => "$unix?auth[]=$password&database=2",
    'a user, by TCP' => "$tcp?auth%5B%5D=me&auth%5B%5D=secret&database=2",
    'a prefix' => "$tcp?auth=$password&database=2&prefix=" . rawurlencode('shop:a b:'),
    'the same' => "$unix?auth=$password&database=2&prefix=shop:a+b:",
    'another database' => "$tcp?auth=$password&database=3",
    'a word that nobody knows' => "$tcp?auth=$password&datbase=3",
    'two' => "$tcp?auth=$password, $tcp?auth=$password",
    'two addresses' => "redis://:secret@a redis://:secret@b",
    'no address' => 'localhost:6379',
    'what an ini file has cut at =' => 'redis://localhost?timeout',
    'what an ini file has made of &' => '0',
    'a wrong database' => "$tcp?auth=$password&database=abc",
] as $what => $path) {
    run_page($what, $code, ['id' => $id], ['session.save_path' => $path]);
}
run_page('rlock.servers', $code, ['id' => $id], ['rlock.servers' => "redis://:$password@127.0.0.1:$server->port/2", 'session.save_path' => '']);
run_page('and a folder', $code, ['id' => $id], ['rlock.servers' => "redis://:$password@127.0.0.1:$server->port/2", 'session.save_path' => '1;/tmp']);
run_page('rlock.session.prefix', $code, ['id' => $id], ['rlock.servers' => "redis://:$password@127.0.0.1:$server->port/2", 'rlock.session.prefix' => 'shop:a b:']);
$client('SELECT', 2);
$keys = preg_replace("/$id/", 'ID', preg_grep('/^rlock:/', $client('KEYS', '*'), PREG_GREP_INVERT));
sort($keys);
say('keys', $keys);
foreach (['wait' => ['-1', '-2', 'x', '0'], 'ttl' => ['0.001', '5'], 'max_hold' => ['-1', '10'], 'busy' => ['wait', 'readonly', 'fail'], 'max_waiters' => ['-1', '1.5', '3']] as $name => $values) {
    foreach ($values as $value) {
        say("rlock.session.$name = $value", @ini_set("rlock.session.$name", $value) === false ? error_get_last()['message'] : ini_get("rlock.session.$name"));
    }
}
?>
--EXPECT--
ours:
    1
tcp:
    2
tcp, with a slash:
    3
unix:
    4
a user:
    5
a user by name:
    6
a password by name:
    7
one of a list:
    8
a user, by TCP:
    9
a prefix:
    1
the same:
    2
another database:
    1
a word that nobody knows:
    Warning: session_start(): The session could not be opened: the session.save_path has a parameter that is not known
    Warning: session_start(): Failed to initialize storage module: rlock
two:
    Warning: session_start(): The session could not be opened: the session.save_path names several servers; a session is kept by one, Sentinel or a cluster
    Warning: session_start(): Failed to initialize storage module: rlock
two addresses:
    Warning: session_start(): The session could not be opened: sessions are kept by one server, Sentinel or a cluster, and not by several independent servers
    Warning: session_start(): Failed to initialize storage module: rlock
no address:
    Warning: session_start(): The session could not be opened: The server address cannot be read: a host alone, or with its port, is written redis://host:6379; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
    Warning: session_start(): Failed to initialize storage module: rlock
what an ini file has cut at =:
    Warning: session_start(): The session could not be opened: The server address cannot be read: the option "timeout" has no value; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
    Warning: session_start(): Failed to initialize storage module: rlock
what an ini file has made of &:
    Warning: session_start(): The session could not be opened: The server address cannot be read: a host alone, or with its port, is written redis://host:6379; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
    Warning: session_start(): Failed to initialize storage module: rlock
a wrong database:
    Warning: session_start(): The session could not be opened: The server address cannot be read: the database must be a whole number, 0 or more
    Warning: session_start(): Failed to initialize storage module: rlock
rlock.servers:
    10
and a folder:
    11
rlock.session.prefix:
    3
keys: ["PHPREDIS_SESSION:ID","shop:a b:ID"]
rlock.session.wait = -1: -1
rlock.session.wait = -2: rlock.session.wait must be 0 or more seconds, or -1, which is for ever, "-2" given; it stays as it was
rlock.session.wait = x: rlock.session.wait must be 0 or more seconds, or -1, which is for ever, "x" given; it stays as it was
rlock.session.wait = 0: 0
rlock.session.ttl = 0.001: rlock.session.ttl must be between 0.01 and 1000000000 seconds, "0.001" given; it stays as it was
rlock.session.ttl = 5: 5
rlock.session.max_hold = -1: rlock.session.max_hold must be 0 or more seconds, "-1" given; it stays as it was
rlock.session.max_hold = 10: 10
rlock.session.busy = wait: rlock.session.busy must be "fail" or "readonly", "wait" given; it stays as it was
rlock.session.busy = readonly: readonly
rlock.session.busy = fail: fail
rlock.session.max_waiters = -1: rlock.session.max_waiters must be a whole number, 0 or more, "-1" given; it stays as it was
rlock.session.max_waiters = 1.5: rlock.session.max_waiters must be a whole number, 0 or more, "1.5" given; it stays as it was
rlock.session.max_waiters = 3: 3
