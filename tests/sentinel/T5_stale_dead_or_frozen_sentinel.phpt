--TEST--
T5: a sentinel that is dead, frozen, or names a former master: the master is found within the deadline
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
[$first, $second, $third] = $group->sentinels;

$try = function (string $what, array $sentinels, float $limit = 5.0) use ($group) {
    $lock = new RLock($group->url('persistent=0&connect_timeout=1', sentinels: $sentinels));
    $took = seconds(function () use ($lock, $what) {
        say($what, outcome(fn () => $lock->getLock('key') && $lock->releaseLock('key')));
    });
    say_took("$what, found", $took, 0.0, $limit);
};

/* It answers, but what it says is of the past: it was cut off before the failover. */
$first->freeze();
$group->failOver([$second, $third]);
$try('frozen', [$first, $second, $third]);
$try('two frozen', [$first, $first, $second]);
$first->thaw();
await('the first sentinel heard of it', fn () => (int) ($group->clientOf($first))(
    'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1] === $group->master->port);
$first->kill();
$try('dead', [$first, $second, $third]);

/* A name that no system looks for: its label is too long. */
$nobody = str_repeat('x', 70) . '.example';
$url = fn (string $hosts) => "sentinel://$hosts/" . SentinelGroup::NAME . '?persistent=0';
$lock = new RLock($url("$nobody,127.0.0.1:$second->port") . '&timeout=10&connect_timeout=10');
$took = seconds(function () use ($lock) { say('no such name', outcome(fn () => $lock->getLock('key') && $lock->releaseLock('key'))); });
say_took('no such name, found', $took, 0.0, 5.0);
$lock = new RLock($url("$nobody,$nobody") . '&timeout=0.9');
$took = seconds(function () use ($lock) { say('only such', outcome(fn () => $lock->getLock('key'))); });
say_took('only such, looked for until the deadline', $took, 0.6, 1.4);

/* One that was cut off names the former master for ever. A real one would hear of the new one from the servers. */
$stale = Child::start(<<<'PHP'
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $parent->say((int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1));
    while ($peer = stream_socket_accept($listener, 60)) {
        while (($line = fgets($peer)) !== false) {
            $answer = match (trim($line)) {
                'SETNAME', 'ID' => "+OK\r\n",
                'SENTINEL' => "*2\r\n$9\r\n127.0.0.1\r\n$" . strlen($args[0]) . "\r\n$args[0]\r\n",
                default => '',
            };
            fwrite($peer, $answer);
        }
    }
    PHP, [(string) $group->replica->port]);
$stale = (object) ['port' => $stale->hear(), 'child' => $stale];
$try('stale', [$stale, $second]);
$lock = new RLock($group->url('persistent=0&timeout=0.3', sentinels: [$stale]));
for ($tries = 20; $tries > 0; $tries--) { // on a busy machine the deadline may cut off its last look, and that is told
    try {
        ignore($lock->getLock('key'));
    } catch (RLock\ConnectionException $e) {
        if (!str_contains($e->getMessage(), 'no answer within the timeout')) {
            break;
        }
    }
}
say('only stale', preg_replace('/:\d+/', ':PORT', $e->getMessage()));
$lock = new RLock($group->url('persistent=0&timeout=0.3', sentinels: [$first]));
say('only dead', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
frozen: true
frozen, found: in time
two frozen: true
two frozen, found: in time
dead: true
dead, found: in time
no such name: true
no such name, found: in time
only such: RLock\ConnectionException
only such, looked for until the deadline: in time
stale: true
stale, found: in time
only stale: Lock "key": Redis at 127.0.0.1:PORT is not a master, though Sentinel names it; is a failover under way?
only dead: RLock\ConnectionException
