--TEST--
waitUntilFree(): many that wait so and then try all get their turns; on a majority, too
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$began = hrtime(true);
$children = [];
for ($i = 0; $i < 8; $i++) {
    $children[] = $child = Child::start('
        $lock = new RLock($args[0]);
        $parent->say("ready");
        $parent->hear();
        for ($sections = $tries = 0; $sections < 5 && $tries < 2000; $tries++) {
            if ($lock->waitUntilFree("page", 10.0) && $lock->getLock("page", ttl: 60.0)) {
                usleep(2000);
                $sections += $lock->releaseLock("page");
            }
        }
        $parent->say($sections);
    ', [$server->url()]);
    $child->hear();
}
foreach ($children as $child) {
    $child->say('go');
}
$sections = 0;
foreach ($children as $child) {
    $sections += $child->hear();
    $child->wait();
}
say('sections', $sections);

$servers = [TestServer::start(), TestServer::start(), TestServer::start()];
$urls = array_map(fn (TestServer $server) => $server->url(), $servers);
$holder = new RLock($urls);
ignore($holder->getLock('key', ttl: 1.0));
$lock = new RLock($urls);
say('a majority', [$lock->waitUntilFree('key', 0.0), $lock->waitUntilFree('key', 10.0), $lock->getLock('key')]);
say('its holder', outcome(fn () => $holder->releaseLock('key')));
?>
--EXPECT--
sections: 40
a majority: [false,true,true]
its holder: RLock\LostLockException, held false
