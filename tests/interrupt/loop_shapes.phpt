--TEST--
interrupt: loops of many shapes, compiled or not, optimized or not, end
--FILE--
<?php
require __DIR__ . '/../server.inc';

no_leaks_told();
/* Under the optimizer alone, too; tests/run --jit has it with the JIT. */
$optimized = Child::start('no_leaks_told(); require $args["shapes"]; $parent->say("done");', ['shapes' => __DIR__ . '/shapes.inc'],
    with_optimizer());
require __DIR__ . '/shapes.inc';
$optimized->hear(60.0);
say('optimized', trim($optimized->output()));
?>
--EXPECT--
shapes: 29
optimized: shapes: 29
