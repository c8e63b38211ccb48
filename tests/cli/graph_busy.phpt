--TEST--
rlock graph: a lock that goes from hand to hand is no deadlock
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
$workers = array_map(fn () => Child::start('
    $locks = new RLock($args[0]);
    $parent->say("begins");
    while (true) {
        ignore($locks->getLock("one", wait: INF));
        usleep(1000);
        ignore($locks->releaseLock("one"));
    }
', [$server->url()]), range(1, 2));
foreach ($workers as $worker) {
    $worker->hear();
}
$seen = [];
for ($i = 0; $i < 60; $i++) {
    $seen[] = rlock('graph', '--quiet', '--servers', $server->url())[0];
}
say('exit statuses', array_values(array_unique($seen)));
foreach ($workers as $worker) {
    $worker->kill();
}
?>
--EXPECT--
exit statuses: [0]
