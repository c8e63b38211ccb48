--TEST--
Pending: shares and limits; `limit` alone means a share
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$locks = array_map(fn () => new RLock($server->url(), ttl: 60.0), range(0, 3));

$first = $locks[0]->requestLock('key', shared: true);
$second = $locks[1]->requestLock('key', shared: true);
say('shares', [decide($first), decide($second), $locks[0]->lease('key')->shared, count($locks[2]->sharers('key'))]);
$exclusive = $locks[2]->requestLock('key');
park($client, 1, $exclusive);
$behind = $locks[3]->requestLock('key', shared: true);
park($client, 2, $exclusive, $behind);
$locks[0]->releaseLock('key');
say('one share is left', [$exclusive->poll(), $behind->poll()]);
$locks[1]->releaseLock('key');
say('exclusive', [decide($exclusive), $behind->poll(), $locks[2]->lease('key')->shared]);
say('downgraded', [$locks[2]->downgrade('key'), decide($behind)]);
$locks[2]->releaseLock('key');
$locks[3]->releaseLock('key');

$semaphore = array_map(fn (RLock $lock) => $lock->requestLock('semaphore', limit: 2), $locks);
foreach (array_slice($semaphore, 0, 2) as $one) {
    decide($one);
}
await('the others wait', fn () => $semaphore[2]->poll() === null && $semaphore[3]->poll() === null && $client->info('blocked_clients') === 2);
say('two of them', array_map(fn ($one) => $one->poll(), $semaphore));
$locks[0]->releaseLock('semaphore');
$next = decide_all([2 => $semaphore[2]]);
say('the third', [$next, $semaphore[3]->poll()]);
$semaphore[3]->cancel();
$client->awaitBlocked(0);
$locks[3]->stats();
say('a place at the turnstile is given up', decide($locks[0]->requestLock('semaphore', 5.0, limit: 3)));
say('not exclusive', decide($locks[3]->requestLock('semaphore', 0.0)));

/* One share becomes exclusive, if it is the only one. */
say('upgrade, refused', [decide($locks[1]->requestLock('semaphore')), $locks[1]->lease('semaphore')->depth]);
$locks[0]->releaseLock('semaphore');
$locks[2]->releaseLock('semaphore');
say('upgrade', [decide($locks[1]->requestLock('semaphore')), $locks[1]->lease('semaphore')->depth, $locks[1]->lease('semaphore')->shared]);
?>
--EXPECT--
shares: [true,true,true,2]
one share is left: [null,null]
exclusive: [true,null,false]
downgraded: [true,true]
two of them: [true,true,null,null]
the third: [[[2,true]],null]
a place at the turnstile is given up: true
not exclusive: false
upgrade, refused: [false,1]
upgrade: [true,2,false]
