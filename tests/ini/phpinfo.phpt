--TEST--
phpinfo() shows the module and its settings, but masks rlock.servers
--INI--
rlock.servers=redis://tom:hunter2@localhost:6379
--FILE--
<?php
require __DIR__ . '/../server.inc';

ob_start();
phpinfo(INFO_MODULES);
$info = ob_get_clean();
say('section', preg_match('/^rlock$/m', $info) === 1);
foreach (['rlock.connect_timeout', 'rlock.persistent', 'rlock.prefix', 'rlock.servers', 'rlock.slow_wait', 'rlock.timeout', 'rlock.ttl'] as $name) {
    say($name, preg_match('/^' . preg_quote($name) . ' => /m', $info) === 1);
}
say('password', str_contains($info, 'hunter2'));
say('hiredis', preg_match('/hiredis.*\d\.\d/i', $info) === 1);
say('totals', preg_match('/^acquired => 0$/m', $info) === 1 && preg_match('/^wait_seconds => 0$/m', $info) === 1);
say('version', phpversion('rlock') !== false && preg_match('/^\d+\.\d+\.\d+/', phpversion('rlock')) === 1);
?>
--EXPECT--
section: true
rlock.connect_timeout: true
rlock.persistent: true
rlock.prefix: true
rlock.servers: true
rlock.slow_wait: true
rlock.timeout: true
rlock.ttl: true
password: false
hiredis: true
totals: true
version: true
