--TEST--
The exceptions: one base, causes told apart by class and property, none final
--FILE--
<?php
require __DIR__ . '/../server.inc';

foreach (['RLockException', 'TimeoutException', 'LostLockException', 'NotAcquiredException', 'ConnectionException', 'ServerException'] as $name) {
    $class = new ReflectionClass("RLock\\$name");
    $own = array_filter($class->getProperties(), fn ($p) => str_starts_with($p->class, 'RLock'));
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
    readonly ?string $key
LostLockException: RLock\TimeoutException
    readonly ?RLock\Holder $holder
    readonly float $lateBy
    readonly bool $held
    readonly ?string $key
NotAcquiredException: RLock\RLockException
    readonly ?RLock\Holder $holder
    readonly ?string $key
ConnectionException: RLock\RLockException
    readonly ?string $key
ServerException: RLock\RLockException
    readonly string $error
    readonly ?string $key
