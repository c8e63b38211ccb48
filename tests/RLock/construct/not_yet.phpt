--TEST--
What this version declares but cannot do yet says so with an RLockException, before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

foreach (['cluster://localhost', ['redis://a', 'redis://b', 'redis://c']] as $form) {
    say(json_encode($form, JSON_UNESCAPED_SLASHES), outcome(fn () => new RLock($form)));
}
say('replicas', outcome(fn () => new RLock(nowhere(), replicas: 1)));
?>
--EXPECT--
"cluster://localhost": RLock\RLockException
["redis://a","redis://b","redis://c"]: RLock\RLockException
replicas: RLock\RLockException
