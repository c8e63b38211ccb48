--TEST--
interrupt: where a string is about to be made of parts, no part is freed that is not there yet
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Many hold the string: one reference that is taken from it wrongly does no harm, but shows. */
$code = <<<'PHP'
    $client = shared_client();
    $lock = new RLock(shared_url(), ttl: 0.3, autoRenew: true, interrupt: true);
    $text = str_repeat('a', 20);
    $held = array_fill(0, 100, $text);
    $references = function () use (&$text): int {
        ob_start();
        debug_zval_dump($text);
        preg_match('/refcount\((\d+)\)/', ob_get_clean(), $match);
        return (int) $match[1];
    };
    $loop = function () use (&$text) {
        $part = $text;
        $number = 12345;
        while (true) {
            $whole = "$part-$number";
        }
    };
    $before = $references();
    for ($time = 0; $time < 10; $time++) {
        take_briefly($lock->getLock(...), $key = unique_key());
        $outcome = outcome(function () use ($client, $key, $loop) {
            $client->send('DEL', lock_key($key));
            $loop();
        });
        if (!str_starts_with($outcome, 'RLock\\')) {
            say("time $time", $outcome);
        }
    }
    say('references', $references() - $before);
    PHP;
$optimized = Child::start($code . '; $parent->say("done");', [],
    with_optimizer());
eval($code);
$optimized->hear();
say('optimized', trim($optimized->output()));
?>
--EXPECT--
references: 0
optimized: references: 0
