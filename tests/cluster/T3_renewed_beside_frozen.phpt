--TEST--
T3: a node that hangs does not keep the renewal thread from renewing what lies on the others, nor anybody from prolonging it
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Nobody takes it for dead meanwhile: its slots stay where they are. */
$cluster = new TestCluster();
/* A try of the thread's is as long as a call. */
$lock = new RLock($cluster->url('timeout=1.6'), ttl: 4.8, autoRenew: true);
$keys = array_map($cluster->keyOn(...), [1, 0, 2, 1]);
[$frozen, $other, $third] = $keys;
foreach ($keys as $key) {
    $lock->getLock($key) || throw new RuntimeException('not taken');
}
$cluster->masters[1]->freeze();
$end = microtime(true) + 6.5;
$least = INF;
$prolonged = [];
while (microtime(true) < $end) {
    $least = min($least, $lock->lease($third)?->ttl ?? 0.0);
    if ($lock->lease($other)?->ttl < 3.12) { /* the thread is just renewing it */
        $prolonged[] = outcome(fn () => $lock->prolongate($other));
    }
    usleep(10_000);
}
say('never late', $least > 0.0);
say('prolonged', implode(array_unique($prolonged)));
say('on the node that hung', outcome(fn () => $lock->check($frozen)));
$cluster->masters[1]->thaw();
say('still ours', [outcome(fn () => $lock->isLocking($other)), outcome(fn () => $lock->isLocking($third))]);
$lock->close();
?>
--EXPECT--
never late: true
prolonged: true
on the node that hung: RLock\LostLockException, held false
still ours: ["true","true"]
