--TEST--
holders() tells who holds what: all locks of the prefix, those that match, and at most so many
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$prefix = unique_key() . ':[*]?\\:'; // a prefix is no glob
$lock = new RLock(shared_url(), $prefix);
$other = new RLock(shared_url(), $prefix);
say('none', $lock->holders());
ignore($lock->getLock('mail', ttl: 60.0, metadata: 'note'));
ignore($other->getLock('order:1'));
ignore($other->getLock('order:22'));
ignore($other->getLock('17'));
ignore($other->getLock('ended'));
$other->releaseLock('ended');
ignore((new RLock(shared_url(), unique_key()))->getLock('elsewhere'));
$client('SET', "{$prefix}foreign", 'what', 'PX', 60000);
$client('RPUSH', "{$prefix}list", 'what');

function names(array $holders): array
{
    $names = array_keys($holders);
    sort($names, SORT_STRING);
    return $names;
}
$holders = $lock->holders();
say('all', names($holders));
say('a number is an int', isset($holders['17']) && $holders[17]->key === '17');
foreach ($holders as $name => $holder) {
    assert($holder->key === (string) $name);
}
$alone = $lock->holder('mail');
say('as holder() tells', [$holders['mail']->owner === $alone->owner, $holders['mail']->fence === $alone->fence,
    $holders['mail']->metadata, $holders['mail']->contended]);
say_within('ttl', $holders['mail']->ttl, 50, 60);
say('foreign', [$holders['foreign']->owner, $holders['foreign']->fence, $holders['list']->owner, $holders['list']->ttl]);

say('orders', names($lock->holders('order:*')));
say('one letter', names($lock->holders('order:?')));
say('a set', names($lock->holders('[mo]*[l2]')));
say('as it is', names($lock->holders('order\\:1')));
say('nothing', names($lock->holders('')));
say('limit', [count($lock->holders(limit: 3)), count($lock->holders('order:*', 1)), count($lock->holders(limit: PHP_INT_MAX))]);
ob_start();
var_dump($holders);
say('no token is told', !str_contains(ob_get_clean(), secret($lock->lease('mail')->token)));
$client('DEL', "{$prefix}foreign", "{$prefix}list");
$lock->close();
say('closed', outcome(fn () => $lock->holders()));
?>
--EXPECT--
none: []
all: [17,"foreign","list","mail","order:1","order:22"]
a number is an int: true
as holder() tells: [true,true,"note",false]
ttl: in time
foreign: ["",null,"",null]
orders: ["order:1","order:22"]
one letter: ["order:1"]
a set: ["mail","order:22"]
as it is: ["order:1"]
nothing: []
limit: [3,1,6]
no token is told: true
closed: RLock\RLockException
