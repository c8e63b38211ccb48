--TEST--
confirm: false, and the verdict had arrived before releaseAll() or close(): they give back everything and throw it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lose = function () use ($client, $server): RLock {
    $lock = new RLock($server->url());
    ignore($lock->getLock('held', ttl: 60.0));
    ignore($lock->getLock('key', ttl: 60.0));
    $client('DEL', 'lock@key');
    $lock->releaseLock('key', confirm: false);
    $client('PING');
    $client('PING');
    return $lock;
};

foreach (['releaseAll', 'close'] as $method) {
    $lock = $lose();
    try {
        $lock->$method();
    } catch (RLock\LostLockException $e) {
        say("$method throws", $e->key);
    }
    say('left', $client('EXISTS', 'lock@held'));
    say('again', outcome(fn () => $lock->$method()));
}

/* synchronized() gives back in any case, and tells both. */
$lock = new RLock($server->url());
try {
    $lock->synchronized('held', function () use ($lock, $client) {
        ignore($lock->getLock('key', ttl: 60.0));
        $client('DEL', 'lock@key');
        $lock->releaseLock('key', confirm: false);
        $client('PING');
        $client('PING');
        throw new DomainException('mine');
    });
} catch (RLock\LostLockException $e) {
    say('synchronized throws', [$e->key, $e->getPrevious()->getMessage()]);
}
say('left', [$client('EXISTS', 'lock@held'), $lock->lease('held')]);
?>
--EXPECT--
releaseAll throws: key
left: 0
again: true
close throws: key
left: 0
again: null
synchronized throws: ["key","mine"]
left: [0,null]
