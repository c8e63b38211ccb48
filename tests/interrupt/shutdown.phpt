--TEST--
interrupt: an uncaught one ends the script; nothing is thrown in shutdown functions and destructors at the end
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$code = '
    $lock = new RLock($args["url"], ttl: 2.0, autoRenew: true, interrupt: true);
    $second = new RLock($args["url"], ttl: 2.0, autoRenew: true, interrupt: true);
    function spin(float $seconds) { for ($end = microtime(true) + $seconds; microtime(true) < $end;) { } }
    final class Late { public function __destruct() { spin(0.3); echo "destructor done\n"; } }
    $GLOBALS["late"] = new Late();
    register_shutdown_function(function () use ($second, $args) {
        try {
            spin(0.9);
            echo "shutdown function done\n";
            echo outcome(fn () => $second->check($args["keys"][1])), "\n";
        } finally {
            echo "end of it\n";
        }
    });
    take_briefly($lock->getLock(...), $args["keys"][0]);
    take_briefly($second->getLock(...), $args["keys"][1]);
    $parent->say("held");
    $parent->hear();
    ';
foreach (['uncaught' => 'while (true) { }', 'exit' => 'exit(3);'] as $name => $end) {
    $keys = [unique_key(), unique_key()];
    $child = Child::start($code . $end, ['url' => shared_url(), 'keys' => $keys], '-d display_errors=1 -d html_errors=0 -d log_errors=0');
    $child->hear();
    $name === 'exit' || $client('DEL', lock_key($keys[0]));
    $child->say('go on');
    if ($name === 'exit') {
        $client('DEL', lock_key($keys[1]));
    }
    say("$name, ended with", $child->wait());
    $output = $child->output();
    say('Uncaught', str_contains($output, 'Uncaught RLock\LostLockException'));
    foreach (['shutdown function done', 'end of it', 'destructor done'] as $line) {
        say($line, substr_count($output, $line));
    }
    say('left', $client('EXISTS', lock_key($keys[0]), lock_key($keys[1])));
}
?>
--EXPECT--
uncaught, ended with: 255
Uncaught: true
shutdown function done: 1
end of it: 1
destructor done: 1
left: 0
exit, ended with: 3
Uncaught: false
shutdown function done: 1
end of it: 1
destructor done: 1
left: 0
