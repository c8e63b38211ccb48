--TEST--
getLocks() makes a share exclusive; when it fails, that is a share again
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url());
$other = new RLock($server->url());
$a = fn () => [$lock->lease('a')->shared ? 'shared' : 'exclusive', $lock->lease('a')->depth];
$beside = fn () => $other->getSharedLock('a') && $other->releaseLock('a');
ignore($lock->getSharedLock('a', ttl: 60.0));

say('all', [$lock->getLocks(['a', 'm']), $a(), $beside()]);
say('one level less', [$lock->releaseLock('m'), $lock->releaseLock('a'), $a()]);
say('downgraded', [$lock->downgrade('a'), $a()]);

echo "one is busy:\n";
ignore($other->getLock('m', ttl: 60.0));
say('none', [$lock->getLocks(['a', 'm']), $a(), $beside()]);
say('none after a wait', [$lock->getLocks(['a', 'm'], wait: 0.2), $a(), $beside()]);

echo "somebody waits for a share meanwhile:\n";
ignore($lock->getSharedLock('a', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say("ready");
    (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
    $parent->say([$lock->getSharedLock("a", wait: 30.0), $lock->lease("a")->shared, $lock->lease("a")->waited > 0.0]);
    $parent->hear();
    $parent->say($lock->releaseLock("a"));
', ['url' => $server->url(), 'socket' => $server->socket]);
$child->hear();
say('none', [$lock->getLocks(['a', 'm'], wait: 3.0), $a()]);
say('it has one', $child->hear());
$child->say('enough');
say('released', $child->hear());

echo "exclusive before:\n";
say('alone', [$lock->getLock('a'), $a()]);
say('none', [$lock->getLocks(['a', 'm']), $a(), $beside()]);
?>
--EXPECT--
all: [true,["exclusive",2],false]
one level less: [true,true,["exclusive",1]]
downgraded: [true,["shared",1]]
one is busy:
none: [false,["shared",1],true]
none after a wait: [false,["shared",1],true]
somebody waits for a share meanwhile:
none: [false,["shared",2]]
it has one: [true,true,true]
released: true
exclusive before:
alone: [true,["exclusive",3]]
none: [false,["exclusive",3],false]
