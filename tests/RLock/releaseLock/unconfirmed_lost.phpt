--TEST--
confirm: false, and the lock was lost: the next call throws that before it sends, with the lock's own key, once
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
/* The answer has arrived when the server has had two turns since. */
$arrived = fn () => [$client('PING'), $client('PING')];

$lock->holder('any'); /* from now on the server knows that script */
ignore($lock->getLock('one', ttl: 60.0));
$client('DEL', 'lock@one');
say('release', $lock->releaseLock('one', confirm: false));
$arrived();
$requests = $lock->stats()['requests'];
try {
    ignore($lock->getLock('two'));
} catch (RLock\LostLockException $e) {
    say('thrown', [$e->key, $e->lateBy, $e->holder]);
    say('its message names', [str_contains($e->getMessage(), '"one"'), str_contains($e->getMessage(), 'two')]);
}
/* One request asked for the holder. */
say('sent', [$lock->stats()['requests'] - $requests, $client('EXISTS', 'lock@two'), $lock->lease('two')]);
say('once', $lock->getLock('two'));
say('check', [outcome(fn () => $lock->check('one')), outcome(fn () => $lock->check('two'))]);
say('counted', $lock->stats()['lost']);

echo "taken by another:\n";
ignore($lock->getLock('one', ttl: 60.0));
$client('DEL', 'lock@one');
ignore($other->getLock('one', ttl: 60.0, metadata: 'theirs'));
say('release', $lock->releaseLock('one', confirm: false));
$arrived();
try {
    $lock->lease('two');
} catch (RLock\LostLockException $e) {
    say('thrown by a call that sends nothing', [$e->key, $e->holder->metadata]);
}
say('unharmed', $other->releaseLock('one'));

echo "two at once:\n";
$proxy = new Proxy($server->socket);
$late = new RLock($proxy->url('timeout=3'));
ignore($late->getLocks(['one', 'three', 'held'], ttl: 60.0));
$client('DEL', 'lock@one', 'lock@three');
$proxy->tell('late 200');
say('release', [$late->releaseLock('one', confirm: false), $late->releaseLock('three', confirm: false)]);
say('both arrive before', $late->isLocking('held'));
$keys = [];
foreach ([1, 2] as $ignored) {
    try {
        $late->isLocking('held');
    } catch (RLock\LostLockException $e) {
        $keys[] = $e->key;
    }
}
sort($keys);
say('each', $keys);
say('and no more', $late->isLocking('held'));
$late->close();

echo "every call:\n";
$calls = [
    'getLock' => fn () => $lock->getLock('other'),
    'getLocks' => fn () => $lock->getLocks(['other', 'third']),
    'releaseLock' => fn () => $lock->releaseLock('two'),
    'prolongate' => fn () => $lock->prolongate('two'),
    'synchronized' => fn () => $lock->synchronized('other', fn () => 'ran'),
    'ttl' => fn () => $lock->ttl('two'),
    'check' => fn () => $lock->check('two'),
    'holder' => fn () => $lock->holder('two'),
    'handOver' => fn () => $lock->handOver('two'),
    'adopt' => fn () => $lock->adopt('two', $lock->lease('two')?->token ?? ''),
    'breakLock' => fn () => $lock->breakLock('two'),
];
foreach ($calls as $name => $call) {
    ignore($lock->getLock('one', ttl: 60.0));
    $client('DEL', 'lock@one');
    $lock->releaseLock('one', confirm: false);
    $arrived();
    try {
        $call();
        say($name, 'nothing was thrown');
    } catch (RLock\LostLockException $e) {
        if ($e->key !== 'one' || $lock->lease('two')?->depth !== 1 || $client('EXISTS', 'lock@two', 'lock@other', 'lock@third') !== 1) {
            say($name, [$e->key, $lock->lease('two')]);
        }
    }
}
?>
--EXPECT--
release: true
thrown: ["one",0.0,null]
its message names: [true,false]
sent: [1,0,null]
once: true
check: ["RLock\\LostLockException, held false","null"]
counted: 1
taken by another:
release: true
thrown by a call that sends nothing: ["one","theirs"]
unharmed: true
two at once:
release: [true,true]
both arrive before: true
each: ["one","three"]
and no more: true
every call:
