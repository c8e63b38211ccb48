--TEST--
holders() in a cluster: on all masters, while a slot moves, and after a master was replaced
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster(replicas: 1, arguments: TestCluster::REPLACING);
[$a, $b] = $cluster->masters;
$lock = new RLock($cluster->url('persistent=0&timeout=20'), ttl: 600.0);
$keys = array_map($cluster->keyOn(...), [0, 1, 2]);
sort($keys);
ignore($lock->getLocks($keys));
function names(RLock $lock): array
{
    $names = array_map(strval(...), array_keys($lock->holders()));
    sort($names, SORT_STRING);
    return $names;
}
say('all', names($lock) == $keys);
say('another object', names(new RLock($cluster->url('persistent=0'))) == $keys);

$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
$cluster->beginMove($slot, $a, $b);
say('a slot begins to move', names($lock) == $keys);
$cluster->moveKeys($slot, $a, $b);
say('its keys have moved', names($lock) == $keys);
$cluster->endMove($slot, $a, $b);
say('it has moved', names($lock) == $keys);

/* A dead master whose replica has not taken its place yet is an error: not all can be told. */
$short = new RLock($cluster->url('persistent=0&timeout=0.3'));
say('before', answered(fn () => names($short)) == $keys);
$cluster->replicas[1]->freeze();
$b->kill();
$outcome = outcome(fn () => $short->holders());
$errors = ['RLock\\ConnectionException', 'RLock\\ServerException, CLUSTERDOWN']; // as the others have noticed it by then, or not
say('a master is dead', in_array($outcome, $errors, true) ? 'an error' : $outcome);
$cluster->replicas[1]->thaw();
say('its replica has taken its place', names($lock) == $keys);
?>
--EXPECT--
all: true
another object: true
a slot begins to move: true
its keys have moved: true
it has moved: true
before: true
a master is dead: an error
its replica has taken its place: true
