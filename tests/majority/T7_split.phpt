--TEST--
T7: waiters that split the nodes of a majority: one of them has it soon, and each has its turn
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$urls = $nodes->urls();
$children = [];
for ($i = 0; $i < 5; $i++) {
    $children[] = Child::start('
        [$urls, $first] = $args;
        $lock = new RLock([...array_slice($urls, $first), ...array_slice($urls, 0, $first)]);
        $lock->getLock("warm", wait: 5.0) && $lock->releaseLock("warm");
        $parent->say("ready");
        $parent->hear();
        for ($i = 0; $i < 20; $i++) {
            if (!$lock->getLock("key", wait: 30.0)) {
                $parent->say("no turn");
            }
            $lock->releaseLock("key");
        }
        $parent->say($lock->stats()["lost"]);
    ', [$urls, $i % 3]);
}
foreach ($children as $child) {
    $child->hear();
}
$took = seconds(function () use ($children) {
    foreach ($children as $child) {
        $child->say('go');
    }
    foreach ($children as $child) {
        say('lost', $child->hear());
    }
});
say_took('100 turns', $took, 0.0, 10.0);
$nodes->awaitHolding(0, 'key');
?>
--EXPECT--
lost: 0
lost: 0
lost: 0
lost: 0
lost: 0
100 turns: in time
