--TEST--
S12: writes paused during a wait: busy or ConnectionException at the end of the wait
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('SET', 'lock@key', 'foreign', 'PX', 60000);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $start = microtime(true);
    $parent->say([outcome(fn () => $lock->getLock("key", wait: 1.5)), microtime(true) - $start]);
', ['url' => $server->url('timeout=1.2')]);
$client->awaitBlocked(1);
$client('CLIENT', 'PAUSE', 5000, 'WRITE');
[$outcome, $took] = $child->hear();
say('outcome', in_array($outcome, ['false', 'RLock\ConnectionException'], true) ? 'busy or ConnectionException' : $outcome);
say_took('it took', $took, 0.4, 2.6);
$client('CLIENT', 'UNPAUSE');
await('nobody is parked', fn () => $client->info('blocked_clients') === 0);
say('unharmed', $client('GET', 'lock@key'));
?>
--EXPECT--
outcome: busy or ConnectionException
it took: in time
unharmed: foreign
