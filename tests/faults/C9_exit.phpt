--TEST--
C9: exit and an uncaught exception: released at once
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$ends = [
    'exit' => 'exit(0);',
    'exit in a function' => '(function () { exit(7); })();',
    'exit in a destructor' => 'class D { public function __destruct() { exit(0); } } $d = new D(); unset($d);',
    'exit in a shutdown function' => 'register_shutdown_function(fn () => exit(0));',
    'die with a text' => 'die("text");',
    'uncaught exception' => 'throw new DomainException("uncaught");',
    'uncaught error' => 'undefined_function();',
    'the end of the script' => '',
];
foreach ($ends as $name => $end) {
    $key = unique_key();
    $child = Child::start('
        $lock = new RLock($args["url"]);
        ignore($lock->getLock($args["key"], ttl: 300.0));
        ignore($lock->getLock($args["key"], ttl: 300.0));
        $parent->say("held");
        $parent->hear();
        ' . $end, ['url' => shared_url(), 'key' => $key]);
    $child->hear();
    say("$name, held", $client('EXISTS', lock_key($key)));
    $child->say('end');
    say('ended with', $child->wait());
    say('left', $client('EXISTS', lock_key($key)));
}
?>
--EXPECT--
exit, held: 1
ended with: 0
left: 0
exit in a function, held: 1
ended with: 7
left: 0
exit in a destructor, held: 1
ended with: 0
left: 0
exit in a shutdown function, held: 1
ended with: 0
left: 0
die with a text, held: 1
ended with: 0
left: 0
uncaught exception, held: 1
ended with: 255
left: 0
uncaught error, held: 1
ended with: 255
left: 0
the end of the script, held: 1
ended with: 0
left: 0
