--TEST--
While getLocks() waits for a later key the leases of the earlier ones do not run out, and no longer one is shortened
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());
$lock = new RLock($server->url());
ignore($other->getLock('c', ttl: 60.0));
ignore($lock->getLock('b', ttl: 60.0));
$child = Child::start('
    $client = new RawClient("unix://" . $args["socket"]);
    $client->awaitBlocked(1);
    $owner = $client("GET", "lock@a");
    $changes = 0;
    $shortest = 60000;
    for ($end = microtime(true) + 2.8; microtime(true) < $end; usleep(5000)) {
        $changes += $client("GET", "lock@a") !== $owner;
        $shortest = min($shortest, $client("PTTL", "lock@b"));
    }
    $parent->say([$changes, $shortest > 55000, $client->info("blocked_clients")]);
    $parent->hear();
    send_signal($args["pid"], SIGUSR1);
    $parent->hear();
', ['socket' => $server->socket, 'pid' => getmypid()]);
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use ($other) { $other->releaseLock('c'); });
$heard = null;
pcntl_signal(SIGALRM, function () use ($child, &$heard) {
    if ($child->silent(0.0)) {
        pcntl_alarm(1);
        return;
    }
    $heard = $child->hear();
    $child->say('free it');
});
pcntl_alarm(1);
say('all', $lock->getLocks(['c', 'b', 'a'], wait: 20.0, ttl: 2.4));
$left = $lock->lease('a')->ttl;
say('meanwhile a changed, b stayed long, it stayed in the queue', $heard);
say_within('a has a whole lease, as c has', $left - $lock->lease('c')->ttl, -0.3, 1.2);
say('all ours', [$lock->isLocking('a'), $lock->isLocking('b'), $lock->isLocking('c')]);
say('depths', [$lock->lease('a')->depth, $lock->lease('b')->depth, $lock->lease('c')->depth]);
say_within('b', $lock->ttl('b'), 40, 60);
?>
--EXPECT--
all: true
meanwhile a changed, b stayed long, it stayed in the queue: [0,true,1]
a has a whole lease, as c has: in time
all ours: [true,true,true]
depths: [1,2,1]
b: in time
