--TEST--
C12: a storm of signals while talking, waiting, connecting: deadlines hold
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$holder = new RLock($server->url());
ignore($holder->getLock('busy', ttl: 60.0));
pcntl_async_signals(true);
$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$handled) { $handled++; });
$storm = start_storm(3000);

$lock = new RLock($server->url());
$wrong = 0;
for ($i = 0; $i < 300; $i++) {
    $wrong += $lock->getLock('key') && $lock->isLocking('key') && $lock->releaseLock('key') ? 0 : 1;
}
say('wrong', $wrong);
say_took('wait', seconds(function () use ($lock) { say('busy', $lock->getLock('busy', wait: 1.2)); }), 1.2, 1.8);

$frozen = new RLock($proxy->url('timeout=0.5'));
answered(fn () => $frozen->holder('warm'));
$proxy->tell('deaf');
say_took('talking', seconds(function () use ($frozen) { say('deaf', outcome(fn () => $frozen->holder('key'))); }), 0.45, 1.1);
say_took('connecting', seconds(function () use ($proxy) {
    $fresh = new RLock($proxy->url('timeout=0.5&connect_timeout=0.4&persistent=0'));
    say('deaf', outcome(fn () => $fresh->holder('key')));
}), 0.35, 1.1);
end_storm($storm);
say('handlers ran', $handled > 10); // on a busy machine, one for many signals
?>
--EXPECT--
wrong: 0
busy: false
wait: in time
deaf: RLock\ConnectionException
talking: in time
deaf: RLock\ConnectionException
connecting: in time
handlers ran: true
