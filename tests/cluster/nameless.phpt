--TEST--
cluster://: nodes that are to be reached by a name and have none are told as such, and what to set
--SKIPIF--
<?php
preg_match('/v=(\d+)/', (string) shell_exec((getenv('RLOCK_REDIS_SERVER') ?: 'redis-server') . ' --version'), $version);
($version[1] ?? 0) >= 7 || die('skip nodes have no names before Redis 7.0');
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster(2);
[$one, $other] = $cluster->masters;
$key = $cluster->keyOn(0);
$moved = $cluster->keyOn(1);

/* On a busy machine the deadline may cut off the last try, and that is told. */
function advice(callable $call): string
{
    try {
        return text($call());
    } catch (RLock\RLockException $e) {
        if (str_contains($e->getMessage(), 'no answer within the timeout')) {
            return advice($call);
        }
        $told = str_contains($e->getMessage(), 'set cluster-announce-hostname on each node');
        return $e::class . ($told && !str_contains($e->getMessage(), '--cluster check') ? ', told' : ": {$e->getMessage()}");
    }
}

$known = new RLock($cluster->url('persistent=0&timeout=2', [$one]));
say('by number', $known->getLock($key) && $known->releaseLock($key));
foreach ($cluster->masters as $node) {
    $node->client()('CONFIG', 'SET', 'cluster-preferred-endpoint-type', 'hostname');
}
$lock = new RLock($cluster->url('persistent=0&timeout=2', [$one]));
say('none has a name', advice(fn () => $lock->getLock($key)));

/* Who knew the nodes before is sent to one without a name. */
$slot = TestCluster::slot("lock@$key");
$one->client()('FLUSHALL');
foreach ([$other, $one] as $node) {
    $node->client()('CLUSTER', 'SETSLOT', $slot, 'NODE', TestCluster::id($other));
}
say('sent to one', advice(fn () => $known->getLock($key)));

$one->client()('CONFIG', 'SET', 'cluster-announce-hostname', 'localhost');
$lock = new RLock($cluster->url('persistent=0&timeout=2', [$one]));
say('one has a name', $lock->getLock($cluster->keyOn(0)));
say('the other has none', advice(fn () => $lock->getLock($moved)));
ini_set('display_errors', '0'); /* what a deadline has cut off cannot be given back there */
?>
--EXPECT--
by number: true
none has a name: RLock\ConnectionException, told
sent to one: RLock\ServerException, told
one has a name: true
the other has none: RLock\ServerException, told
