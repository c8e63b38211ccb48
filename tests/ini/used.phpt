--TEST--
The ini settings are what an object uses that was told nothing else
--INI--
rlock.prefix="from-ini:"
rlock.ttl=7.5
rlock.timeout=0.5
rlock.connect_timeout=5
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
ini_set('rlock.servers', "unix://$server->socket"); // with the timeout of above
$lock = new RLock();
take_briefly($lock->getLock(...), 'key');
say('taken', answered(fn () => $lock->isLocking('key')));
say_within('prefix and ttl', $client('PTTL', 'from-ini:key') / 1000, 5, 7.5);

ini_set('rlock.prefix', 'changed:');
ini_set('rlock.ttl', '20');
say('an object keeps what it was made with', answered(fn () => $lock->getLock('other')) && $client('EXISTS', 'from-ini:other') === 1);
$lock = new RLock();
take_briefly($lock->getLock(...), 'key');
say_within('a new one has the new', $client('PTTL', 'changed:key') / 1000, 15, 20);

$server->freeze();
say_took('timeout', seconds(fn () => outcome(fn () => $lock->getLock('third'))), 0.45, 1.2);
$server->thaw();

ini_set('rlock.servers', nowhere());
say('servers', outcome(fn () => (new RLock())->getLock('key')));
ini_set('rlock.servers', 'nonsense');
say('unreadable servers', outcome(fn () => new RLock()));
?>
--EXPECT--
taken: true
prefix and ttl: in time
an object keeps what it was made with: true
a new one has the new: in time
timeout: in time
servers: RLock\ConnectionException
unreadable servers: ValueError
