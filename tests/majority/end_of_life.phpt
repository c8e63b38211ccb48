--TEST--
A majority: what is held is given back at the end, also after exit, and with a node that is frozen; a killed holder's lease ends
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$child = Child::start('
    $lock = new RLock($args);
    ignore($lock->getLocks(["a", "b", "c"], ttl: 60.0));
    ignore($lock->getLock("d", ttl: 60.0));
    $lock->releaseLock("d", confirm: false);
    $parent->say("taken");
    $parent->hear();
    exit(0);
', $nodes->urls());
$child->hear();
$child->say('go');
say('exit', $child->wait());
foreach (['a', 'b', 'c', 'd'] as $name) {
    $nodes->awaitHolding(0, $name);
}

$lock = $nodes->lock('timeout=5');
ignore($lock->getLock('key', ttl: 60.0));
$nodes->awaitHolding(3, 'key');
$nodes->servers[2]->freeze();
say_took('end with a frozen node', seconds(function () use (&$lock) { $lock = null; }), 0.0, 1.0);
$nodes->awaitHolding(0, 'key', 2);
$nodes->servers[2]->thaw();
$nodes->awaitHolding(0, 'key');

$child = Child::start('
    $lock = new RLock($args);
    take_briefly($lock->getLock(...), "key", ttl: 0.5);
    $parent->say("taken");
    $parent->hear();
', $nodes->urls());
$child->hear();
$child->kill();
$lock = $nodes->lock();
say_took('after a killed holder', seconds(fn () => say('it', $lock->getLock('key', wait: 10.0))), 0.0, 1.5);
$lock = null;

$lock = $nodes->lock();
ignore($lock->getLock('key', ttl: 60.0));
$nodes->awaitHolding(3, 'key');
$child = Child::start('
    $lock = new RLock($args);
    ignore($lock->getLock("childs"));
    fclose(STDIN);
', $nodes->urls());
say('another process', $child->wait());
say('ours', [$lock->isLocking('key'), $lock->releaseLock('key')]);
?>
--EXPECT--
exit: 0
end with a frozen node: in time
it: true
after a killed holder: in time
another process: 0
ours: [true,true]
