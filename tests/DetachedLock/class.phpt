--TEST--
DetachedLock: an interface; detached() makes the only one of the extension's, which has no properties and shows the name nowhere
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(nowhere());
$detached = $lock->detached(key: 'a key', name: "secret\0name");
say('key', $detached->key());
$interface = new ReflectionClass(RLock\DetachedLock::class);
say('interface', [$interface->isInterface(), $detached instanceof RLock\DetachedLock, count($interface->getMethods())]);
$class = new ReflectionClass($detached);
say('final, internal', [$class->isFinal(), $class->isInternal()]);
say('properties', [$class->getProperties(), get_object_vars($detached), isset($detached->key), isset($detached->name)]);
say('new', outcome(fn () => new ($class->name)()));
say('new by reflection', outcome(fn () => $class->newInstanceWithoutConstructor()));
say('write', outcome(function () use ($detached) { $detached->key = 'other'; }));
say('reference', outcome(function () use ($detached) { $note = &$detached->note; }));
say('clone', outcome(fn () => clone $detached));
say('serialize', outcome(fn () => serialize($detached)));
say('unserialize', outcome(fn () => unserialize(sprintf('O:%d:"%s":0:{}', strlen($class->name), $class->name))));
say('key, too many', outcome(fn () => $detached->key(1)));

ob_start();
var_dump($detached);
debug_zval_dump($detached);
print_r($detached);
var_export($detached);
print_r((array) $detached);
echo json_encode($detached);
say('printing shows the name', str_contains(ob_get_clean(), 'secret'));

ini_set('zend.exception_ignore_args', '0');
ini_set('zend.exception_string_param_max_len', '1000');
$calls = [
    'bad key' => fn () => $lock->detached('', 'secret'),
    'bad name' => fn () => $lock->detached('key', str_repeat('secret', 100)),
    'bad argument' => fn () => $detached->getLock(wait: -1.0),
    'no server' => fn () => $detached->getLock(),
    'closed' => fn () => [$lock->close(), $detached->isLocking()],
    'closed, detached' => fn () => $lock->detached('key', 'secret'),
];
foreach ($calls as $name => $call) {
    try {
        $call();
    } catch (Throwable $e) {
        say("$name: shown", str_contains($e->getMessage() . print_r($e->getTrace(), true) . $e, 'secret'));
    }
}

$lock = new RLock(nowhere());
$detached = $lock->detached('a key', 'name');
say('equal to itself, to another', [$detached == $detached, $detached == $lock->detached('a key', 'name'), $detached == new stdClass()]);

/* A circle is collected, with the RLock. */
final class Holding implements RLock\RetryStrategy
{
    public mixed $detached;

    public function nextBackoff(int $attempt): ?float
    {
        return null;
    }
}
$retry = new Holding();
$retry->detached = (new RLock(nowhere(), retry: $retry))->detached('key', 'name');
$weak = WeakReference::create($retry->detached);
unset($retry);
gc_collect_cycles();
say('collected', $weak->get() === null);
?>
--EXPECT--
key: a key
interface: [true,true,9]
final, internal: [true,true]
properties: [[],[],false,false]
new: Error
new by reflection: ReflectionException
write: Error
reference: Error
clone: Error
serialize: Exception
unserialize: Exception
key, too many: ArgumentCountError
printing shows the name: false
bad key: shown: false
bad name: shown: false
bad argument: shown: false
no server: shown: false
closed: shown: false
closed, detached: shown: false
equal to itself, to another: [true,false,false]
collected: true
