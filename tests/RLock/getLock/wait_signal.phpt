--TEST--
Signal handlers run within a wait; an exception that one throws ends it and leaves no lock behind
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

pcntl_async_signals(true);
$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key'));
$lock = new RLock($server->url());
$me = getmypid();
$child = Child::start('
    while (true) {
        $signal = $parent->hear();
        (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
        $parent->say(hrtime(true));
        send_signal($args["pid"], $signal);
    }
', ['pid' => $me, 'socket' => $server->socket]);

$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$handled) { $handled = hrtime(true); });
$child->say(SIGUSR1);
for ($tries = 20; $tries > 0 && $handled === 0; $tries--) { // a busy machine may send it too late for the first wait
    $result = $lock->getLock('key', wait: 1.5);
}
say('busy', $result);
say_took('the handler ran after', ($handled - $child->hear()) / 1e9, 0, 1);

pcntl_signal(SIGUSR1, function () { throw new DomainException('enough'); });
$child->say(SIGUSR1);
$start = microtime(true);
say('thrown', outcome(fn () => $lock->getLock('key', wait: 20.0)));
say_took('out after', microtime(true) - $start, 0, 5);
say_took('after the signal', (hrtime(true) - $child->hear()) / 1e9, 0, 1);
say('not held', $lock->lease('key'));
await('nobody parked', fn () => $client->info('blocked_clients') === 0, 3.0);
$holder->releaseLock('key');
say('the object works', $lock->getLock('key', wait: 10.0));
?>
--EXPECT--
busy: false
the handler ran after: in time
thrown: DomainException
out after: in time
after the signal: in time
not held: null
the object works: true
