--TEST--
The JIT is on when tests/run --jit says so, and off otherwise
--FILE--
<?php
require __DIR__ . '/../server.inc';

$wanted = getenv('RLOCK_TEST_JIT') === 'yes';
$is_on = fn () => function_exists('opcache_get_status') && (opcache_get_status(false)['jit']['on'] ?? false);
say('as wanted', $is_on() === $wanted);
$child = Child::start('
    $parent->say(function_exists("opcache_get_status") && (opcache_get_status(false)["jit"]["on"] ?? false));
');
say('in a child too', $child->hear() === $wanted);
?>
--EXPECT--
as wanted: true
in a child too: true
