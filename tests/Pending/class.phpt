--TEST--
Pending: an interface; requestLock() makes the only one of the extension's, which has no properties
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$lock = new RLock(shared_url());
$pending = $lock->requestLock(key: unique_key(), wait: 5.0, ttl: 60.0, metadata: 'note', shared: false, limit: null);
$interface = new ReflectionClass(RLock\Pending::class);
say('interface', [$interface->isInterface(), $pending instanceof RLock\Pending, count($interface->getMethods())]);
$class = new ReflectionClass($pending);
say('final, internal', [$class->isFinal(), $class->isInternal()]);
say('properties', [$class->getProperties(), get_object_vars($pending), isset($pending->key)]);
say('new', outcome(fn () => new ($class->name)()));
say('new by reflection', outcome(fn () => $class->newInstanceWithoutConstructor()));
say('write', outcome(function () use ($pending) { $pending->key = 'other'; }));
say('clone', outcome(fn () => clone $pending));
say('serialize', outcome(fn () => serialize($pending)));
say('unserialize', outcome(fn () => unserialize(sprintf('O:%d:"%s":0:{}', strlen($class->name), $class->name))));
say('equal', [$pending == $pending, $pending == $lock->requestLock(unique_key())]);
foreach (['key', 'stream', 'poll', 'cancel'] as $method) {
    say("$method, too many", outcome(fn () => $pending->$method(1)));
}
say('in the interface Locker', (new ReflectionMethod(RLock\Locker::class, 'requestLock'))->getReturnType()->getName());

/* A circle is collected, with the RLock. */
final class Holding implements RLock\RetryStrategy
{
    public mixed $pending;

    public function nextBackoff(int $attempt): ?float
    {
        return null;
    }
}
$retry = new Holding();
$retry->pending = (new RLock(shared_url(), retry: $retry))->requestLock(unique_key());
$weak = WeakReference::create($retry->pending);
unset($retry);
gc_collect_cycles();
say('collected', $weak->get() === null);
?>
--EXPECT--
interface: [true,true,4]
final, internal: [true,true]
properties: [[],[],false]
new: Error
new by reflection: ReflectionException
write: Error
clone: Error
serialize: Exception
unserialize: Exception
equal: [true,false]
key, too many: ArgumentCountError
stream, too many: ArgumentCountError
poll, too many: ArgumentCountError
cancel, too many: ArgumentCountError
in the interface Locker: RLock\Pending
collected: true
