--TEST--
One queue for both kinds: nobody passes a waiter that wants the lock exclusively; neighbours that want shares get them together
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$late = new RLock($server->url());

/* Waits for its kind of lock, tells when it has it, and gives it back when told. */
function waiter(TestServer $server, string $method): Child
{
    static $waiting = 0;
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$lock->{$args["method"]}("key", wait: 60.0), $lock->lease("key")?->shared, $lock->lease("key")?->fence]);
        $parent->hear();
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $server->url(), 'method' => $method]);
    $server->client()->awaitBlocked(++$waiting);
    return $child;
}
function leaves(Child $child): bool
{
    $child->say('go');
    return $child->hear();
}

say('a share', $lock->getSharedLock('key', ttl: 300.0));
$children = array_map(fn ($method) => waiter($server, $method),
    ['getLock', 'getSharedLock', 'getSharedLock', 'getSharedLock', 'getLock', 'getSharedLock']);
[$first, $readers, $second, $last] = [$children[0], array_slice($children, 1, 3), $children[4], $children[5]];
say('whoever asks now is behind them', [$late->getSharedLock('key'), $late->getSharedLock('key', wait: 0.1), $late->getLock('key')]);
say('contended', $late->holder('key')->contended);
$fence = $lock->lease('key')->fence;
$rises = function (Child $child) use (&$fence): array {
    [$result, $shared, $next] = $child->hear();
    [$rises, $fence] = [$next > $fence, $next];
    return [$result, $shared, $rises];
};

say('given back', $lock->releaseLock('key'));
say('the exclusive one is next', $rises($first));
say('nobody beside it', array_map(fn ($child) => $child->silent(0.0), [...$readers, $second, $last]));
say('given back', leaves($first));
say('its three neighbours together', array_map($rises, $readers));
say('the next exclusive one waits', $second->silent(0.3));
say('nobody passes it', [$late->getSharedLock('key'), $last->silent(0.0)]);
say('two leave', [leaves($readers[0]), leaves($readers[2]), $second->silent(0.3)]);
say('the last of them leaves', leaves($readers[1]));
say('the exclusive one', $rises($second));
say('given back', leaves($second));
say('the last', $rises($last));
say('beside it', [$late->getSharedLock('key'), $late->releaseLock('key')]);
say('given back', leaves($last));
say('free', [$late->getLock('key'), $late->releaseLock('key')]);

/* Many readers that come and go do not starve a writer. */
$readers = array_map(fn () => Child::start('
    $lock = new RLock($args["url"]);
    $parent->say("ready");
    for ($turns = 0, $end = hrtime(true) + 60e9; hrtime(true) < $end; $turns++) {
        if ($lock->getSharedLock("crowd", wait: 30.0)) {
            usleep(5000);
            $lock->releaseLock("crowd");
        }
        if ($turns === 20) {
            $parent->say("going");
        }
    }
', ['url' => $server->url()]), range(1, 4));
foreach ($readers as $reader) {
    [$reader->hear(), $reader->hear()];
}
$got = 0;
for ($i = 0; $i < 20; $i++) {
    $got += (int) $lock->getLock('crowd', wait: 10.0);
    $lock->releaseLock('crowd');
}
say('a writer among many readers', $got);
foreach ($readers as $reader) {
    $reader->kill();
}
?>
--EXPECT--
a share: true
whoever asks now is behind them: [false,false,false]
contended: true
given back: true
the exclusive one is next: [true,false,true]
nobody beside it: [true,true,true,true,true]
given back: true
its three neighbours together: [[true,true,true],[true,true,true],[true,true,true]]
the next exclusive one waits: true
nobody passes it: [false,true]
two leave: [true,true,true]
the last of them leaves: true
the exclusive one: [true,false,true]
given back: true
the last: [true,true,true]
beside it: [true,true]
given back: true
free: [true,true]
a writer among many readers: 20
