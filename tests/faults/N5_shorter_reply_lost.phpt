--TEST--
N5: a shorter lease is asked for, and no answer comes: it counts as the shorter; late is told from lost all the same
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$told = [
    'check' => fn ($lock) => $lock->check('key'),
    'releaseLock' => fn ($lock) => $lock->releaseLock('key'),
    'prolongate' => fn ($lock) => $lock->prolongate('key', 10.0),
    'getLock' => fn ($lock) => $lock->getLock('key'),
];
$warm = new RLock($proxy->url());
ignore([$warm->getLock('warm', ttl: 60.0), $warm->prolongate('warm', 10.0), $warm->releaseLock('warm')]); // it learns the scripts
foreach ($told as $method => $call) {
    $client('FLUSHALL');
    $lock = new RLock($proxy->url('timeout=0.3&persistent=0'));
    ignore($lock->getLock('key', ttl: 60.0));
    $proxy->tell('late 3000');
    say($method, outcome(fn () => $lock->prolongate('key', 0.5)));
    $proxy->tell('late 0');
    say('as the shorter', $lock->lease('key')->ttl < 0.5);
    await('its end', fn () => !$client('EXISTS', 'lock@key'));
    say('then', outcome(fn () => $call($lock)));
    $lock->releaseAll();
}

/* Others that end it at once, or in the background, are told no worse. */
$client('FLUSHALL');
$lock = new RLock($proxy->url('timeout=0.3&persistent=0'));
ignore($lock->getLock('key', ttl: 60.0));
$proxy->tell('late 3000');
say('releaseAll', outcome(fn () => $lock->prolongate('key', 0.5)));
$proxy->tell('late 0');
await('its end', fn () => !$client('EXISTS', 'lock@key'));
say('then', [$lock->releaseAll(), $lock->stats()['timeouts'], $lock->stats()['lost']]);
?>
--EXPECT--
check: RLock\ConnectionException
as the shorter: true
then: RLock\TimeoutException, held false, late
releaseLock: RLock\ConnectionException
as the shorter: true
then: RLock\TimeoutException, held false, late
prolongate: RLock\ConnectionException
as the shorter: true
then: RLock\TimeoutException, held true, late
getLock: RLock\ConnectionException
as the shorter: true
then: RLock\TimeoutException, held false, late
releaseAll: RLock\ConnectionException
then: [false,1,0]
