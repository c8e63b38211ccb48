--TEST--
When a key is busy that getLocks() comes to after its wait, it gives back the others and waits for that one; a key that was held before and is lost meanwhile is told
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());
$lock = new RLock($server->url());
/* Does something when the wait has begun. */
$start = fn (string $code) => Child::start('
    $client = new RawClient("unix://" . $args["socket"]);
    $parent->say("ready");
    $client->awaitBlocked(1);
    $theirs = new RLock($args["url"]);
    ' . $code, ['socket' => $server->socket, 'url' => $server->url()]);

$taken = fn () => array_values(array_filter(['a', 'b', 'held', 'z'], fn ($key) => $other->holder($key) !== null));

ignore($other->getLock('a', ttl: 60.0));
$child = $start('
    $parent->say($theirs->getLock("z", ttl: 60.0));
    $theirs->breakLock("a");
    await("waits for z", fn () => $client("EXISTS", "rlock:w:{lock@z}:lock@z"));
    $client->awaitBlocked(1);
    await("a and b given back", fn () => !$client("EXISTS", "lock@b"));
    $parent->say([$theirs->getLock("a"), $theirs->releaseLock("a")]);
    $theirs->releaseLock("z");
    $parent->hear();
');
$child->hear();
say('all', $lock->getLocks(['a', 'b', 'z'], wait: 20.0, ttl: 3.0));
say('meanwhile', [$child->hear(), $child->hear()]);
say('all ours', array_map($lock->isLocking(...), ['a', 'b', 'z']));
say('depths', array_map(fn ($key) => $lock->lease($key)->depth, ['a', 'b', 'z']));
$lock->releaseAll();

ignore([$other->releaseAll(), $other->getLock('z', ttl: 60.0)]);
say_took('no time is left', seconds(function () use ($lock) { say('false', $lock->getLocks(['a', 'b', 'z'], wait: 0.8, ttl: 0.6)); }), 0.7, 4);
say('taken', $taken());

ignore($lock->getLock('held', ttl: 60.0));
ignore($other->getLock('b', ttl: 60.0));
$child = $start('$client("DEL", "lock@held"); $theirs->breakLock("b"); $parent->say("done"); $parent->hear();');
$child->hear();
try {
    ignore($lock->getLocks(['b', 'held', 'z'], wait: 20.0, ttl: 2.4));
} catch (RLock\LostLockException $e) {
    say('thrown', $e->key);
}
say('taken', $taken());
say('held', [$lock->lease('b'), $lock->lease('held'), $lock->lease('z')]);
say('b was lost to the other', $other->releaseAll());
?>
--EXPECT--
all: true
meanwhile: [true,[true,true]]
all ours: [true,true,true]
depths: [1,1,1]
false: false
no time is left: in time
taken: ["z"]
thrown: held
taken: ["z"]
held: [null,null,null]
b was lost to the other: false
