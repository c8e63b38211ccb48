--TEST--
While getLocks() waits for a busy key it holds none of the others, and what was held before stays as it was
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());
$lock = new RLock($server->url());
ignore($other->getLock('c', ttl: 60.0));
ignore($lock->getLock('b', ttl: 60.0));
/* Sees what is taken once the wait has begun, has the first of the keys meanwhile, and frees the busy one. */
$child = Child::start('
    $client = new RawClient("unix://" . $args["socket"]);
    $client->awaitBlocked(1);
    $keys = $client("KEYS", "lock@*");
    sort($keys);
    $theirs = new RLock($args["url"]);
    $parent->say([$keys, $client("PTTL", "lock@b") > 40000, $theirs->getLock("a"), $theirs->releaseLock("a")]);
    $theirs->breakLock("c");
    $parent->hear();
', ['socket' => $server->socket, 'url' => $server->url()]);
say('all', $lock->getLocks(['c', 'b', 'a'], wait: 20.0, ttl: 2.4));
say('meanwhile b was held, with all its time, and a to be had', $child->hear());
say('all ours', [$lock->isLocking('a'), $lock->isLocking('b'), $lock->isLocking('c')]);
say('depths', [$lock->lease('a')->depth, $lock->lease('b')->depth, $lock->lease('c')->depth]);
say_within('b', $lock->ttl('b'), 40, 60);
say('c was lost to the other', $other->releaseAll());
?>
--EXPECT--
all: true
meanwhile b was held, with all its time, and a to be had: [["lock@b","lock@c"],true,true,true]
all ours: [true,true,true]
depths: [1,2,1]
b: in time
c was lost to the other: false
