--TEST--
holder(), handOver() and synchronized() where PHP's memory runs out: a fatal error, after which what is still held is given back
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$theirs = new RLock($server->url(), ttl: 600.0);
ignore($theirs->getLock('theirs', metadata: str_repeat('m', 65536)));
$calls = [
    '$lock->holder("theirs")',
    '$lock->synchronized("theirs", fn () => 1)',
    '$lock->handOver("mine")',
];
foreach ($calls as $call) {
    $child = Child::start('
        $lock = new RLock($args[0]);
        ignore($lock->getLock("mine", metadata: str_repeat("m", 65536)));
        /* Until the next 64 KiB need a chunk of their own. */
        $hog = [];
        $size = memory_get_usage(true);
        while (memory_get_usage(true) === $size) {
            $hog[] = str_repeat("x", 68000);
        }
        for ($i = 0; $i < 29; $i++) {
            $hog[] = str_repeat("x", 68000);
        }
        register_shutdown_function(function () use (&$hog, $parent) {
            $hog = null;
            $parent->say(error_get_last()["message"]);
        });
        ini_set("memory_limit", (string) (memory_get_usage(true) + 32768)); // what is smaller still fits
        try {
            ' . $call . ';
        } catch (RLock\NotAcquiredException) {
        }
    ', [$server->url()]);
    say($call, [preg_replace(['/ at \S+/', '/\d+/'], ['', 'N'], $child->hear()), $child->wait(), $client('EXISTS', 'lock@mine')]); // a debug build says where, too
}
?>
--EXPECT--
$lock->holder("theirs"): ["Allowed memory size of N bytes exhausted (tried to allocate N bytes)",255,0]
$lock->synchronized("theirs", fn () => 1): ["Allowed memory size of N bytes exhausted (tried to allocate N bytes)",255,0]
$lock->handOver("mine"): ["Allowed memory size of N bytes exhausted (tried to allocate N bytes)",255,1]
