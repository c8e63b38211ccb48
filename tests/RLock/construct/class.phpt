--TEST--
RLock is final, has no dynamic properties, and can be neither cloned nor serialized; defaults of floats are floats
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$class = new ReflectionClass(RLock::class);
say('final', $class->isFinal());
say('cloneable', $class->isCloneable());
say('policies', [RLock::POLICY_FAIL_FAST, RLock::POLICY_WAIT]);

$lock = new RLock(shared_url());
$key = unique_key();
say('take', $lock->getLock($key));
say('write', outcome(function () use ($lock) { $lock->note = 1; }));
say('reference', outcome(function () use ($lock) { $note = &$lock->note; }));
say('clone', outcome(fn () => clone $lock));
say('serialize', outcome(fn () => serialize($lock)));
say('unserialize', outcome(fn () => unserialize('O:5:"RLock":0:{}')));
say('without constructor', outcome(fn () => $class->newInstanceWithoutConstructor()));
say('still ours', $lock->isLocking($key));

$defaults = [];
foreach ([RLock::class, RLock\Locker::class, RLock\DetachedLock::class, RLock\Lease::class, RLock\TimeoutException::class] as $name) {
    foreach ((new ReflectionClass($name))->getMethods() as $method) {
        foreach ($method->getParameters() as $parameter) {
            if ((string) $parameter->getType() === 'float' && $parameter->isDefaultValueAvailable()) {
                $defaults[] = $parameter->getDefaultValue();
            }
        }
    }
}
say('defaults of floats', [count($defaults) > 10, array_values(array_unique(array_map(get_debug_type(...), $defaults)))]);
?>
--EXPECT--
final: true
cloneable: false
policies: [0,1]
take: true
write: Error
reference: Error
clone: Error
serialize: Exception
unserialize: Exception
without constructor: ReflectionException
still ours: true
defaults of floats: [true,["float"]]
