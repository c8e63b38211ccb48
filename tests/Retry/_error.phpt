--TEST--
Strategies refuse times that nobody can wait
--FILE--
<?php
require __DIR__ . '/../server.inc';

use RLock\Retry;

$calls = [
    'linear -1' => fn () => Retry::linear(-1.0),
    'linear NAN' => fn () => Retry::linear(NAN),
    'linear INF' => fn () => Retry::linear(INF),
    'exponential -1' => fn () => Retry::exponential(-1.0, 1.0),
    'exponential NAN' => fn () => Retry::exponential(NAN, 1.0),
    'exponential to NAN' => fn () => Retry::exponential(0.1, NAN),
    'exponential to INF' => fn () => Retry::exponential(0.1, INF),
    'exponential to -1' => fn () => Retry::exponential(0.1, -1.0),
    'limit -1' => fn () => Retry::none()->limit(-1),
    'text' => fn () => Retry::linear('long'),
    'nothing' => fn () => Retry::exponential(1.0),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
?>
--EXPECT--
linear -1: ValueError
linear NAN: ValueError
linear INF: ValueError
exponential -1: ValueError
exponential NAN: ValueError
exponential to NAN: ValueError
exponential to INF: ValueError
exponential to -1: ValueError
limit -1: ValueError
text: TypeError
nothing: ArgumentCountError
