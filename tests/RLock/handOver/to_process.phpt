--TEST--
handOver() gives the lock to whoever adopts it, once, in any process; metadata stay, the fence rises
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0, metadata: "note: \0 1"));
ignore($lock->getLock('key'));
$fence = $lock->lease('key')->fence;
$ours = $lock->lease('key')->token;
$token = $lock->handOver('key');
say('a token of its own', [is_string($token), $token !== $ours]);
say('nothing is left of it here', [$lock->lease('key'), $lock->releaseLock('key'), $lock->isLocking('key'), $lock->prolongate('key')]);
say('check', outcome(fn () => $lock->check('key')));
say('nobody can take it', [$lock->getLock('key'), $other->getLock('key')]);
$holder = $lock->holder('key');
say('holder', [$holder->owner, $holder->fence > $fence, $holder->metadata, $holder->kind->name]);
say_within('the lease stays', $holder->ttl, 50, 60);

$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say([$lock->adopt("key", $args["token"]), $lock->adopt("key", $args["token"])]);
    $lease = $lock->lease("key");
    $parent->say([$lease->fence, $lease->depth, $lease->metadata, $lease->token !== $args["token"], $lease->ttl > 50.0]);
    $parent->say($lock->holder("key")->owner === gethostname() . ":" . getmypid());
    $parent->hear();
    $parent->say([$lock->isLocking("key"), $lock->releaseLock("key")]);
', ['url' => $server->url(), 'token' => $token]);
say('adopted, once', $child->hear());
[$adopted, $depth, $metadata, $new, $long] = $child->hear();
say('its lease', [$adopted > $holder->fence, $depth, $metadata, $new, $long]);
say('its holder', $child->hear());
say('not twice', [$lock->adopt('key', $token), $other->adopt('key', $token), $lock->adopt('key', $ours)]);
$child->say('go on');
say('it was its own to the end', $child->hear());
say('free', $lock->holder('key'));
ignore($lock->getLock('key'));
say('the next fence is higher', $lock->lease('key')->fence > $adopted);

echo "with a new lease:\n";
ignore($lock->getLock('long', ttl: 5.0));
$token = $lock->handOver('long', 90.0);
say_within('left', $client('PTTL', 'lock@long') / 1000, 80, 90);
say('adopt', $other->adopt('long', $token, 30.0));
say_within('left', $client('PTTL', 'lock@long') / 1000, 20, 30);
say_within('by its clock', $other->lease('long')->ttl, 20, 30);
say('release', $other->releaseLock('long'));

echo "nobody adopts it:\n";
ignore($lock->getLock('short', ttl: 60.0));
$token = $lock->handOver('short', 0.2);
say('it expires', $other->getLock('short', wait: 5.0));
say('too late', $lock->adopt('short', $token));
say('unharmed', $other->releaseLock('short'));
say('nothing to give back', [$lock->releaseAll(), $other->releaseAll()]);
?>
--EXPECT--
a token of its own: [true,true]
nothing is left of it here: [null,false,false,false]
check: RLock\RLockException
nobody can take it: [false,false]
holder: ["",true,"note: \u0000 1","HandOver"]
the lease stays: in time
adopted, once: [true,false]
its lease: [true,1,"note: \u0000 1",true,true]
its holder: true
not twice: [false,false,false]
it was its own to the end: [true,true]
free: null
the next fence is higher: true
with a new lease:
left: in time
adopt: true
left: in time
by its clock: in time
release: true
nobody adopts it:
it expires: true
too late: false
unharmed: true
nothing to give back: [true,true]
