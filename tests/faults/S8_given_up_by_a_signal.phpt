--TEST--
S8: an exception of a signal handler ends a wait that was granted the lock and lacks replicas: it is free soon, without another call
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$child = Child::start('
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, fn () => throw new Exception("by a signal"));
    $lock = new RLock($args["url"], ttl: 60.0, replicas: 1);
    $parent->say("waits");
    try {
        ignore($lock->getLock("key", wait: INF));
    } catch (Exception $e) {
        $parent->say($e->getMessage());
    }
    $parent->hear(); /* nothing is done with it any more */
', ['url' => $server->url()]);
$child->hear();
$client->awaitBlocked(1);
$child_has_it = fn () => str_contains((string) $client('GET', lock_key('key')), ':' . $child->pid);
ignore($holder->releaseLock('key'));
await('it is granted', $child_has_it);
$child->signal(SIGUSR1);
say('thrown', $child->hear());
say('free soon', seconds(fn () => await('it is free', fn () => $client('EXISTS', lock_key('key')) === 0)) < 5.0);
$child->say('end');
$child->wait();
?>
--EXPECT--
thrown: by a signal
free soon: true
