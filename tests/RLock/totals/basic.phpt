--TEST--
totals() are the stats() of all objects of the process, those that are gone included
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
say('none', array_filter(RLock::totals()));
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
say('names', array_keys(RLock::totals()) === array_keys($lock->stats()));
$lock->getLock($key) && $lock->releaseLock($key); // the server knows the scripts afterwards
ignore($lock->getLock($key));
ignore($other->getLock($key));
ignore($other->getLock($key, wait: 0.01));
$before = RLock::totals();
$names = array_combine(array_keys($before), array_keys($before));
say('both', array_map(fn ($name) => $lock->stats()[$name] + $other->stats()[$name], $names) == $before);
unset($lock, $other); // the first releases
$after = RLock::totals();
$added = array_map(fn ($name) => $after[$name] - $before[$name], $names);
say('gone', array_filter($added));

$late = new RLock(shared_url());
ignore($late->getLock($key, ttl: 60.0));
$client('DEL', lock_key($key));
outcome(fn () => $late->releaseLock($key));
say('lost', RLock::totals()['lost']);
$renewing = new RLock(shared_url(), ttl: 2.0, autoRenew: true);
take_briefly($renewing->getLock(...), $key);
await('a renewal', fn () => RLock::totals()['renewals'] >= 1);
$renewing->close();
$renewals = $renewing = null;
say('renewals stay', RLock::totals()['renewals'] >= 1);
$failed = new RLock('unix:///nonexistent');
$acquired = RLock::totals()['acquired'];
outcome(fn () => $failed->getLock($key));
say('a failure acquires nothing', RLock::totals()['acquired'] - $acquired);
?>
--EXPECT--
none: []
names: true
both: true
gone: {"requests":1}
lost: 1
renewals stay: true
a failure acquires nothing: 0
