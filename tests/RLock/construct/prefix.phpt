--TEST--
The lock key on the server is the prefix and the name, exactly
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
foreach (['', 'app:', "\0{x}"] as $prefix) {
    $lock = new RLock(shared_url(), prefix: $prefix);
    ignore($lock->getLock($key));
    say(json_encode($prefix), $client('EXISTS', $prefix . $key));
    $lock->releaseLock($key);
    say(json_encode($prefix), $client('EXISTS', $prefix . $key));
}
$lock = new RLock(shared_url(), prefix: null);
ignore($lock->getLock($key));
say('default', $client('EXISTS', "lock@$key"));
?>
--EXPECT--
"": 1
"": 0
"app:": 1
"app:": 0
"\u0000{x}": 1
"\u0000{x}": 0
default: 1
