--TEST--
The exceptions: one base, causes told apart by class and property, none final
--FILE--
<?php
require __DIR__ . '/../server.inc';

foreach (['RLockException', 'TimeoutException', 'LostLockException', 'NotAcquiredException', 'ConnectionException', 'ServerException'] as $name) {
    $class = new ReflectionClass("RLock\\$name");
    $own = array_filter($class->getProperties(), fn ($p) => $p->class === $class->getName());
    say($name, $class->getParentClass()->getName() . ($class->isFinal() ? ', final' : ''));
    foreach ($own as $property) {
        echo '    ', $property->isReadOnly() ? 'readonly ' : '', $property->getType(), ' $', $property->getName(), "\n";
    }
}
?>
--EXPECT--
RLockException: Exception
    readonly ?string $key
TimeoutException: RLock\RLockException
    readonly float $lateBy
    readonly bool $held
    readonly mixed $result
LostLockException: RLock\TimeoutException
    readonly ?RLock\Holder $holder
NotAcquiredException: RLock\RLockException
    readonly ?RLock\Holder $holder
ConnectionException: RLock\RLockException
ServerException: RLock\RLockException
    readonly string $error
