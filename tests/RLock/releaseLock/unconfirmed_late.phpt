--TEST--
confirm: false, sent in time to a server that gets to it when the lease has ended: late, not lost
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$lock->getLock('key', ttl: 0.3);
$client('CLIENT', 'PAUSE', 600, 'WRITE');
say('release', $lock->releaseLock('key', confirm: false));
$client('SET', 'written', 'at last'); /* the pause is over, and what waited longer has been done ... */
$client('PING');                      /* ... and answered */
say('the next call', outcome(fn () => $lock->holder('any')));
say('once', outcome(fn () => $lock->holder('any')));
?>
--EXPECT--
release: true
the next call: RLock\TimeoutException, held false, late
once: null
