--TEST--
S2: a busy script: retried within the deadline, then ServerException BUSY
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start(['--lua-time-limit', '50']);
$client = $server->client();
$lock = new RLock($server->url('timeout=2'));
$patient = new RLock($server->url('timeout=10'));
$held = new RLock($server->url('timeout=2'));
take_briefly($held->getLock(...), 'held', ttl: 60.0);
ignore($patient->getLock('warm'));

$busy = function (string $with = 'while true do end', int &$probes = 0) use ($server) {
    $script = new RawClient("unix://$server->socket");
    $script->send('EVAL', $with, 0);
    $probe = $server->client();
    await('a busy server', function () use ($probe, &$probes) {
        try {
            $probe('PING');
            return false;
        } catch (RawError $e) {
            $probes++;
            return str_starts_with($e->getMessage(), 'BUSY');
        }
    });
    return $script;
};
$script = $busy();
say_took('getLock', seconds(function () use ($lock) {
    say('getLock', outcome(fn () => $lock->getLock('key')));
}), 1.5, 2.5);
say_took('prolongate', seconds(function () use ($held) {
    say('prolongate', outcome(fn () => $held->prolongate('held')));
}), 1.5, 2.5);
$client('SCRIPT', 'KILL');
say('getLock', outcome(fn () => $lock->getLock('key')));
say('releaseLock', outcome(fn () => $lock->releaseLock('key')));
say('held', outcome(fn () => $held->releaseLock('held')));

/* It ends within the deadline: nobody notices. While it runs the server cannot be asked whom it has refused. */
for ($tries = 20, $refused = false; $tries > 0 && !$refused; $tries--) {
    $patient->releaseLock('key');
    $before = refusals($client, 'BUSY');
    $probes = 0;
    $script = $busy(probes: $probes);
    $child = Child::start('
        $redis = new RawClient("unix://" . $args["socket"]);
        usleep(500000);
        $redis("SCRIPT", "KILL");
    ', ['socket' => $server->socket]);
    $outcome = outcome(fn () => $patient->getLock('key'));
    $child->wait();
    $refused = refusals($client, 'BUSY') > $before + $probes;
}
say('getLock, though refused', [$outcome, $refused]);
say('releaseLock', outcome(fn () => $patient->releaseLock('key')));
say('left', $client('EXISTS', 'lock@key'));

/* A lease that is shorter than what it took to be heard: it counts from when it was. */
foreach (['getLock', 'prolongate'] as $method) {
    $key = $method === 'getLock' ? 'short' : 'warm';
    $begin = fn () => [outcome(fn () => $patient->releaseLock('short')), $busy('
        local function now() local time = redis.call("TIME") return time[1] * 1000 + time[2] / 1000 end
        local began = now()
        while now() < began + 800 do end')];
    [$outcome, $left] = done_within(1.1, fn () => [
        outcome(fn () => $method === 'getLock' ? $patient->getLock($key, ttl: 0.5) : $patient->prolongate($key, 0.5)),
        $patient->lease($key)?->ttl ?? 0.0,
    ], $begin);
    say($method, $outcome);
    say_within('safe for', $left, 0.001, 0.5);
    $patient->releaseLock($key);
}
?>
--EXPECT--
getLock: RLock\ServerException, BUSY
getLock: in time
prolongate: RLock\ServerException, BUSY
prolongate: in time
getLock: true
releaseLock: true
held: true
getLock, though refused: ["true",true]
releaseLock: true
left: 0
getLock: true
safe for: in time
prolongate: true
safe for: in time
