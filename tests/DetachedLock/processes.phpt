--TEST--
DetachedLock: taken in one process, used and released in others, also when the one that took it was killed
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$detached = $lock->detached($key, 'job 17');
$start = fn () => Child::start('
    $lock = new RLock(shared_url());
    $detached = $lock->detached($args[0], "job 17");
    while ($call = $parent->hear()) {
        $parent->say($detached->{$call[0]}(...$call[1]));
    }
', [$key]);
$child = $start();
$tell = function (string $method, mixed ...$arguments) use (&$child): mixed {
    $child->say([$method, $arguments]);
    return $child->hear();
};

say('taken in another process', $tell('getLock', 0.0, 30.0));
$owner = $lock->holder($key)->owner;
say('held here', [$detached->isLocking(), $lock->getLock($key)]);
for ($turn = 0; $turn < 3; $turn++) {
    say('in turns', [$detached->prolongate(40.0), $tell('prolongate', 50.0), $tell('prolongate', 60.0), $detached->getLock(ttl: 70.0)]);
}
say_within('ttl', $tell('ttl'), 60.0, 70.0);
say('still named after the one that took it', $lock->holder($key)->owner === $owner);
say('released here', $detached->releaseLock());
say('not held there', [$tell('isLocking'), $tell('prolongate', 30.0), $tell('releaseLock')]);

say('taken there again', $tell('getLock', 0.0, 30.0));
$child->kill();
say('held without it', $detached->isLocking());
$child = $start();
say('released by a third', [$tell('prolongate', 30.0), $tell('releaseLock'), $detached->releaseLock()]);

/* A process that ends in peace leaves it, too. */
$child = Child::start('
    $lock = new RLock(shared_url());
    $parent->say([$lock->detached($args[0], "job 17")->getLock(ttl: 30.0), $lock->getLock($args[1])]);
', [$key, "$key, attached"]);
say('taken', $child->hear());
say('ended with', $child->wait());
say('what it printed', $child->output());
say('held, and the attached one is not', [$detached->isLocking(), $lock->holder("$key, attached")]);
say('released', [$detached->releaseLock(), $client('EXISTS', lock_key($key))]);
?>
--EXPECT--
taken in another process: true
held here: [true,false]
in turns: [true,true,true,true]
in turns: [true,true,true,true]
in turns: [true,true,true,true]
ttl: in time
still named after the one that took it: true
released here: true
not held there: [false,false,false]
taken there again: true
held without it: true
released by a third: [true,true,false]
taken: [true,true]
ended with: 0
what it printed: 
held, and the attached one is not: [true,null]
released: [true,0]
