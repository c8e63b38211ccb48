--TEST--
RetryStrategy can be implemented; Retry is final
--FILE--
<?php
require __DIR__ . '/../server.inc';

final class Mine implements RLock\RetryStrategy
{
    public function nextBackoff(int $attempt): ?float
    {
        return $attempt < 3 ? 0.1 : null;
    }
}
say('mine', array_map((new Mine())->nextBackoff(...), [1, 2, 3]));
$class = new ReflectionClass(RLock\Retry::class);
say('final', $class->isFinal());
say('a strategy', $class->implementsInterface(RLock\RetryStrategy::class));
say('new', outcome(fn () => new RLock\Retry()));
?>
--EXPECT--
mine: [0.1,0.1,null]
final: true
a strategy: true
new: Error
