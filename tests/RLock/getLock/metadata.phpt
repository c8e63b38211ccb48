--TEST--
Metadata is kept with the lock, byte for byte
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
foreach ([null, '', '0', 'nightly report', "a:b:c", "NUL \0 newline \n and \xff", str_repeat('x', 65536)] as $metadata) {
    $taken = $lock->getLock($key, metadata: $metadata);
    say(substr(json_encode($metadata, JSON_INVALID_UTF8_SUBSTITUTE), 0, 40), [
        $taken,
        $lock->lease($key)->metadata === $metadata,
        $other->holder($key)->metadata === $metadata,
        $lock->releaseLock($key),
    ]);
}
?>
--EXPECT--
null: [true,true,true,true]
"": [true,true,true,true]
"0": [true,true,true,true]
"nightly report": [true,true,true,true]
"a:b:c": [true,true,true,true]
"NUL \u0000 newline \n and \ufffd": [true,true,true,true]
"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: [true,true,true,true]
