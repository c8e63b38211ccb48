--TEST--
holders() refuses a limit under 1, even if it is closed
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock('unix:///nonexistent');
$lock->close();
foreach ([0, -1, PHP_INT_MIN] as $limit) {
    try {
        $lock->holders(limit: $limit);
    } catch (ValueError $e) {
        say("$limit", $e->getMessage());
    }
}
say('nowhere', outcome(fn () => (new RLock('unix:///nonexistent'))->holders()));
?>
--EXPECT--
0: RLock::holders(): Argument #2 ($limit) must be greater than 0
-1: RLock::holders(): Argument #2 ($limit) must be greater than 0
-9223372036854775808: RLock::holders(): Argument #2 ($limit) must be greater than 0
nowhere: RLock\ConnectionException
