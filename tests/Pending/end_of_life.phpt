--TEST--
Pending: however its object, the request or the process ends, it leaves the queue, and what came is passed on
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());

/* What $code does with a Pending that is parked. */
$end = function (string $how, string $code) use ($server, $client, $holder): void {
    ignore($holder->getLock('key', wait: 5.0, ttl: 60.0));
    $child = Child::start('
        require "' . __DIR__ . '/../pending.inc";
        ini_set("display_errors", "0");
        $lock = new RLock($args[0]);
        $pending = $lock->requestLock("key", ttl: 60.0);
        while (is_null($pending->poll()) && watch([$pending], 0.2));
        $parent->say("parked");
        $parent->hear();
        ' . $code, [$server->url()]);
    $child->hear();
    $client->awaitBlocked(1);
    $child->say('go on');
    $child->wait();
    $client->awaitBlocked(0);
    $holder->releaseLock('key');
    say($how, [$holder->getLock('key'), $holder->releaseLock('key')]);
};
$end('the end of the script', '');
$end('exit', 'exit(0);');
$end('an exception', 'throw new Exception();');
$end('a fatal error', 'eval("class A { abstract function a(); }");');
$end('no memory', '$a = []; while (true) { $a[] = str_repeat("a", 1 << 20); }');
$end('unset', 'unset($pending);');
$end('the RLock first', 'unset($lock); $pending->x = 1;');
$end('in a circle', '$a = new stdClass(); $a->a = $a; $a->pending = $pending; unset($pending, $lock); exit(0);');
$end('in a static', 'class Keep { static $all; } Keep::$all = [$pending, $lock];');
$end('a destructor', 'class Last { function __destruct() { global $pending; $pending->poll(); $pending->cancel(); } } $last = new Last();');
$end('a suspended fiber', '$fiber = new Fiber(function () use ($pending) { Fiber::suspend(); }); $fiber->start();');

/* A grant that nobody polled goes with its process, and so does one that comes at its end. */
$child = Child::start('
    $lock = new RLock($args[0]);
    ignore($lock->getLock("warm"));
    $pending = $lock->requestLock("granted", ttl: 60.0);
    $parent->say("asked");
    $parent->hear();
', [$server->url()]);
$child->hear();
await('a grant', fn () => $client('EXISTS', lock_key('granted')) === 1);
$child->say('go on');
$child->wait();
say('an unpolled grant', $client('EXISTS', lock_key('granted')));

/* Exceptions in a retry strategy. */
final class Failing implements RLock\RetryStrategy
{
    public ?Closure $act = null;

    public function nextBackoff(int $attempt): ?float
    {
        return ($this->act)($attempt);
    }
}
$strategy = new Failing();
$lock = new RLock($server->url(), retry: $strategy);
ignore($holder->getLock('key', ttl: 60.0));
$before = descriptors();
$try = function (string $what, Closure $act) use ($strategy, $lock, $client): void {
    $strategy->act = $act;
    $pending = $lock->requestLock('key');
    $strategy->act = fn (int $attempt) => $act($attempt, $pending);
    say($what, outcome(fn () => decide($pending)) . ', then ' . text($pending->poll()));
    unset($pending);
    $strategy->act = fn () => null;
    $lock->stats();
    $client->awaitBlocked(0);
};
$try('throws', fn () => throw new DomainException());
$try('no more', fn () => null);
$try('cancels', function (int $attempt, $pending) { $pending->cancel(); return 0.0; });
$try('polls', function (int $attempt, $pending) { say('inside', $pending->poll()); return null; });
$try('uses the object', function () use ($lock) { ignore($lock->getLock('another')); $lock->releaseAll(); return null; });
$try('retries', fn (int $attempt) => $attempt < 5 ? 0.001 : null);
$try('nonsense', fn () => -1.0);
$strategy->act = function () use ($lock) { $lock->close(); return 0.0; };
$pending = $lock->requestLock('key');
say('closes', outcome(fn () => decide($pending)) . ', then ' . text($pending->poll()));
$client->awaitBlocked(0);
?>
--EXPECT--
the end of the script: [true,true]
exit: [true,true]
an exception: [true,true]
a fatal error: [true,true]
no memory: [true,true]
unset: [true,true]
the RLock first: [true,true]
in a circle: [true,true]
in a static: [true,true]
a destructor: [true,true]
a suspended fiber: [true,true]
an unpolled grant: 0
throws: DomainException, then false
no more: false, then false
cancels: false, then false
inside: null
polls: false, then false
uses the object: false, then false
retries: false, then false
nonsense: ValueError, then false
closes: RLock\RLockException, then false
