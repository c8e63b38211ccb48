--TEST--
T5, S7: a failover in mid-wait, of a master that is killed, of one that is frozen, and of one that lives on: every waiter goes on at the new one
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$waiter = <<<'PHP'
    [$url, $key] = $args;
    $lock = new RLock($url, ttl: 20.0);
    $parent->say('ready');
    $parent->hear();
    $start = hrtime(true);
    $result = outcome(fn () => $lock->getLock($key, wait: 30.0));
    $parent->say([$result, (hrtime(true) - $start) / 1e9, outcome(fn () => $lock->lease($key)->fence)]);
    $parent->hear();
    $parent->say(outcome(fn () => $lock->releaseLock($key)));
    PHP;

foreach (['killed', 'frozen', 'alive'] as $how) {
    $holder = new RLock($group->url($how === 'frozen' ? 'timeout=2' : ''), ttl: 30.0);
    ignore($holder->getLock($how));
    $fence = $holder->lease($how)->fence;
    $client = $group->master->client();
    say('the replica has it', await('replication', fn () => $group->replica->client()('EXISTS', "lock@$how")));
    $children = [];
    for ($i = 0; $i < 3; $i++) {
        $child = $children[] = Child::start($waiter, [$group->url(), $how]);
        $child->hear();
        $child->say('wait');
        $client->awaitBlocked($i + 1);
    }
    $former = $group->master;
    match ($how) {
        'killed' => $former->kill(),
        'frozen' => $former->freeze(),
        'alive' => $group->failOver(),
    };
    if ($how !== 'alive') {
        $group->awaitSwitch();
    }
    if ($how === 'frozen') {
        say('a call that cannot know', outcome(fn () => $holder->isLocking($how)));
    }
    say("$how: the holder still has it", outcome(fn () => $holder->isLocking($how)));
    $group->master->client()->awaitBlocked(3);
    say('it gives back', outcome(fn () => $holder->releaseLock($how)));
    $released = microtime(true);
    for ($left = $children; $left !== []; ) {
        foreach ($left as $i => $child) {
            if (!$child->silent(0.02)) {
                [$result, , $got] = $child->hear();
                say('a waiter', "$result, " . ($got > $fence ? 'fence risen' : "fence $got after $fence"));
                $fence = $got;
                $child->say('give back');
                say('gives back', $child->hear());
                unset($left[$i]);
            }
        }
    }
    say_took('all had their turn', microtime(true) - $released, 0.0, 2.0);
    foreach ($children as $child) {
        say('its end', $child->wait());
    }
    if ($how === 'killed') {
        $group->rejoin($former);
    } elseif ($how === 'frozen') {
        $former->thaw();
        $group->awaitReplica();
    }
}
?>
--EXPECT--
the replica has it: 1
killed: the holder still has it: true
it gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
all had their turn: in time
its end: 0
its end: 0
its end: 0
the replica has it: 1
a call that cannot know: RLock\ConnectionException
frozen: the holder still has it: true
it gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
all had their turn: in time
its end: 0
its end: 0
its end: 0
the replica has it: 1
alive: the holder still has it: true
it gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
a waiter: true, fence risen
gives back: true
all had their turn: in time
its end: 0
its end: 0
its end: 0
