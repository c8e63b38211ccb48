--TEST--
unix:// and redis://, with and without password, user and database
--FILE--
<?php
require __DIR__ . '/../../server.inc';

ini_set('rlock.timeout', '10'); // of the addresses that say nothing of it: a busy machine takes its time
ini_set('rlock.connect_timeout', '10');
$server = TestServer::start(['--requirepass', 'open sesame/@:'], tcp: true);
$client = $server->client();
$client('AUTH', 'open sesame/@:');
$client('ACL', 'SETUSER', 'tom', 'on', '>pass word', '~*', '&*', '+@all');
$secret = rawurlencode('open sesame/@:');
$user = rawurlencode('pass word');
$name = gethostbynamel('localhost') ? 'localhost' : '127.0.0.1'; // a machine may lack it
$forms = [
    [0, "unix://$server->socket?password=$secret"],
    [5, "unix://$server->socket?db=5&password=$secret"],
    [2, "unix://$server->socket?user=tom&password=$user&db=2"],
    [0, "redis://:$secret@127.0.0.1:$server->port"],
    [0, "redis://:$secret@127.0.0.1:$server->port/"],
    [3, "redis://:$secret@$name:$server->port/3"],
    [4, "redis://tom:$user@127.0.0.1:$server->port/4?timeout=12&connect_timeout=11.5&persistent=0"],
];
foreach ($forms as [$db, $address]) {
    $key = unique_key();
    $lock = new RLock($address);
    $taken = outcome(fn () => $lock->getLock($key));
    $client('SELECT', $db);
    echo "db $db: $taken, ", $client('EXISTS', lock_key($key)), ' there, ', outcome(fn () => $lock->releaseLock($key)), "\n";
}
$lock = new RLock($server->url());
say('no password', outcome(fn () => $lock->getLock('key')));
$lock = new RLock($server->url("password=$secret&db=99"));
say('no such database', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
db 0: true, 1 there, true
db 5: true, 1 there, true
db 2: true, 1 there, true
db 0: true, 1 there, true
db 0: true, 1 there, true
db 3: true, 1 there, true
db 4: true, 1 there, true
no password: RLock\ServerException, NOAUTH
no such database: RLock\ServerException, ERR
