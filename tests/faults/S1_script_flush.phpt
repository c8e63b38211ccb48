--TEST--
S1: the script cache is flushed: nobody notices
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($other->getLock('foreign'));
$calls = [
    'getLock' => fn () => $lock->getLock('key'),
    'getLock again' => fn () => $lock->getLock('key'),
    'isLocking' => fn () => $lock->isLocking('key'),
    'ttl' => fn () => $lock->ttl('key') > 25.0,
    'holder' => fn () => $lock->holder('key'),
    'prolongate' => fn () => $lock->prolongate('key'),
    'busy' => fn () => $lock->getLock('foreign'),
    'releaseLock inner' => fn () => $lock->releaseLock('key'),
    'releaseLock' => fn () => $lock->releaseLock('key'),
];
foreach ($calls as $name => $call) {
    $client('SCRIPT', 'FLUSH');
    say($name, outcome($call));
}
say('left', $client('EXISTS', 'lock@key'));

/* In a wait, and before the close. */
ignore($lock->getLock('key'));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say([$lock->getLock("key", wait: 20.0), $lock->isLocking("key")]);
    $parent->hear();
', ['url' => $server->url()]);
$client->awaitBlocked(1);
$client('SCRIPT', 'FLUSH');
say('release', $lock->releaseLock('key'));
say('waiter', hear_passed_on($child, $client, 'key'));
ignore($lock->getLock('closing'));
$client('SCRIPT', 'FLUSH');
say('close', outcome(fn () => $lock->close()));
say('left', $client('EXISTS', 'lock@closing'));
?>
--EXPECT--
getLock: true
getLock again: true
isLocking: true
ttl: true
holder: RLock\Holder
prolongate: true
busy: false
releaseLock inner: true
releaseLock: true
left: 0
release: true
passed on: true
waiter: [true,true]
close: null
left: 0
