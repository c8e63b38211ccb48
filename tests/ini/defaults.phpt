--TEST--
The ini settings: names, defaults, changeable everywhere
--FILE--
<?php
require __DIR__ . '/../server.inc';

foreach (ini_get_all('rlock') as $name => $setting) {
    say($name, [$setting['global_value'], $setting['access'] === INI_ALL]);
}
?>
--EXPECT--
rlock.connect_timeout: ["1",true]
rlock.persistent: ["1",true]
rlock.prefix: ["lock@",true]
rlock.servers: ["redis://127.0.0.1:6379",true]
rlock.session.busy: ["fail",true]
rlock.session.max_hold: ["0",true]
rlock.session.max_waiters: ["0",true]
rlock.session.prefix: ["",true]
rlock.session.ttl: ["5",true]
rlock.session.wait: ["20",true]
rlock.slow_wait: ["0",true]
rlock.timeout: ["1",true]
rlock.ttl: ["30",true]
