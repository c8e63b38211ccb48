--TEST--
downgrade() refuses bad arguments before any I/O; what is not held exclusively is false without I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->downgrade(''),
    'key over 1 MiB' => fn () => $lock->downgrade(str_repeat('k', 1024 * 1024 + 1)),
    'array for key' => fn () => $lock->downgrade([]),
    'no key' => fn () => $lock->downgrade(),
    'too many' => fn () => $lock->downgrade('key', 1),
    'not held' => fn () => $lock->downgrade('key'),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
$lock->close();
say('closed', outcome(fn () => $lock->downgrade('key')));

$lock = new RLock(shared_url());
ignore($lock->getSharedLock($key = unique_key()));
$requests = $lock->stats()['requests'];
say('a share', [$lock->downgrade($key), $lock->stats()['requests'] - $requests, $lock->lease($key)->shared]);
?>
--EXPECT--
empty key: ValueError
key over 1 MiB: ValueError
array for key: TypeError
no key: ArgumentCountError
too many: ArgumentCountError
not held: false
closed: RLock\RLockException
a share: [false,0,true]
