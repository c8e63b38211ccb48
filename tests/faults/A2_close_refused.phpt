--TEST--
A2: close() says that what the server refuses to give back stays taken, however the last refusal and the end of the timeout meet
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$taken = [
    'a lock' => fn (RLock $locks, string $key) => take_briefly($locks->getLock(...), $key, ttl: 60.0),
    'a share' => fn (RLock $locks, string $key) => take_briefly($locks->getSharedLock(...), $key, ttl: 60.0),
    'what nobody has polled' => function (RLock $locks, string $key) use ($client): RLock\Pending {
        $pending = $locks->requestLock($key, 60.0);
        await('the grant', fn () => $pending->poll() ?? $client('EXISTS', lock_key($key)));
        return $pending;
    },
];
foreach ($taken as $what => $take) {
    $told = [];
    for ($i = 0; $i < 15; $i++) {
        $key = unique_key();
        $locks = new RLock($server->url('timeout=' . 0.2 + $i / 1000));
        $pending = $take($locks, $key);
        $client('REPLICAOF', '127.0.0.1', '1');
        $pending = null;
        $outcome = outcome(fn () => $locks->close());
        $client('REPLICAOF', 'NO', 'ONE');
        /* A ServerException; or a ConnectionException, if there was no time for another refusal. */
        $told[($client('EXISTS', lock_key($key)) ? 'taken' : 'free') . ', ' . ($outcome === 'null' ? 'silent' : 'told')] = true;
    }
    say($what, array_keys($told));
}
?>
--EXPECT--
a lock: ["taken, told"]
a share: ["taken, told"]
what nobody has polled: ["taken, told"]
