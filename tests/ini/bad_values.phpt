--TEST--
Ini values that no lock can have are refused, when they are set or when they are used
--FILE--
<?php
require __DIR__ . '/../server.inc';

ini_set('rlock.servers', nowhere());
foreach (['rlock.ttl' => ['0', '-1', 'nan', 'inf', 'abc', '', '1e10'],
    'rlock.timeout' => ['-1', 'nan', 'abc'], 'rlock.connect_timeout' => ['-1', 'nan', 'abc']] as $name => $values) {
    foreach ($values as $value) {
        $before = ini_get($name);
        $set = @ini_set($name, $value);
        $made = outcome(fn () => new RLock());
        if ($set !== false && $made !== 'ValueError') {
            echo "$name=$value was taken\n";
        }
        ini_set($name, $before);
    }
}
say('good again', outcome(fn () => new RLock()));
?>
--EXPECT--
good again: RLock
