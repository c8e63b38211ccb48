--TEST--
C3: twelve waiters are stopped: they cost the others one window together, not one each
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));

$stopped = [];
for ($i = 1; $i <= 12; $i++) {
    $stopped[] = $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("key", wait: 60.0));
        $lock->close();
    ', ['url' => $server->url()]);
    $client->awaitBlocked($i);
    $child->freeze();
}

/* Three live ones take turns. */
$workers = [];
for ($i = 0; $i < 3; $i++) {
    $workers[] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say("ready");
        $parent->hear();
        for ($turn = 0; $turn < 20; $turn++) {
            if (!$lock->getLock("key", wait: 60.0) || !$lock->releaseLock("key")) {
                $parent->say("not had");
            }
        }
        $parent->say("done");
    ', ['url' => $server->url()]);
}
array_map(fn ($worker) => $worker->hear(), $workers);
array_map(fn ($worker) => $worker->say('go'), $workers);
say_took('sixty turns took', seconds(function () use ($lock, $workers) {
    say('release', $lock->releaseLock('key'));
    say('the live ones', array_map(fn ($worker) => $worker->hear(), $workers));
}), 0.0, 6.0);

array_map(fn ($child) => $child->thaw(), $stopped);
say('then the others', array_unique(array_map(fn ($child) => $child->hear(), $stopped)));
?>
--EXPECT--
release: true
the live ones: ["done","done","done"]
sixty turns took: in time
then the others: [true]
