--TEST--
Pending: no step stands still, whatever the server does
--FILE--
<?php
require __DIR__ . '/../pending.inc';

/* The longest of many steps, of which a busy machine may make one take longer: the best of ten rounds. */
function longest_step(callable $begin): float
{
    $best = INF;
    for ($round = 0; $round < 10 && $best >= 0.005; $round++) {
        $longest = 0.0;
        $pending = null;
        $step = function (callable $call) use (&$longest) {
            $longest = max($longest, seconds($call));
        };
        $step(function () use ($begin, &$pending) { $pending = $begin(); });
        $end = microtime(true) + 0.7;
        $over = false;
        while (!$over && microtime(true) < $end) {
            watch([$pending], 0.05);
            $step(function () use ($pending, &$over) {
                try {
                    $over = $pending->poll() !== null;
                } catch (RLock\ConnectionException) {
                    $over = true;
                }
            });
        }
        $step(fn () => $pending->cancel());
        $step(function () use (&$pending) { $pending = null; });
        $best = min($best, $longest);
    }
    return $best;
}

$patience = 'timeout=0.3&connect_timeout=0.3';

/* Frozen while it is idle, and while one is parked. */
$server = TestServer::start();
$lock = new RLock($server->url($patience));
$other = new RLock($server->url());
ignore($other->getLock('key', ttl: 60.0));
decide($lock->requestLock('warm'));
ignore($lock->getSharedLock('shared', ttl: 60.0), $lock->getLock('held', ttl: 60.0));
$parked = $lock->requestLock('key');
park($server->client(), 1, $parked);
$server->freeze();
say_within('frozen', longest_step(fn () => $lock->requestLock('another')), 0.0, 0.005);
say_within('frozen, no connection', longest_step(fn () => (new RLock($server->url("$patience&persistent=0")))->requestLock('key')), 0.0, 0.005);
say_within('frozen, parked', longest_step(fn () => $parked), 0.0, 0.005);
say_within('frozen, a level deeper', longest_step(fn () => $lock->requestLock('held')), 0.0, 0.005);
ignore(outcome(fn () => $lock->prolongate('held', 30.0)));
say_within('frozen, what is in doubt', longest_step(fn () => $lock->requestLock('held')), 0.0, 0.005);
say_within('frozen, a share', longest_step(fn () => $lock->requestLock('shared')), 0.0, 0.005);
$server->thaw();

/* Frozen in the middle of it, and let go of. */
$client = $server->client();
$all = [];
for ($i = 0; $i < 20; $i++) {
    $all[] = $lock->requestLock("many $i");
}
decide_all($all);
$server->freeze();
$pending = array_map(fn ($i) => $lock->requestLock("more $i"), range(0, 19));
say_within('many let go of', seconds(function () use (&$pending) { $pending = null; }), 0.0, 0.2);
$server->thaw();
say('none of them stays', await('none is held', fn () => $client('EXISTS', ...array_map(fn ($i) => lock_key("more $i"), range(0, 19))) === 0));

/* Its backlog is full: connections are neither taken nor refused. */
$socket = temporary_folder() . '/full';
$listener = stream_socket_server("unix://$socket", context: stream_context_create(['socket' => ['backlog' => 1]]));
$waiting = [];
for ($i = 0; $i < 10; $i++) {
    $waiting[] = @stream_socket_client("unix://$socket", timeout: 0.0, flags: STREAM_CLIENT_ASYNC_CONNECT);
}
say_within('full', longest_step(fn () => (new RLock("unix://$socket?$patience"))->requestLock('key')), 0.0, 0.005);

/* It takes connections, and says nothing. */
$silent = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($silent, false);
say_within('silent', longest_step(fn () => (new RLock("redis://$address?$patience"))->requestLock('key')), 0.0, 0.005);

/* And the deadline is a call's, whatever `wait` says. */
$server->freeze();
$pending = $lock->requestLock('yet another');
say_took('a call has its deadline', seconds(fn () => say('frozen', outcome(fn () => decide($pending)))), 0.2, 0.5);
$server->thaw();
?>
--EXPECT--
frozen: in time
frozen, no connection: in time
frozen, parked: in time
frozen, a level deeper: in time
frozen, what is in doubt: in time
frozen, a share: in time
many let go of: in time
none of them stays: true
full: in time
silent: in time
frozen: RLock\ConnectionException
a call has its deadline: in time
