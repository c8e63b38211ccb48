--TEST--
sentinel://: the master by its name, with passwords and a database; once it is known, not one request more
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup(password: 'ser/ver', sentinelPassword: 'sen&tinel');
$query = 'persistent=0&sentinel_password=' . rawurlencode('sen&tinel');
$user = ':' . rawurlencode('ser/ver') . '@';
$client = $group->master->client();
$client('AUTH', 'ser/ver');

$lock = new RLock($group->url("$query&db=3", $user));
say('taken', outcome(fn () => $lock->getLock('key')));
$client('SELECT', 3);
say('there', $client('EXISTS', 'lock@key'));
say('given back', outcome(fn () => $lock->releaseLock('key')));
say('there', $client('EXISTS', 'lock@key'));

/* What a pair costs: two calls at the server, and nothing else. */
function calls(RawClient $client): array
{
    preg_match_all('/^cmdstat_([^:]+):calls=(\d+)/m', $client('INFO', 'commandstats'), $found);
    $calls = array_diff_key(array_combine($found[1], $found[2]), array_flip(['info', 'ping', 'publish', 'replconf', 'subscribe']));
    ksort($calls);
    return $calls;
}
$before = calls($client);
foreach ($group->sentinels as $sentinel) {
    $sentinel->freeze(); // nobody asks them any more
}
$requests = $lock->stats()['requests'];
for ($i = 0; $i < 20; $i++) {
    $lock->getLock('key') && $lock->releaseLock('key');
}
foreach (array_diff_assoc(calls($client), $before) as $command => $count) {
    say("calls of $command", $count - ($before[$command] ?? 0));
}
say('requests', $lock->stats()['requests'] - $requests);
foreach ($group->sentinels as $sentinel) {
    $sentinel->thaw();
}
$lock->close();

$lock = new RLock($group->url('sentinel_password=hunter2', $user));
$failure = null;
say('wrong password of the sentinels', outcome(fn () => $lock->getLock('key')));
try {
    ignore($lock->getLock('key'));
} catch (RLock\ServerException $failure) {
}
say('it is told', str_contains($failure->getMessage(), 'hunter2'));
$lock = new RLock($group->url($query, ':hunter2@'));
say('wrong password of the servers', outcome(fn () => $lock->getLock('key')));
$lock = new RLock(str_replace('mymaster', 'other', $group->url("$query&timeout=0.3", $user)));
for ($tries = 20; $tries > 0; $tries--) { // on a busy machine the deadline may cut off its last look, and that is told
    try {
        ignore($lock->getLock('key'));
    } catch (RLock\ConnectionException $failure) {
        if (!str_contains($failure->getMessage(), 'no answer within the timeout')) {
            break;
        }
    }
}
say('unknown name', preg_replace('/127.0.0.1:\d+/', 'ADDRESS', $failure->getMessage()));
?>
--EXPECT--
taken: true
there: 1
given back: true
there: 0
calls of del: 20
calls of evalsha: 40
calls of mget: 20
calls of set: 40
calls of time: 20
requests: 40
wrong password of the sentinels: RLock\ServerException, WRONGPASS
it is told: false
wrong password of the servers: RLock\ServerException, WRONGPASS
unknown name: Lock "key": Sentinel at ADDRESS does not know a master of the name "other"; Sentinel at ADDRESS does not know a master of the name "other"; Sentinel at ADDRESS does not know a master of the name "other"
