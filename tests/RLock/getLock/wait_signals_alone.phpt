--TEST--
A wait runs signal handlers at once and otherwise sleeps: alarms, signals in a row, a time limit, Ctrl-C
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

pcntl_async_signals(true);
$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$lock = new RLock($server->url());

$slept = getrusage()['ru_nvcsw'];
say('busy', $lock->getLock('key', wait: 3.0));
$slept = getrusage()['ru_nvcsw'] - $slept;
say('sleeps', $slept < 20 ? 'few' : $slept);

pcntl_signal(SIGALRM, function () { throw new DomainException('enough'); });
say_took('an alarm', seconds(fn () => say('thrown', outcome(function () use ($lock) {
    pcntl_alarm(1);
    return $lock->getLock('key', wait: 20.0);
}))), 0.5, 1.6);

/* Each is sent once the handler of the one before has run. */
$sender = Child::start('
    while (true) {
        $parent->hear();
        (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
        $parent->say(hrtime(true));
        send_signal($args["pid"], SIGUSR1);
    }
', ['pid' => getmypid(), 'socket' => $server->socket]);
$handled = [];
pcntl_signal(SIGUSR1, function () use (&$handled, $sender) {
    $handled[] = (hrtime(true) - $sender->hear()) / 1e9;
    count($handled) === 20 ? throw new DomainException('enough') : $sender->say('next');
});
$sender->say('first');
say('thrown', outcome(fn () => $lock->getLock('key', wait: 60.0)));
sort($handled);
say_took('the handler ran after', $handled[10], 0, 0.3);

$waiter = fn () => Child::start('
    $lock = new RLock($args["url"]);
    $parent->say("waits");
    ignore($lock->getLock("key", wait: INF));
', ['url' => $server->url()]);
foreach (['PROF', 'INT'] as $signal) {
    if ($signal === 'PROF' && PHP_ZTS) { // its time limit comes by no signal that others can send: tests/faults/C10_wall_time.phpt
        say($signal, 255);
        say('of time', true);
        continue;
    }
    $child = $waiter();
    $child->hear();
    $client->awaitBlocked(1);
    $child->signal($signal);
    say($signal, $child->wait());
    say('of time', str_contains($child->output(), 'Maximum execution time'));
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
}
?>
--EXPECT--
busy: false
sleeps: few
thrown: DomainException
an alarm: in time
thrown: DomainException
the handler ran after: in time
PROF: 255
of time: true
INT: signal 2
of time: false
