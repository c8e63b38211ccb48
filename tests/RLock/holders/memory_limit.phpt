--TEST--
holders() where PHP's memory runs out: a fatal error, after which the locks are given back
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('EVAL', 'for i = 1, 600 do redis.call("SET", "lock@n" .. i, "rlock1:" .. string.rep("0", 32) .. ":host:1:" .. string.rep("m", 60000)) end', 0);
$child = Child::start('
    $lock = new RLock($args[0]);
    ignore($lock->getLock("mail"));
    ini_set("memory_limit", "8M");
    register_shutdown_function(fn () => $parent->say(error_get_last()["message"]));
    $lock->holders();
', [$server->url()]);
say('fatal', preg_replace(['/ at \S+/', '/\d+/'], ['', 'N'], $child->hear())); // a debug build says where, too
say('exit status', $child->wait());
say('given back', $client('EXISTS', 'lock@mail'));
?>
--EXPECT--
fatal: Allowed memory size of N bytes exhausted (tried to allocate N bytes)
exit status: 255
given back: 0
