--TEST--
A share that is given back without confirmation: nobody waits for the answer, the next one has the lock
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=3'));
$other = new RLock($server->url());
/* The answer has arrived when the server has had two turns since. */
$arrived = fn () => [$client('PING'), $client('PING')];

ignore($lock->getSharedLock('key', ttl: 60.0));
ignore($lock->getSharedLock('key', ttl: 60.0));
say('inner', [$lock->releaseLock('key', confirm: false), $lock->lease('key')->depth]);
$proxy->tell('deaf'); // who waited for the answer would have none
say('release', outcome(fn () => $lock->releaseLock('key', confirm: false)));
$proxy->tell('hear');
say('not held', [$lock->lease('key'), $lock->releaseLock('key')]);
await('given back', fn () => !$client('EXISTS', 'lock@key'));
say('the object works', [$lock->getSharedLock('key'), $lock->releaseLock('key', confirm: false), $lock->getLock('key')]);
$lock->releaseLock('key');

/* A waiter for the whole lock is woken. */
ignore([$lock->getSharedLock('key'), $other->getSharedLock('key')]);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 20.0));
', ['url' => $server->url()]);
$client->awaitBlocked(1);
say('released', [$lock->releaseLock('key', confirm: false), $child->silent(0.2), $other->releaseLock('key', confirm: false)]);
say('the waiter', $child->hear());
?>
--EXPECT--
inner: [true,1]
release: true
not held: [null,false]
the object works: [true,true,true]
released: [true,true,true]
the waiter: true
