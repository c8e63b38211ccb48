--TEST--
T3: a node that hangs costs its own locks alone; what was asked of it is undone at the next contact with it
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Nobody takes it for dead meanwhile: its slots stay where they are. */
$cluster = new TestCluster();
[$hangs, $here, $there] = array_map($cluster->keyOn(...), [1, 0, 2]);
$url = $cluster->url('persistent=0&timeout=4');
$lock = new RLock($url, ttl: 60.0);
$other = new RLock($url, ttl: 60.0);
foreach ([$hangs, $here, $there] as $key) { /* all are connected */
    $lock->getLock($key) && $lock->releaseLock($key) || throw new RuntimeException('not taken');
}

$cluster->masters[1]->freeze();
say('there', outcome(fn () => $lock->getLock($hangs)));
$took = seconds(function () use ($lock, $here, $there) {
    foreach ([$here, $there] as $key) {
        say('elsewhere', [
            outcome(fn () => $lock->getLock($key)), outcome(fn () => $lock->isLocking($key)),
            outcome(fn () => $lock->prolongate($key)), outcome(fn () => $lock->releaseLock($key)),
        ]);
    }
});
say_took('at once', $took, 0.0, 0.5);
say('all or none', outcome(fn () => $lock->getLocks([$here, $there, $hangs])));
/* There was no time left to wait for the answers. */
say('none', [outcome(fn () => $other->getLock($here, wait: 5.0)), outcome(fn () => $other->getLock($there, wait: 5.0))]);
$other->close();
say('once more', [outcome(fn () => $lock->getLock($here)), outcome(fn () => $lock->getLock($there))]);
say('all given back', outcome(fn () => $lock->releaseAll()));
say('really', [outcome(fn () => $lock->holder($here)), outcome(fn () => $lock->holder($there))]);

$cluster->masters[1]->thaw();
say('free again', outcome(fn () => $lock->getLock($hangs)));
say('given back', outcome(fn () => $lock->releaseLock($hangs)));
?>
--EXPECT--
there: RLock\ConnectionException
elsewhere: ["true","true","true","true"]
elsewhere: ["true","true","true","true"]
at once: in time
all or none: RLock\ConnectionException
none: ["true","true"]
once more: ["true","true"]
all given back: true
really: ["null","null"]
free again: true
given back: true
