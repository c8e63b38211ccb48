--TEST--
interrupt: where an argument is about to be passed, nothing is freed that is not there yet
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* The result of one call is an argument of the next: what was freed in vain would be there from a call before. */
$code = <<<'PHP'
    function joined(string $name, int|string $value): string
    {
        return $name . strtoupper(substr(var_export($value, true), 0, 60));
    }
    function passed(string $name, string|int ...$values): string
    {
        return implode(', ', array_map(fn ($value) => joined($name, substr(str_repeat($value, 3), 1)), array_values($values)));
    }
    $lock = new RLock(shared_url(), interrupt: true);
    $thrown = 0;
    for ($time = 0; $time < 100; $time++) {
        try {
            ignore($lock->getLock(unique_key(), ttl: 0.03));
            while (true) {
                passed(implode(array_reverse(str_split('text'))), joined('b', 0.5 . $time), str_repeat('long enough', 3));
            }
        } catch (RLock\RLockException $e) {
            $thrown += $e instanceof RLock\TimeoutException;
        }
    }
    say('thrown', $thrown > 50);
    PHP;
foreach (['as it is' => '', 'optimized' => with_optimizer()] as $name => $settings) {
    /* Of an exception between two instructions the engine does not free what the second one was given: without an extension, too. */
    $child = Child::start('no_leaks_told(); ' . $code, [], $settings);
    say($name, [$child->wait(60.0), trim($child->output())]);
}
?>
--EXPECT--
as it is: [0,"thrown: true"]
optimized: [0,"thrown: true"]
