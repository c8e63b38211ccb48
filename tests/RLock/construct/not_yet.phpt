--TEST--
What this version declares but cannot do yet says so with an RLockException, before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

foreach (['cluster://localhost'] as $form) {
    say(json_encode($form, JSON_UNESCAPED_SLASHES), outcome(fn () => new RLock($form)));
}
?>
--EXPECT--
"cluster://localhost": RLock\RLockException
