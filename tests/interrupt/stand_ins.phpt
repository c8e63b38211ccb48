--TEST--
interrupt: where a call is about to be passed on to __call(), the exception waits for what comes next
--FILE--
<?php
require __DIR__ . '/../server.inc';

final class Anything
{
    public function __call(string $name, array $arguments): mixed
    {
        return $arguments;
    }

    public static function __callStatic(string $name, array $arguments): mixed
    {
        return $arguments;
    }
}

/* Most interrupts come while these are compared, which is one instruction, and before the call. */
$list = fn (): array => array_map(fn (int $i): string => "$i.5", range(1, 100_000));
[$a, $b] = [$list(), $list()];
$object = new Anything();
$callable = [$object, 'called'];
$shapes = [
    'a method' => fn () => $object->called(new stdClass(), $a == $b),
    'a static method' => fn () => Anything::called(new stdClass(), $a == $b),
    'of an object that ends' => fn () => (new Anything())->called(new stdClass(), $a == $b),
    'one within another' => fn () => $object->outer($object->called(new stdClass(), $a == $b)),
    'a callable' => fn () => $callable(new stdClass(), $a == $b),
    'PHP calls it' => fn () => call_user_func($callable, new stdClass(), $a == $b),
    'arguments with names' => fn () => $object->called(first: new stdClass(), second: $a == $b),
    'no argument' => fn () => [$a == $b, $object->called()],
];

$lock = new RLock(shared_url(), ttl: 0.15, interrupt: true);
foreach ($shapes as $name => $shape) {
    $told = [];
    for ($time = 0; $time < 5; $time++) {
        take_briefly($lock->getLock(...), unique_key());
        try {
            while (true) {
                ignore($shape());
                usleep(2_000); // longer than until it is told again
            }
        } catch (RLock\TimeoutException $e) {
            $told[] = $e->getTrace()[0]['function'] ?? '';
        }
    }
    say($name, [count($told), in_array('called', $told, true)]);
}
?>
--EXPECT--
a method: [5,false]
a static method: [5,false]
of an object that ends: [5,false]
one within another: [5,false]
a callable: [5,false]
PHP calls it: [5,false]
arguments with names: [5,false]
no argument: [5,false]
