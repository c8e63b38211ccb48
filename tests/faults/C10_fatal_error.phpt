--TEST--
C10: fatal error, memory_limit, max_execution_time: released at once, without destructors
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$ends = [
    'fatal error' => ['eval("class Incomplete implements Iterator {}");', 'Fatal error: Class Incomplete'],
    'E_USER_ERROR' => ['trigger_error("fatal", E_USER_ERROR);', 'Fatal error: fatal'],
    'memory_limit' => ['$eaten = []; while (true) { $eaten[] = str_repeat("x", 100000); }', 'Allowed memory size'],
    'max_execution_time' => ['set_time_limit(1); while (true);', 'Maximum execution time'],
];
foreach ($ends as $name => [$end, $message]) {
    $keys = [unique_key(), unique_key(), unique_key()];
    $child = Child::start('
        final class Holds { public function __construct(public $lock) {} public function __destruct() { echo "destructor ran"; } }
        $holds = new Holds(new RLock($args["url"]));
        $second = new RLock($args["url"], prefix: "second@");
        ignore($holds->lock->getLock($args["keys"][0], ttl: 300.0));
        ignore($holds->lock->getLock($args["keys"][1], ttl: 300.0));
        ignore($second->getLock($args["keys"][2], ttl: 300.0));
        $parent->say("held");
        $parent->hear();
        ' . $end, ['url' => shared_url(), 'keys' => $keys], '-d memory_limit=64M -d display_errors=1 -d html_errors=0 -d log_errors=0');
    $child->hear();
    $left = fn () => $client('EXISTS', lock_key($keys[0]), lock_key($keys[1]), "second@$keys[2]");
    say("$name, held", $left());
    $child->say('end');
    say('ended with', $child->wait(30.0));
    say('in that way', str_contains($child->output(), $message));
    say('destructors', str_contains($child->output(), 'destructor ran'));
    say('left', $left());
}
?>
--EXPECT--
fatal error, held: 3
ended with: 255
in that way: true
destructors: false
left: 0
E_USER_ERROR, held: 3
ended with: 255
in that way: true
destructors: false
left: 0
memory_limit, held: 3
ended with: 255
in that way: true
destructors: false
left: 0
max_execution_time, held: 3
ended with: 255
in that way: true
destructors: false
left: 0
