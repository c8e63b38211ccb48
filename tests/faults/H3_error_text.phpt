--TEST--
H3: an error text with control characters, or very long, is cut and escaped in the message
--FILE--
<?php
require __DIR__ . '/../server.inc';

$listen = temporary_folder() . '/hostile.sock';
$child = Child::start('
    $server = stream_socket_server("unix://" . $args["listen"]);
    $parent->say("listens");
    while ($client = stream_socket_accept($server, 60)) {
        while (($bytes = fread($client, 65536)) !== "" && $bytes !== false) {
            $commands = preg_match_all("/^\*\d+\r$/m", $bytes);
            $answer = str_contains($bytes, "EVAL") ? $args["error"] : "+OK\r\n";
            @fwrite($client, str_repeat($answer, $commands));
        }
    }
', ['listen' => $listen, 'error' => "-OOPS \x1b[31m\x07 " . str_repeat('long ', 2000) . "\r\n"]);
$child->hear();
$lock = new RLock("unix://$listen?timeout=10&connect_timeout=10");
try {
    ignore($lock->getLock('key'));
} catch (RLock\ServerException $e) {
    say('error', $e->error);
    say('printable', preg_match('/[\x00-\x1f\x7f]/', $e->getMessage()) === 0);
    say_within('length', strlen($e->getMessage()), 20, 600);
}
?>
--EXPECT--
error: OOPS
printable: true
length: in time
