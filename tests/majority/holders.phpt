--TEST--
holders() on a majority: what most of the servers hold, with one of three dead, and none without a majority
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock('timeout=1.5');
function names(RLock $lock): string
{
    return outcome(function () use ($lock) {
        $names = array_keys($lock->holders());
        sort($names, SORT_STRING);
        return $names;
    });
}
ignore($lock->getLock('mail', ttl: 60.0, metadata: 'note'));
$nodes->awaitHolding(3, 'mail');
foreach ($nodes->servers as $i => $server) {
    $server->client()('SET', "lock@only$i", 'what', 'PX', 60000);
    $i === 0 || $server->client()('SET', 'lock@two', 'what', 'PX', 60000);
}
say('all', names($lock));
say('metadata, fence', [$lock->holders()['mail']->metadata, $lock->holders()['mail']->fence]);
$nodes->servers[0]->kill();
say('the first is dead', names($lock));
$nodes->servers[1]->kill();
say('no majority', names($lock));
outcome(fn () => $lock->close()); // else it is told at the end that it could not be given back
?>
--EXPECT--
all: ["mail","two"]
metadata, fence: ["note",null]
the first is dead: ["mail","two"]
no majority: RLock\ConnectionException
