--TEST--
Sentinel: all sentinels away: the message names each
--FILE--
<?php
require __DIR__ . '/../server.inc';

$ports = [free_port(), free_port(), free_port()];
$hosts = implode(',', array_map(fn ($port) => "127.0.0.1:$port", $ports));
try {
    ignore((new RLock("sentinel://$hosts/locks?timeout=0.3"))->getLock('key'));
} catch (RLock\ConnectionException $e) {
    say('named', array_map(fn ($port) => substr_count($e->getMessage(), "127.0.0.1:$port"), $ports));
}
?>
--EXPECT--
named: [1,1,1]
