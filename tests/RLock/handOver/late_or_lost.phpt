--TEST--
handOver() of a lock that is no longer ours throws as releaseLock() would
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());

take_briefly($lock->getLock(...), 'late', ttl: 0.5);
await('expiry', fn () => !$client('EXISTS', 'lock@late'));
say('late', outcome(fn () => $lock->handOver('late')));
take_briefly($lock->getLock(...), 'taken', ttl: 0.5);
say('other', $other->getLock('taken', wait: 5.0));
say('late, and taken', outcome(fn () => $lock->handOver('taken')));
ignore($lock->getLock('lost', ttl: 60.0));
$client('DEL', 'lock@lost');
say('lost', outcome(fn () => $lock->handOver('lost', 5.0)));
say('no longer ours', array_map($lock->lease(...), ['late', 'taken', 'lost']));
say("the other's is unharmed", $other->releaseLock('taken'));

echo "its reply is lost:\n";
$proxy = new Proxy($server->socket);
foreach (['lose-reply', 'lose-request'] as $harm) {
    $through = new RLock($proxy->url('timeout=2'));
    ignore($through->getLock($harm, ttl: 60.0));
    $proxy->tell("$harm 1");
    $token = $through->handOver($harm);
    say($harm, [substr($proxy->tell('lost'), 0, 9), $other->adopt($harm, $token), $other->releaseLock($harm)]);
}

echo "nobody answers:\n";
$frozen = new RLock($server->url('timeout=0.4'));
take_briefly($frozen->getLock(...), 'frozen', ttl: 60.0);
$server->freeze();
say('frozen', outcome(fn () => $frozen->handOver('frozen')));
$server->thaw();
say('not held, and free at the next contact', [$frozen->lease('frozen'), answered(fn () => $frozen->holder('frozen'))]);
?>
--EXPECT--
late: RLock\TimeoutException, held false, late
other: true
late, and taken: RLock\LostLockException, held false
lost: RLock\LostLockException, held false
no longer ours: [null,null,null]
the other's is unharmed: true
its reply is lost:
lose-reply: ["lost EVAL",true,true]
lose-request: ["lost EVAL",true,true]
nobody answers:
frozen: RLock\ConnectionException
not held, and free at the next contact: [null,null]
