--TEST--
M3: a foreign SET NX PX at the key is respected, and ours by it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$key = unique_key();
say('foreign', $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 60000));
say('getLock', $lock->getLock($key));
say('holder', [$lock->holder($key)->owner, $lock->holder($key)->fence]);
say('isLocking, release, prolongate', [$lock->isLocking($key), $lock->releaseLock($key), $lock->prolongate($key)]);
say('unharmed', $client('GET', lock_key($key)));
$client('PEXPIRE', lock_key($key), 500);
say('until it expires', $lock->getLock($key, wait: 10.0, ttl: 60.0));
say('foreign', done_within(0.4, function () use ($client, $lock, $key) {
    ignore($lock->getLock($key, wait: 10.0, ttl: 0.5));
    return $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 800);
}, fn () => outcome(fn () => $lock->releaseLock($key))));
say('until ours expires', await('expiry', fn () => $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 60000)));
say('we learn', outcome(fn () => $lock->releaseLock($key)));
say('unharmed', $client('GET', lock_key($key)));

/* It is given back by a DEL that wakes nobody: the safety net sees it. */
say_took('it took', seconds(function () use ($lock, $key) {
    $child = Child::start('
        usleep(300000);
        (new RawClient("unix://" . $args["socket"]))("DEL", $args["key"]);
    ', ['socket' => shared_socket(), 'key' => lock_key($key)]);
    say('after their DEL', $lock->getLock($key, wait: 10.0));
}), 0.2, 2.2);
?>
--EXPECT--
foreign: OK
getLock: false
holder: ["",null]
isLocking, release, prolongate: [false,false,false]
unharmed: foreign
until it expires: true
foreign: null
until ours expires: OK
we learn: RLock\LostLockException, held false
unharmed: foreign
after their DEL: true
it took: in time
