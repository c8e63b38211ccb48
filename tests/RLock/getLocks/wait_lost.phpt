--TEST--
Where a key is lost while getLocks() waits for a later one, it starts over; a key that was held before is told
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());
$lock = new RLock($server->url());
ignore($lock->getLock('held', ttl: 60.0));
/* Harms a key when the wait has begun, and frees the other when it is told. */
$start = fn (string $code) => Child::start('
    $client = new RawClient("unix://" . $args["socket"]);
    $parent->say("ready");
    $client->awaitBlocked(1);
    ' . $code, ['socket' => $server->socket, 'url' => $server->url()]);

ignore($other->getLock('z', ttl: 60.0));
$child = $start('
    $theirs = new RLock($args["url"]);
    $client("DEL", "lock@a");
    $parent->say($theirs->getLock("a", ttl: 60.0));
    $client("DEL", "lock@z");
    await("b given back", fn () => !$client("EXISTS", "lock@b"));
    $parent->say("b was given back");
    $theirs->releaseLock("a");
    $parent->hear();
');
$child->hear();
say('all', $lock->getLocks(['a', 'b', 'z'], wait: 20.0, ttl: 3.0));
say('meanwhile', [$child->hear(), $child->hear()]);
say('all ours', array_map($lock->isLocking(...), ['a', 'b', 'z']));
say('depths', array_map(fn ($key) => $lock->lease($key)->depth, ['a', 'b', 'z']));
$lock->releaseLock('a');
$lock->releaseLock('b');
$lock->releaseLock('z');

say('z was lost to its holder', outcome(fn () => $other->releaseLock('z')));
say('other', $other->getLock('z', ttl: 60.0));
$child = $start('$client("SET", "lock@a", "foreign", "PX", 60000); $parent->say("done"); $parent->hear();');
$child->hear();
say_took('no time is left', seconds(function () use ($lock) { say('false', $lock->getLocks(['a', 'b', 'z'], wait: 1.8, ttl: 0.6)); }), 1.7, 4);
$child->hear();
$keys = $client('KEYS', 'lock@*');
sort($keys);
say('left', $keys);

$child = $start('$client("DEL", "lock@held"); $parent->say("done"); $parent->hear();');
$child->hear();
$lock->prolongate('held', 2.4);
try {
    ignore($lock->getLocks(['b', 'held', 'z'], wait: 20.0, ttl: 2.4));
} catch (RLock\LostLockException $e) {
    say('thrown', $e->key);
}
$keys = $client('KEYS', 'lock@*');
sort($keys);
say('left', $keys);
say('held', [$lock->lease('b'), $lock->lease('held'), $lock->lease('z')]);
?>
--EXPECT--
all: true
meanwhile: [true,"b was given back"]
all ours: [true,true,true]
depths: [1,1,1]
z was lost to its holder: RLock\LostLockException, held false
other: true
false: false
no time is left: in time
left: ["lock@a","lock@held","lock@z"]
thrown: held
left: ["lock@a","lock@z"]
held: [null,null,null]
