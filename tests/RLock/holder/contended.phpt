--TEST--
holder() tells that somebody waits, and takes an unclaimed baton for free
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
say('nobody waits', $lock->holder('key')->contended);
/* Its waiter is gone when it is released, and the flag is up: the lock goes into the list, where nobody takes it. */
$abandon = function () use ($server, $client, $lock): bool {
    $lock->lease('key') || $lock->getLock('key', wait: 20.0, ttl: 60.0);
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("key", wait: 20.0));
    ', ['url' => $server->url()]);
    $client->awaitBlocked(1);
    $contended = $lock->holder('key')->contended;
    $child->kill();
    await('it is gone', fn () => $client->info('blocked_clients') === 0);
    return $contended;
};
$seen = done_within(0.8, function (bool $contended) use ($client, $lock) {
    $lock->releaseLock('key');
    return [$contended, str_starts_with($client('GET', 'lock@key') ?? '', '~'), $lock->holder('key'), $lock->isLocking('key'),
        $lock->ttl('key'), $lock->getLock('key')];
}, $abandon);
foreach (['somebody waits', 'on the server', 'holder', 'isLocking', 'ttl', 'taken at once'] as $i => $what) {
    say($what, $seen[$i]);
}
?>
--EXPECT--
nobody waits: false
somebody waits: true
on the server: true
holder: null
isLocking: false
ttl: 0.0
taken at once: true
