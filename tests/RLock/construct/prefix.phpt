--TEST--
The lock key on the server is the prefix and the name, exactly; a number is no prefix but a lease at the wrong place
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
foreach ([30, 30.5, '0', '9223372036854775808', '1.2.3', '30.', '30:', 'a30', '.5'] as $prefix) {
    try {
        $made = new RLock(nowhere(), $prefix);
        echo json_encode($prefix), ": a prefix\n";
    } catch (ValueError $e) {
        echo json_encode($prefix), ': ', $e->getMessage(), "\n";
    }
}
say('default', $client('EXISTS', "lock@$key"));
?>
--EXPECT--
"": 1
"": 0
"app:": 1
"app:": 0
"\u0000{x}": 1
"\u0000{x}": 0
30: RLock::__construct(): Argument #2 ($prefix) cannot be a number; a lease in seconds is written ttl: 30
30.5: RLock::__construct(): Argument #2 ($prefix) cannot be a number; a lease in seconds is written ttl: 30.5
"0": RLock::__construct(): Argument #2 ($prefix) cannot be a number; a lease in seconds is written ttl: 0
"9223372036854775808": RLock::__construct(): Argument #2 ($prefix) cannot be a number; a lease in seconds is written ttl: 9223372036854775808
"1.2.3": a prefix
"30.": a prefix
"30:": a prefix
"a30": a prefix
".5": a prefix
default: 1
