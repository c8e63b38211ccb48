--TEST--
C10: max_execution_time and memory_limit reached in a handler of a wait: what is held is released
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('busy', ttl: 60.0));
$child = Child::start('
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, function () { $eaten = []; while (true) { $eaten[] = str_repeat("x", 100000); } });
    $lock = new RLock($args["url"]);
    ignore($lock->getLock("held", ttl: 300.0));
    $parent->say("waits");
    ignore($lock->getLock("busy", wait: INF));
', ['url' => $server->url()], '-d memory_limit=64M');
$child->hear();
$client->awaitBlocked(1);
$child->signal(SIGUSR1);
say('ended with', $child->wait());
say('in that way', str_contains($child->output(), 'Allowed memory size'));
say('left', $client('EXISTS', 'lock@held'));
say('parked', $client->info('blocked_clients'));
say('unharmed', $holder->releaseLock('busy'));
say('free for the next', $holder->getLock('busy', wait: 5.0));
?>
--EXPECT--
ended with: 255
in that way: true
left: 0
parked: 0
unharmed: true
free for the next: true
