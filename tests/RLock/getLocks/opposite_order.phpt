--TEST--
Processes that want the same keys in opposite orders never block each other for good
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$children = [];
foreach ([['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'c', 'a']] as $keys) {
    $children[] = Child::start('
        $lock = new RLock($args["url"]);
        $client = new RawClient("unix://" . $args["socket"]);
        $parent->hear();
        $bad = 0;
        for ($i = 0; $i < 60; $i++) {
            if (!$lock->getLocks($args["keys"], wait: 30.0, ttl: 10.0)) {
                $parent->say("round $i: busy");
            }
            foreach ($args["keys"] as $key) {
                $bad += $client("INCR", "inside:$key") !== 1;
            }
            foreach ($args["keys"] as $key) {
                $client("DECR", "inside:$key");
            }
            $bad += !$lock->releaseAll();
        }
        $parent->say(["bad", $bad]);
        $parent->hear();
    ', ['url' => $server->url(), 'socket' => $server->socket, 'keys' => $keys]);
}
foreach ($children as $child) {
    $child->say('go');
}
foreach ($children as $child) {
    say('child', $child->hear(40.0));
}
?>
--EXPECT--
child: ["bad",0]
child: ["bad",0]
child: ["bad",0]
