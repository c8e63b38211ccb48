--TEST--
sharers() where PHP's memory runs out: a fatal error, after which the locks are given back
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$locks = array_map(fn () => new RLock($server->url()), range(1, 100));
foreach ($locks as $lock) {
    ignore($lock->getSharedLock('key', ttl: 60.0, metadata: str_repeat('m', 60000)));
}
$child = Child::start('
    $lock = new RLock($args[0]);
    ignore($lock->getLock("mail"));
    ini_set("memory_limit", "5M");
    register_shutdown_function(fn () => $parent->say(error_get_last()["message"]));
    $lock->sharers("key");
', [$server->url()]);
say('fatal', preg_replace(['/ at \S+:\d+/', '/\d+/'], ['', 'N'], $child->hear())); // a debug build says where
say('exit status', $child->wait());
say('given back', $client('EXISTS', 'lock@mail'));
say('all', count($locks[0]->sharers('key')));
?>
--EXPECT--
fatal: Allowed memory size of N bytes exhausted (tried to allocate N bytes)
exit status: 255
given back: 0
all: 100
