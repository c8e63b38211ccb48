--TEST--
What php.ini gives, and no lock can have, is told when PHP starts; the default holds
--FILE--
<?php
require __DIR__ . '/../server.inc';

$child = Child::start('$parent->say([ini_get("rlock.ttl"), ini_get("rlock.persistent")]);', [],
    '-d display_errors=1 -d display_startup_errors=1 -d log_errors=0 -d html_errors=0 -d rlock.ttl=abc -d rlock.persistent=maybe');
say('they are', $child->hear());
$child->wait();
preg_match_all('/^Warning: (.*?) in Unknown/m', $child->output(), $told);
echo implode("\n", $told[1]), "\n";
?>
--EXPECT--
they are: ["30","1"]
rlock.ttl must be between 0.01 and 1000000000 seconds, "abc" given; it stays as it was
rlock.persistent must be on or off, "maybe" given; it stays as it was
