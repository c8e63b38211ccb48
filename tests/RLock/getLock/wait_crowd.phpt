--TEST--
Many processes take turns: never two inside, every one has its turns, fences rise
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$children = [];
for ($i = 0; $i < 6; $i++) {
    $children[] = Child::start('
        $redis = new RawClient("unix://" . $args["socket"]);
        $lock = new RLock($args["url"]);
        $parent->hear();
        for ($i = 0; $i < 25; $i++) {
            if (!$lock->getLock("key", wait: 30.0)) {
                $parent->say("no turn");
                exit;
            }
            $alone = $redis("INCR", "inside");
            $redis("RPUSH", "fences", $lock->lease("key")->fence);
            if ($alone !== 1) {
                $redis("INCR", "crowded");
            }
            $redis("DECR", "inside");
            if (!$lock->releaseLock("key")) {
                $redis("INCR", "lost");
            }
        }
        $parent->say("done");
    ', ['url' => $server->url(), 'socket' => $server->socket]);
}
foreach ($children as $child) {
    $child->say('go');
}
foreach ($children as $child) {
    say('child', $child->hear(45.0));
}
$fences = $client('LRANGE', 'fences', 0, -1);
$sorted = $fences;
sort($sorted);
say('grants', count(array_unique($fences)));
say('fences rose', $fences === $sorted);
say('two inside', $client('GET', 'crowded'));
say('lost', $client('GET', 'lost'));
?>
--EXPECT--
child: done
child: done
child: done
child: done
child: done
child: done
grants: 150
fences rose: true
two inside: null
lost: null
