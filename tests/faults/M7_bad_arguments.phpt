--TEST--
M7: every bad argument, of every method: ValueError or TypeError before any I/O
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(nowhere());
$tried = 0;
$refused = ['ValueError', 'TypeError', 'ArgumentCountError'];
$class = new ReflectionClass(RLock\Locker::class);
foreach ($class->getMethods() as $method) {
    $good = ['keys' => ['key'], 'key' => 'key', 'critical' => fn () => 1, 'token' => 'token', 'name' => 'name'];
    $arguments = [];
    foreach ($method->getParameters() as $parameter) {
        if (!$parameter->isOptional()) {
            $arguments[$parameter->getName()] = $good[$parameter->getName()];
        }
    }
    foreach ($method->getParameters() as $parameter) {
        $type = (string) $parameter->getType();
        $bad = match ($type) {
            'string' => $parameter->getName() === 'key' ? ['', [], new stdClass()] : [[], new stdClass()],
            '?string' => [[], new stdClass(), str_repeat('x', 65537)],
            'float' => [-1.0, NAN, -INF, 'text', []],
            '?float' => [0.0, -1.0, NAN, INF, 1.1e9, 'text', []],
            'int' => [...($parameter->getName() === 'policy' ? [17] : []), -1, 'text', 1.5e300, []],
            '?int' => [0, -1, 'text', 1.5e300, []],
            'array' => ['text', [''], [[]], [new stdClass()], 5],
            'callable' => ['no_such_function', 5, new stdClass()],
            'bool' => [[], new stdClass()],
        };
        foreach ($bad as $value) {
            $tried++;
            $result = outcome(fn () => $lock->{$method->getName()}(...[...$arguments, $parameter->getName() => $value]));
            if (!in_array($result, $refused, true)) {
                echo $method->getName(), '(', $parameter->getName(), ': ', json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR), "): $result\n";
            }
        }
    }
    if ($method->getNumberOfRequiredParameters() > 0) {
        $tried++;
        if (outcome(fn () => $lock->{$method->getName()}()) !== 'ArgumentCountError') {
            echo $method->getName(), "(): not refused\n";
        }
    }
}
say('enough tried', $tried > 60);
?>
--EXPECT--
enough tried: true
