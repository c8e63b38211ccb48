--TEST--
confirm: false sends the release and does not wait
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=3'));
ignore($lock->getLock('key', ttl: 60.0));
ignore($lock->getLock('key', ttl: 60.0));
say('inner', [$lock->releaseLock('key', confirm: false), $lock->lease('key')->depth]);
$proxy->tell('deaf'); // who waited for the answer would have none
say('release', outcome(fn () => $lock->releaseLock('key', confirm: false)));
$proxy->tell('hear');
say('not held', [$lock->lease('key'), $lock->releaseLock('key'), $lock->releaseLock('key', confirm: false)]);
await('given back', fn () => !$client('EXISTS', 'lock@key'));
say('the object works', [$lock->getLock('key'), $lock->releaseLock('key', confirm: false), $lock->getLock('key')]);
say('with delayAfter', $lock->releaseLock('key', delayAfter: 30.0, confirm: false));
say('it is kept', $lock->getLock('key'));

/* Many in a row, and all answers are read. */
for ($i = 0; $i < 500; $i++) {
    ignore($lock->getLock("key$i"));
}
for ($i = 0; $i < 500; $i++) {
    $lock->releaseLock("key$i", confirm: false);
}
say('left', [$lock->holder('none'), count($client('KEYS', 'lock@key?*'))]);
say('one connection served', explode(' ', $proxy->tell('count'))[1]);

/* A waiter is woken as ever. */
ignore($lock->getLock('key0', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key0", wait: 20.0));
    $parent->hear();
', ['url' => $server->url()]);
$client->awaitBlocked(1);
$lock->releaseLock('key0', confirm: false);
say('waiter', hear_passed_on($child, $client, 'key0'));

/* What came of it is told by no later call, nor at the end. */
ignore($lock->getLock('gone', ttl: 60.0));
$client('DEL', 'lock@gone');
say('gone', $lock->releaseLock('gone', confirm: false));
say('the next calls', [$lock->isLocking('gone'), $lock->releaseLock('gone'), outcome(fn () => $lock->check('gone')), $lock->stats()['lost']]);

/* Past our deadline it is ignored. */
take_briefly($lock->getLock(...), 'late', ttl: 0.5);
await('expiry', fn () => !$client('EXISTS', 'lock@late'));
say('late', outcome(fn () => $lock->releaseLock('late', confirm: false)));
take_briefly($lock->getLock(...), 'late', ttl: 0.5);
await('expiry', fn () => $client('SET', 'lock@late', 'foreign', 'NX', 'PX', 60000));
say('late, and taken', outcome(fn () => $lock->releaseLock('late', confirm: false)));
?>
--EXPECT--
inner: [true,1]
release: true
not held: [null,false,false]
the object works: [true,true,true]
with delayAfter: true
it is kept: false
left: [null,0]
one connection served: 1
passed on: true
waiter: true
gone: true
the next calls: [false,false,"RLock\\RLockException",0]
late: RLock\TimeoutException, held false, late
late, and taken: RLock\LostLockException, held false
