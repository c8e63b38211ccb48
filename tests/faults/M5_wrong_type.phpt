--TEST--
M5: a wrong type, or no TTL, at the lock key: busy; holder() shows it; at the companions: no harm
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$values = [
    'hash' => fn ($key) => $client('HSET', $key, 'field', 'value'),
    'list' => fn ($key) => $client('RPUSH', $key, 'value'),
    'string without TTL' => fn ($key) => $client('SET', $key, 'value'),
    'empty string' => fn ($key) => $client('SET', $key, ''),
];
foreach ($values as $name => $put) {
    $key = unique_key();
    $put(lock_key($key));
    say($name, outcome(fn () => $lock->getLock($key)));
    say_took('wait', seconds(function () use ($lock, $key) { say('waiting', outcome(fn () => $lock->getLock($key, wait: 0.3))); }), 0.3, 0.9);
    say('holder', [outcome(fn () => $lock->holder($key)), $lock->holder($key)?->ttl]);
    say('unharmed', $client('EXISTS', lock_key($key)));
    $client('DEL', lock_key($key));
}

foreach (['fence' => fence_key(...), 'waiting' => waiting_key(...), 'wake' => wake_key(...)] as $name => $companion) {
    foreach (['hash' => ['HSET', 'f', 'v'], 'text' => ['SET', 'nonsense'], 'list' => ['RPUSH', 'v', 'w']] as $type => $put) {
        $key = unique_key();
        $client($put[0], $companion($key), ...array_slice($put, 1));
        $taken = outcome(fn () => $lock->getLock($key, ttl: 20.0));
        $other = new RLock(shared_url());
        $busy = outcome(fn () => $other->getLock($key, wait: 0.1));
        $long = outcome(fn () => $lock->prolongate($key, 30.0));
        $back = outcome(fn () => $lock->releaseLock($key));
        $next = outcome(fn () => $other->getLock($key, wait: 10.0));
        say("$type at $name", "$taken $busy $long $back $next");
    }
}
?>
--EXPECT--
hash: false
waiting: false
wait: in time
holder: ["RLock\\Holder",null]
unharmed: 1
list: false
waiting: false
wait: in time
holder: ["RLock\\Holder",null]
unharmed: 1
string without TTL: false
waiting: false
wait: in time
holder: ["RLock\\Holder",null]
unharmed: 1
empty string: false
waiting: false
wait: in time
holder: ["RLock\\Holder",null]
unharmed: 1
hash at fence: true false true true true
text at fence: true false true true true
list at fence: true false true true true
hash at waiting: true false true true true
text at waiting: true false true true true
list at waiting: true false true true true
hash at wake: true false true true true
text at wake: true false true true true
list at wake: true false true true true
