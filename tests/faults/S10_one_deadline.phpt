--TEST--
S10: check() on a server that is frozen, and on a majority of them: Lost at the deadline, and nobody is asked who has it
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$query = 'timeout=3&persistent=0';
$locks = ['one server' => new RLock($nodes->servers[0]->url($query)), 'a majority' => $nodes->lock($query)];
foreach ($locks as $lock) {
    take_briefly($lock->getLock(...), 'key' . spl_object_id($lock), ttl: 0.5);
}
foreach ($locks as $lock) {
    await('its deadline', fn () => $lock->lease('key' . spl_object_id($lock))->ttl === 0.0);
}
$nodes->servers[0]->freeze();
$nodes->servers[1]->freeze();
foreach ($locks as $name => $lock) {
    $took = seconds(function () use ($name, $lock) {
        try {
            $lock->check('key' . spl_object_id($lock));
        } catch (RLock\LostLockException $lost) {
            say($name, [$lost::class, $lost->holder]);
        }
    });
    say_took('it took', $took, 2.99, 3.4);
}
$nodes->servers[0]->thaw();
$nodes->servers[1]->thaw();
?>
--EXPECT--
one server: ["RLock\\LostLockException",null]
it took: in time
a majority: ["RLock\\LostLockException",null]
it took: in time
