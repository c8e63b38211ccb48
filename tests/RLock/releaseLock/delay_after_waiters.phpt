--TEST--
delayAfter wakes nobody early: those who wait have the lock when the delay is over
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say([$lock->getLock("key", wait: 20.0), $lock->isLocking("key")]);
', ['url' => $server->url()]);
$client->awaitBlocked(1);
say_took('it took', seconds(function () use ($lock, $child) {
    say('release', $lock->releaseLock('key', delayAfter: 1.0));
    say('waiter', $child->hear());
}), 0.9, 2.5);
$child->wait();

/* A delay that is shorter than the pause between two looks of a waiter; three wait, the first of them not for long enough:
   it gives up before the delay is over. Where a busy machine was too slow for that, or for the others, it is done anew. */
$children = [];
foreach ([0.65, 20.0, 20.0] as $i => $wait) {
    $children[$i] = Child::start('
        $lock = new RLock($args["url"]);
        while (true) {
            $parent->say("ready");
            $parent->hear();
            $result = $lock->getLock("key", wait: $args["wait"]);
            $had = hrtime(true) / 1e9;
            usleep(2000);
            $parent->say([$result, $had, $lock->releaseLock("key")]);
        }
    ', ['url' => $server->url(), 'wait' => $wait]);
}
for ($left = 5; $left > 0; $left--) {
    array_map(fn ($child) => $child->hear(), $children);
    $client('FLUSHALL');
    ignore($lock->getLock('key', ttl: 60.0));
    foreach ($children as $i => $child) {
        $child->say('go');
        /* But for the first, if its wait is over by now. */
        await('one more waits', fn () => $client->info('blocked_clients') === $i + ($children[0]->silent(0.0) ? 1 : 0));
    }
    $released = hrtime(true) / 1e9;
    $release = $lock->releaseLock('key', delayAfter: 0.7);
    $said = array_map(fn ($child) => $child->hear(), $children);
    $first = min($said[1][1], $said[2][1]) - $released;
    if ($said[0][1] < $released + 0.7 && $first < 1.6) {
        break;
    }
}
say('release', $release);
say('results', array_column($said, 0));
say('given back', array_column($said, 2));
say_within('one of the others had it after', $first, 0.7, 1.6);
?>
--EXPECT--
release: true
waiter: [true,true]
it took: in time
release: true
results: [false,true,true]
given back: [false,true,true]
one of the others had it after: in time
