--TEST--
C9, C10: exit, exceptions, fatal errors, memory_limit and max_execution_time with a live renewal thread
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$ends = [
    'the end' => ['', 0, ''],
    'exit' => ['exit(7);', 7, ''],
    'exit in a function' => ['(function () { exit(8); })();', 8, ''],
    'an uncaught exception' => ['throw new DomainException("gone");', 255, 'Uncaught DomainException'],
    'a fatal error' => ['eval("class Incomplete implements Iterator {}");', 255, 'Fatal error: Class Incomplete'],
    'memory_limit' => ['$eaten = []; while (true) { $eaten[] = str_repeat("x", 100000); }', 255, 'Allowed memory size'],
    'max_execution_time' => ['set_time_limit(1); while (true);', 255, 'Maximum execution time'],
    'a lost lock, and max_execution_time' => ['
        shared_client()("DEL", lock_key($args["keys"][0]));
        set_time_limit(2);
        try { while (true); } catch (RLock\LostLockException $e) { echo "told first\n"; }
        while (true);', 255, 'told first'],
    'SIGTERM' => ['send_signal(getmypid(), "TERM"); sleep(10);', 'signal 15', ''],
];
foreach ($ends as $name => [$code, $status, $message]) {
    $keys = [unique_key(), unique_key()];
    $child = Child::start('
        $lock = new RLock($args["url"], ttl: 2.2, autoRenew: true, interrupt: true);
        ignore($lock->getLocks($args["keys"]));
        $parent->say(threads());
        $parent->hear();
        ' . $code, ['url' => shared_url(), 'keys' => $keys],
        '-d memory_limit=64M -d display_errors=1 -d html_errors=0 -d log_errors=0');
    say("$name, threads", $child->hear());
    $child->say('go on');
    $end = $child->wait(30.0);
    say('ended', [$end === $status ? true : $end, $message === '' || str_contains($child->output(), $message) ? true : $child->output()]);
    if ($name === 'SIGTERM') {
        await('end of the leases', fn () => $client('EXISTS', ...array_map(lock_key(...), $keys)) === 0);
    }
    say('left', $client('EXISTS', ...array_map(lock_key(...), $keys)));
}
?>
--EXPECT--
the end, threads: 2
ended: [true,true]
left: 0
exit, threads: 2
ended: [true,true]
left: 0
exit in a function, threads: 2
ended: [true,true]
left: 0
an uncaught exception, threads: 2
ended: [true,true]
left: 0
a fatal error, threads: 2
ended: [true,true]
left: 0
memory_limit, threads: 2
ended: [true,true]
left: 0
max_execution_time, threads: 2
ended: [true,true]
left: 0
a lost lock, and max_execution_time, threads: 2
ended: [true,true]
left: 0
SIGTERM, threads: 2
ended: [true,true]
left: 0
