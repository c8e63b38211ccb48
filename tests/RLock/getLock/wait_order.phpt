--TEST--
Waiters get the lock in the order in which they began to wait
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key'));
$children = [];
for ($i = 1; $i <= 8; $i++) {
    $children[] = Child::start('
        $lock = new RLock($args["url"]);
        $result = $lock->getLock("key", wait: $args["wait"]);
        $fence = $lock->lease("key")?->fence;
        $redis = (new RawClient("unix://" . $args["socket"]));
        $redis("RPUSH", "order", $args["number"]);
        $alone = $redis("INCR", "inside");
        usleep(2000);
        $redis("DECR", "inside");
        $parent->say([$result, $fence, $alone, $lock->releaseLock("key")]);
    ', ['url' => $server->url(), 'socket' => $server->socket, 'number' => $i, 'wait' => $i % 2 ? INF : 30.0]);
    $client->awaitBlocked($i);
}
$fence = $lock->lease('key')->fence;
$lock->releaseLock('key');
foreach ($children as $child) {
    [$result, $next, $alone, $released] = $child->hear();
    if ([$result, $alone, $released] !== [true, 1, true] || $next <= $fence) {
        say('wrong', [$result, $next, $fence, $alone, $released]);
    }
    $fence = $next;
}
say('order', implode(' ', $client('LRANGE', 'order', 0, -1)));
?>
--EXPECT--
order: 1 2 3 4 5 6 7 8
