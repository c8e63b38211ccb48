--TEST--
Ini values that no lock can have are refused, when they are set or when they are used
--FILE--
<?php
require __DIR__ . '/../server.inc';

ini_set('rlock.servers', nowhere());
foreach (['rlock.ttl' => ['0', '-1', 'nan', 'inf', 'abc', '', '1e10'],
    'rlock.timeout' => ['-1', 'nan', 'abc', '0', '300.001', '500'], 'rlock.connect_timeout' => ['-1', 'nan', 'abc', '301']] as $name => $values) {
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

set_error_handler(function (int $level, string $message) {
    echo "$message\n";
    return true;
});
foreach (['rlock.ttl' => 'abc', 'rlock.timeout' => '500', 'rlock.persistent' => 'maybe', 'rlock.slow_wait' => '-1'] as $name => $value) {
    say($name, [ini_set($name, $value), ini_get($name)]);
}
foreach (['0' => false, 'off' => false, 'NO' => false, 'false' => false, 'none' => false, '' => false,
    '1' => true, 'On' => true, 'yes' => true, 'true' => true] as $value => $on) {
    ini_set('rlock.persistent', $on ? '0' : '1');
    ini_set('rlock.persistent', (string) $value) !== false || print("rlock.persistent=$value is refused\n");
}
say('back at the end', ini_restore('rlock.persistent'));
?>
--EXPECT--
good again: RLock
rlock.ttl must be between 0.01 and 1000000000 seconds, "abc" given; it stays as it was
rlock.ttl: [false,"30"]
rlock.timeout must be between 0.001 and 300 seconds (not milliseconds), "500" given; it stays as it was
rlock.timeout: [false,"1"]
rlock.persistent must be on or off, "maybe" given; it stays as it was
rlock.persistent: [false,"1"]
rlock.slow_wait must be 0 or more seconds, "-1" given; it stays as it was
rlock.slow_wait: [false,"0"]
back at the end: null
