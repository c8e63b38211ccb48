--TEST--
The fence rises with every grant of a key, also when grants are faster than the clock
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$locks = [new RLock(shared_url()), new RLock(shared_url())];
$last = 0;
for ($i = 0; $i < 200; $i++) {
    $lock = $locks[$i % 2];
    ignore($lock->getLock($key));
    $fence = $lock->lease($key)->fence;
    if ($fence <= $last) {
        echo "$fence after $last\n";
    }
    $last = $fence;
    $lock->releaseLock($key);
}
say('compared', $i);

/* Even if the clock was ahead when the last was granted. */
$ahead = $last + 3_600_000_000;
shared_client()('SET', fence_key($key), $ahead, 'PX', 100000);
ignore($lock->getLock($key));
say('above the one from the future', $lock->lease($key)->fence > $ahead);
?>
--EXPECT--
compared: 200
above the one from the future: true
