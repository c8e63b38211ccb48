--TEST--
synchronized() whose callable calls exit() gives back, and what had become of the lock is an E_WARNING
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$log = tempnam(sys_get_temp_dir(), 'rlock-');
foreach (['in time' => 60.0, 'late' => 0.02] as $what => $ttl) {
    $key = unique_key();
    $child = Child::start('
        ini_set("log_errors", "1");
        ini_set("error_log", $args[3]);
        set_error_handler(fn () => throw new Error("not behind exit()"));
        (new RLock($args[0]))->synchronized($args[1], function () use ($args) {
            usleep($args[2] < 1.0 ? 50_000 : 0);
            exit(7);
        }, ttl: $args[2]);
    ', [shared_url(), $key, $ttl, $log]);
    say($what, [$child->wait(), $client('EXISTS', lock_key($key))]);
}
echo preg_replace('/^\[.*?\] /m', '', file_get_contents($log));
unlink($log);
?>
--EXPECTF--
in time: [7,0]
late: [7,0]
PHP Warning:  RLock: 1 of 1 locks had ended before they were given back at the end (0 lost, 1 timed out); the first: "%s" in %s on line %d
