--TEST--
holders() runs signal handlers between its steps; what they throw ends it, and they may use the object
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url('timeout=20'));
$lock->getLock('mail');
pcntl_async_signals(true);

/* The signal comes while the server is frozen, and so within the first step. */
function search(RLock $lock, TestServer $server): string
{
    $server->freeze();
    $child = Child::start('
        $state = fn () => preg_match("/^State:\s+S/m", file_get_contents("/proc/$args[0]/status"));
        $parent->say("ready");
        await("the parent in poll", fn () => str_contains((string) @file_get_contents("/proc/$args[0]/wchan"), "poll"));
        send_signal($args[0], "USR1");
        send_signal($args[1], "CONT");
    ', [getmypid(), $server->pid]);
    $child->hear();
    $result = outcome(fn () => array_keys($lock->holders()));
    $child->wait();
    return $result;
}

pcntl_signal(SIGUSR1, function () use ($lock, &$within) { $within = array_keys($lock->holders()); });
say('found', search($lock, $server));
say('within', $within);
pcntl_signal(SIGUSR1, fn () => throw new DomainException());
say('thrown', search($lock, $server));
pcntl_signal(SIGUSR1, fn () => $lock->close());
say('closed', search($lock, $server));
say('given back', $server->client()('EXISTS', 'lock@mail'));
?>
--EXPECT--
found: ["mail"]
within: ["mail"]
thrown: DomainException
closed: RLock\RLockException
given back: 0
