--TEST--
Pending: it asks and returns; the stream says when to poll; what it says at last it says for good
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url(), ttl: 60.0);
$other = new RLock($server->url(), ttl: 60.0);

/* A free one. */
$pending = $lock->requestLock('key', metadata: 'note');
say('key', $pending->key());
say('free', [decide($pending), $pending->poll(), $pending->poll()]);
say('held', [$lock->isLocking('key'), $lock->lease('key')->depth, $lock->lease('key')->metadata, $other->getLock('key')]);
$lock->releaseLock('key');
say('true for good', $pending->poll());
$pending->cancel();
say('cancel() after true', $pending->poll());

/* One that is busy is woken by the release. */
ignore($other->getLock('key'));
$pending = $lock->requestLock('key');
park($client, 1, $pending);
say('not yet', await('nothing to do', fn () => $pending->poll() === null && !watch([$pending], 0.05)));
$other->releaseLock('key');
say('woken', [watch([$pending], LATE), decide($pending)]);
$lock->releaseLock('key');

/* The end of its time. */
ignore($other->getLock('key'));
$pending = $lock->requestLock('key', 0.1);
say('out of time', [decide($pending), $pending->poll()]);
$pending = $lock->requestLock('key', 0.0);
say('asks once', [decide($pending), $client->info('blocked_clients')]);

/* Cancelled, it has left the queue, and may be asked for again. */
$pending = $lock->requestLock('key');
park($client, 1, $pending);
$pending->cancel();
$client->awaitBlocked(0);
say('cancelled', [$pending->poll(), watch([$pending], 0.0)]);
$pending = $lock->requestLock('key');
park($client, 1, $pending);
unset($pending);
$client->awaitBlocked(0);
say('let go of', outcome(fn () => $lock->getLock('key')));
$other->releaseLock('key');
say('nothing was kept', [$other->getLock('key'), $other->releaseLock('key')]);

/* Let go of before the answer to the first ask has come. */
$client('CLIENT', 'PAUSE', 100);
ignore($lock->requestLock('key'));
say('given back', await('nobody has it', fn () => $client('EXISTS', lock_key('key')) === 0));

/* What is held goes a level deeper, and the longer lease counts. */
ignore($lock->getLock('key', ttl: 30.0));
$pending = $lock->requestLock('key', ttl: 90.0);
say('deeper', [decide($pending), $lock->lease('key')->depth, $lock->ttl('key') > 80.0]);
$pending = $lock->requestLock('key', shared: true);
say('a share of it', [decide($pending), $lock->lease('key')->depth, $lock->lease('key')->shared]);
$client('DEL', lock_key('key'));
$pending = $lock->requestLock('key');
say('lost meanwhile', [outcome(fn () => decide($pending)), $pending->poll(), $lock->lease('key')]);
ignore($lock->getLock('key'));
$client('CLIENT', 'PAUSE', 100);
$pending = $lock->requestLock('key');
$lock->releaseLock('key', confirm: false);
say('given back meanwhile', [decide($pending), $lock->lease('key')->depth, $lock->releaseLock('key')]);

/* Any number at once, and other calls between. */
$all = array_map(fn ($i) => $lock->requestLock("key $i"), range(0, 9));
say('another key', [$lock->getLock('key'), $lock->releaseLock('key')]);
say('ten', count(array_filter(decide_all($all), fn ($answer) => $answer[1])));
say('all held', count(array_filter($all, fn ($one) => $lock->isLocking($one->key()))));

/* releaseAll() leaves it alone, close() ends it. */
ignore($other->getLock('key'));
$pending = $lock->requestLock('key');
park($client, 1, $pending);
say('releaseAll', [$lock->releaseAll(), $pending->poll(), $client->info('blocked_clients')]);
$lock->close();
$client->awaitBlocked(0);
say('closed', [watch([$pending], 0.0), outcome(fn () => $pending->poll()), $pending->poll()]);
$lock = new RLock($server->url());
$pending = $lock->requestLock('another');
decide($pending);
$lock->close();
say('true before', $pending->poll());

/* It keeps its RLock alive. */
$pending = (new RLock($server->url()))->requestLock('key');
park($client, 1, $pending);
$other->releaseLock('key');
say('without another reference', [decide($pending), $other->getLock('key')]);
unset($pending);
say('and gone', $other->getLock('key'));

/* Counted as other waits. */
$lock = new RLock($server->url());
$pending = $lock->requestLock('key', 0.1);
decide($pending);
decide($lock->requestLock('free'));
$stats = $lock->stats();
say('stats', [$stats['acquired'], $stats['busy'], $stats['waits'], $stats['wait_seconds'] > 0.0]);
?>
--EXPECT--
key: key
free: [true,true,true]
held: [true,1,"note",false]
true for good: true
cancel() after true: true
not yet: true
woken: [true,true]
out of time: [false,false]
asks once: [false,0]
cancelled: [false,true]
let go of: false
nothing was kept: [true,true]
given back: true
deeper: [true,2,true]
a share of it: [true,3,false]
lost meanwhile: ["RLock\\LostLockException, held false",false,null]
given back meanwhile: [true,1,true]
another key: [true,true]
ten: 10
all held: 10
releaseAll: [true,null,1]
closed: [true,"RLock\\RLockException",false]
true before: true
without another reference: [true,false]
and gone: true
stats: [1,1,1,true]
