--TEST--
A setting of php.ini that does not exist is told when PHP starts, with the nearest that does
--FILE--
<?php
require __DIR__ . '/../server.inc';

foreach (['-d rlock.tll=5', '-d rlock.server=redis://a', '-d rlock.nonsense=1', '-d rlock.ttl=5 -d rlocks.x=1 -d xrlock.ttl=5'] as $settings) {
    $child = Child::start('$parent->say(ini_get("rlock.ttl"));', [],
        "-d display_errors=1 -d display_startup_errors=1 -d log_errors=0 -d html_errors=0 $settings");
    echo "$settings: ", $child->hear(), "\n";
    $child->wait();
    preg_match_all('/^Warning: (.*?) in Unknown/m', $child->output(), $told);
    echo implode(array_map(fn (string $line) => "    $line\n", $told[1]));
}
?>
--EXPECT--
-d rlock.tll=5: 30
    There is no ini setting rlock.tll; the nearest is rlock.ttl
-d rlock.server=redis://a: 30
    There is no ini setting rlock.server; the nearest is rlock.servers
-d rlock.nonsense=1: 30
    There is no ini setting rlock.nonsense
-d rlock.ttl=5 -d rlocks.x=1 -d xrlock.ttl=5: 5
