--TEST--
A bad value in php.ini does not keep PHP from starting
--INI--
rlock.ttl=-5
rlock.servers=nonsense
--FILE--
<?php
require __DIR__ . '/../server.inc';

say('it runs', true);
say('told otherwise', outcome(fn () => new RLock(nowhere(), ttl: 5.0)));
say('by the ini', outcome(fn () => new RLock()));
?>
--EXPECTREGEX--
((PHP )?Warning: .*\n)*it runs: true
told otherwise: RLock
by the ini: ValueError
