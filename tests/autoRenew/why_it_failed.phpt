--TEST--
autoRenew: the exception says why the last renewal failed, and never a password
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();

function user(TestServer $server, string ...$rules): string
{
    $server->client()('ACL', 'SETUSER', 'app', 'reset', 'on', '~*', '&*', ...$rules);
    return $server->url('timeout=2&user=app&password=hunter2');
}

/* The verdict on what could not be renewed. */
function told(RLock $lock, string $key, string $words): string
{
    await('the end of the lease', fn () => $lock->lease($key)->ttl === 0.0);
    try {
        $lock->check($key);
    } catch (RLock\TimeoutException $e) {
        say('password told', str_contains($e . print_r($e, true), 'hunter2'));
        preg_match('/ The last renewal failed \d+\.\d+ s ago: (.*)/', $e->getMessage(), $match);
        return str_contains($match[1] ?? '', $words) ? 'told' : $e->getMessage();
    }
    return 'nothing';
}

$url = user($server, '>hunter2', '+@all');
$lock = new RLock($url, autoRenew: true);
take_briefly($lock->getLock(...), 'forbidden', ttl: 1.0);
user($server, '>hunter2', '+@all', '-pexpire', '-set');
say('NOPERM', told($lock, 'forbidden', 'lacks a right'));

user($server, '>hunter2', '+@all');
$other = new RLock($url, autoRenew: true);
take_briefly($other->getLock(...), 'password', ttl: 1.0);
user($server, '>another', '+@all');
$client('CLIENT', 'KILL', 'USER', 'app');
say('WRONGPASS', told($other, 'password', 'WRONGPASS'));

user($server, '>hunter2', '+@all');
take_briefly($other->getLock(...), 'away', ttl: 1.0);
$server->kill();
say('away', told($other, 'away', 'Cannot connect'));
?>
--EXPECT--
password told: false
NOPERM: told
password told: false
WRONGPASS: told
password told: false
away: told
