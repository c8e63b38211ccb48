--TEST--
lease() tells what we hold, without I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url());
say('nothing', $lock->lease('key'));
ignore($lock->getLock('key', ttl: 20.0, metadata: 'note'));
$server->freeze();
$lease = $lock->lease('key');
say('class', $lease::class);
say('fields', [$lease->key, $lease->depth, $lease->metadata, strlen($lease->token) > 40, $lease->fence > 1.6e15]);
say_within('ttl', $lease->ttl, 17, 20);
usleep(20000);
say_took('it has become less by', $lease->ttl - $lock->lease('key')->ttl, 0.019, 2);
say('nothing', $lock->lease('other'));
$server->thaw();

$lock->releaseLock('key');
say('given back', $lock->lease('key'));
take_briefly($lock->getLock(...), 'short', ttl: 0.6);
await('expiry', fn () => !$server->client()('EXISTS', 'lock@short'));
say('run out', $lock->lease('short')?->ttl);
outcome(fn () => $lock->releaseLock('short'));
?>
--EXPECT--
nothing: null
class: RLock\Lease
fields: ["key",1,"note",true,true]
ttl: in time
it has become less by: in time
nothing: null
given back: null
run out: 0.0
