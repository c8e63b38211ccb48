--TEST--
The servers come from the environment by rlock.servers="${REDIS_URL}" in an ini file
--FILE--
<?php
require __DIR__ . '/../server.inc';

file_put_contents($ini = temporary_folder() . '/php.ini', 'rlock.servers="${REDIS_URL}"' . "\n");
$ask = fn () => Child::start('
    $parent->say([ini_get("rlock.servers"), outcome(fn () => (new RLock())->getLock($args[0]))]);
', [unique_key()], "-c $ini")->hear();
foreach ([
    'a server' => shared_url(),
    'with options' => shared_url('db=1&timeout=2.5'),
    'a majority' => 'unix:///nonexistent/1 unix:///nonexistent/2 unix:///nonexistent/3',
    'none' => '',
] as $name => $url) {
    putenv("REDIS_URL=$url");
    [$setting, $result] = $ask();
    say($name, [$setting === $url, $result]);
}
?>
--EXPECT--
a server: [true,"true"]
with options: [true,"true"]
a majority: [true,"RLock\\ConnectionException"]
none: [true,"ValueError"]
