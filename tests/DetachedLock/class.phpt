--TEST--
DetachedLock: only from detached(); readonly; no clone, not serializable; what prints it hides the owner's name
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(nowhere());
$detached = $lock->detached('a key', "secret\0name");
say('fields', [$detached->key, $detached->owner === "secret\0name"]);
$class = new ReflectionClass($detached);
say('final', $class->isFinal());
foreach ($class->getProperties() as $property) {
    if (!$property->isReadOnly() || !$property->isPublic()) {
        echo $property->getName(), " is not public and readonly\n";
    }
}
say('new', outcome(fn () => new RLock\DetachedLock()));
say('new by reflection', outcome(fn () => $class->newInstanceWithoutConstructor()));
say('write', outcome(function () use ($detached) { $detached->key = 'other'; }));
say('add', outcome(function () use ($detached) { $detached->note = 3; }));
say('clone', outcome(fn () => clone $detached));
say('serialize', outcome(fn () => serialize($detached)));
say('unserialize', outcome(fn () => unserialize('O:18:"RLock\DetachedLock":0:{}')));

ob_start();
var_dump($detached);
print_r($detached);
var_export($detached);
print_r((array) $detached);
echo json_encode($detached);
$dump = ob_get_clean();
say('printing shows the key', substr_count($dump, 'a key'));
say('and the name', str_contains($dump, 'secret'));

try {
    $lock->detached('', 'secret');
} catch (ValueError $e) {
    say('a trace shows it', str_contains(print_r($e->getTrace(), true), 'secret'));
}

say('equal', $detached == $lock->detached('a key', "secret\0name"));
say('another key', $detached == $lock->detached('b', "secret\0name"));
say('another name', $detached == $lock->detached('a key', 'other'));
say('another RLock', $detached == (new RLock(nowhere()))->detached('a key', "secret\0name"));

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
fields: ["a key",true]
final: true
new: Error
new by reflection: ReflectionException
write: Error
add: Error
clone: Error
serialize: Exception
unserialize: Exception
printing shows the key: 5
and the name: false
a trace shows it: false
equal: true
another key: false
another name: false
another RLock: false
collected: true
