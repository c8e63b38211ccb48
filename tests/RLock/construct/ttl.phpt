--TEST--
The lease is the constructor's ttl where a call names none
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
foreach ([[null, null, 30], [12.5, null, 12.5], [12.5, 100.0, 100], [null, 7, 7]] as [$default, $own, $expected]) {
    $key = unique_key();
    $lock = new RLock(shared_url(), ttl: $default);
    ignore($lock->getLock($key, ttl: $own));
    say_within("lease of $expected s", $client('PTTL', lock_key($key)) / 1000, $expected - 3, $expected);
}
?>
--EXPECT--
lease of 30 s: in time
lease of 12.5 s: in time
lease of 100 s: in time
lease of 7 s: in time
