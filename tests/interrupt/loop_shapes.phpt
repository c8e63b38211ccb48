--TEST--
interrupt: loops of many shapes, compiled or not, optimized or not, end
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Under the optimizer alone, too; tests/run --jit has it with the JIT. */
$optimized = Child::start('require $args["shapes"]; $parent->say("done");', ['shapes' => __DIR__ . '/shapes.inc'],
    '-d report_memleaks=0 ' . with_optimizer());
require __DIR__ . '/shapes.inc';
$optimized->hear(60.0);
say('optimized', trim($optimized->output()));
?>
--EXPECT--
shapes: 29
optimized: shapes: 29
