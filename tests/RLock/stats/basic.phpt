--TEST--
stats() counts since construction
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$names = ['acquired', 'busy', 'waits', 'wait_seconds', 'renewals', 'timeouts', 'lost', 'reconnects', 'requests'];
$none = $lock->stats();
say('names', array_keys($none) === $names ? 'as documented' : array_keys($none));
say('all zero', array_filter($none));
say('types', is_float($none['wait_seconds']) && is_int($none['requests']));

$other = new RLock(shared_url());
ignore($lock->getLock($key));
$lock->releaseLock($key);
ignore($other->getLock($key));
ignore($lock->getLock($key));
ignore($lock->getLock($key, wait: 0.2));
$other->releaseLock($key);
$stats = $lock->stats();
say('acquired, busy, waits', [$stats['acquired'], $stats['busy'], $stats['waits']]);
say_took('wait_seconds', $stats['wait_seconds'], 0.1, 0.7);
say('requests', $stats['requests'] >= 4);

$other->close();
take_briefly($lock->getLock(...), $key, wait: 2.0, ttl: 0.6);
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
outcome(fn () => $lock->releaseLock($key));
ignore($lock->getLock($key));
$client('DEL', lock_key($key));
outcome(fn () => $lock->releaseLock($key));
$stats = $lock->stats();
say('timeouts, lost', [$stats['timeouts'], $stats['lost']]);
?>
--EXPECT--
names: as documented
all zero: []
types: true
acquired, busy, waits: [1,2,1]
wait_seconds: in time
requests: true
timeouts, lost: [1,1]
