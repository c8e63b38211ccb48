--TEST--
DetachedLock: autoRenew ends with the object, close(), the request, maxHold, in a child, and where the name is said elsewhere; it never releases
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$elsewhere = new RLock(shared_url());
$left = fn (string $key) => $client('PTTL', lock_key($key)) / 1000;
$take = function (string $key, RLock $lock, ?float $maxHold = null): RLock\DetachedLock {
    $detached = $lock->detached($key, 'name');
    take_briefly($detached->getLock(...), ttl: 3.0, autoRenew: true, maxHold: $maxHold);
    return $detached;
};

/* Each has been renewed, and then ends, of its own. */
$kept = [];
$renewed = function (string $how, RLock $lock, ?float $maxHold = null) use (&$kept, $take): RLock\DetachedLock {
    $kept[$how] = $lock;
    return $take(key_of($how), $lock, $maxHold);
};
function key_of(string $how): string
{
    static $keys = [];
    return $keys[$how] ??= unique_key();
}

$object = $renewed('object', new RLock(shared_url()));
$closed = $renewed('close', new RLock(shared_url()));
$held = $renewed('maxHold', new RLock(shared_url()), 1.5);
$again = $renewed('getLock without it', new RLock(shared_url()));
$prolonged = $renewed('prolonged elsewhere', new RLock(shared_url(), interrupt: true));
$taken = $renewed('taken elsewhere', new RLock(shared_url(), interrupt: true));
$released = $renewed('released elsewhere', new RLock(shared_url(), interrupt: true));
foreach ($kept as $how => $lock) {
    await("a renewal of $how", fn () => $lock->stats()['renewals'] > 0);
}
unset($object, $lock);
say('releaseAll', [$kept['close']->releaseAll(), $elsewhere->isLocking(key_of('close')), $closed->isLocking()]);
$kept['close']->close();
say('getLock without it', $again->getLock(ttl: 2.9));
say('prolonged elsewhere', $elsewhere->detached(key_of('prolonged elsewhere'), 'name')->prolongate(2.9));
say('taken elsewhere', $elsewhere->detached(key_of('taken elsewhere'), 'name')->getLock(ttl: 2.9));
say('released elsewhere', $elsewhere->detached(key_of('released elsewhere'), 'name')->releaseLock());

/* However a request ends. */
$children = [];
foreach (['return;', 'exit(0);', 'throw new Exception("uncaught");', 'str_repeat("x", 1 << 40);'] as $end) {
    $children[$end] = Child::start('
        $lock = new RLock($args["url"]);
        $detached = $lock->detached($args["key"], "name");
        take_briefly($detached->getLock(...), ttl: 3.0, autoRenew: true);
        await("a renewal", fn () => $lock->stats()["renewals"] > 0);
        $parent->say(true);
        ' . $end, ['url' => shared_url(), 'key' => key_of($end)]);
}
foreach ($children as $child) {
    $child->hear();
    $child->wait();
}

/* Nothing renews them, and nothing has released them: what is left goes by. An interrupt would come in the loop. */
$hows = array_diff([...array_keys($kept), ...array_keys($children)], ['released elsewhere']);
$before = array_map(fn ($how) => $left(key_of($how)), $hows);
for ($end = microtime(true) + 1.3; microtime(true) < $end;) {
}
foreach ($hows as $i => $how) {
    say($how, [$before[$i] > 0.0, $left(key_of($how)) <= max(0.0, $before[$i] - 1.2)]);
}
say('threads', await_threads(1));
say('released elsewhere', [$released->isLocking(), $released->prolongate(), $client('EXISTS', lock_key(key_of('released elsewhere')))]);
say('counted', array_intersect_key($kept['released elsewhere']->stats(), ['timeouts' => 0, 'lost' => 0]));
say('closed', outcome(fn () => $closed->prolongate()));

/* A child may say the name, but renews nothing that its parent took. */
$key = unique_key();
$detached = $take($key, $lock = new RLock(shared_url()));
$pid = pcntl_fork();
if ($pid === 0) {
    $ok = threads() === 1 && outcome(fn () => $lock->check($key)) === 'RLock\RLockException' && $detached->isLocking();
    unset($detached);
    exit($ok && threads() === 1 ? 0 : 1);
}
pcntl_waitpid($pid, $status);
say('child', pcntl_wexitstatus($status));
sleep(4);
say('the parent goes on', [outcome(fn () => $lock->check($key)), $detached->releaseLock()]);

/* Its own prolongation stays. */
$detached = $take($key, $lock);
say('prolonged here', $detached->prolongate(1.5));
usleep(2_500_000);
say('renewed by that', [$detached->isLocking(), $left($key) <= 1.5, outcome(fn () => $lock->check($key)), $detached->releaseLock()]);
say('threads', await_threads(1));
?>
--EXPECT--
releaseAll: [true,false,true]
getLock without it: true
prolonged elsewhere: true
taken elsewhere: true
released elsewhere: true
object: [true,true]
close: [true,true]
maxHold: [true,true]
getLock without it: [true,true]
prolonged elsewhere: [true,true]
taken elsewhere: [true,true]
return;: [true,true]
exit(0);: [true,true]
throw new Exception("uncaught");: [true,true]
str_repeat("x", 1 << 40);: [true,true]
threads: 1
released elsewhere: [false,false,0]
counted: {"timeouts":0,"lost":0}
closed: RLock\RLockException
child: 0
the parent goes on: ["null",true]
prolonged here: true
renewed by that: [true,true,"null",true]
threads: 1
