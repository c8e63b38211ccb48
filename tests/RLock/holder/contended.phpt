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
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 20.0));
', ['url' => $server->url()]);
$client->awaitBlocked(1);
say('somebody waits', $lock->holder('key')->contended);
$child->kill();
await('it is gone', fn () => $client->info('blocked_clients') === 0);
$lock->releaseLock('key');
/* The flag was up: the lock went into the list, where nobody takes it. */
say('on the server', str_starts_with($client('GET', 'lock@key') ?? '', '~'));
say('holder', $lock->holder('key'));
say('isLocking', $lock->isLocking('key'));
say('ttl', $lock->ttl('key'));
say('taken at once', $lock->getLock('key'));
?>
--EXPECT--
nobody waits: false
somebody waits: true
on the server: true
holder: null
isLocking: false
ttl: 0.0
taken at once: true
