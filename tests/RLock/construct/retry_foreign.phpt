--TEST--
A retry strategy notices the DEL of a foreign lock, which wakes nobody, long before the safety net
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();

final class Patient implements RLock\RetryStrategy
{
    public array $attempts = [];

    public function nextBackoff(int $attempt): ?float
    {
        $this->attempts[] = $attempt;
        return 0.03;
    }
}

$own = new Patient();
foreach (['built-in' => RLock\Retry::linear(0.03), 'exponential' => RLock\Retry::exponential(0.001, 0.03), 'own' => $own] as $name => $retry) {
    $lock = new RLock($server->url(), retry: $retry);
    say('a free key is asked for once', [$lock->getLock("free $name", wait: 5.0), $own->attempts]);
    $delays = [];
    for ($i = 0; $i < 5; $i++) {
        await('the key is free', fn () => $client('SET', 'lock@key', 'foreign', 'NX', 'PX', 60000));
        $child = Child::start('
            $client = new RawClient("unix://" . $args["socket"]);
            $client->awaitBlocked(1);
            usleep(50000);
            $client("DEL", "lock@key");
            $parent->say(hrtime(true));
        ', ['socket' => $server->socket]);
        $got = $lock->getLock('key', wait: 20.0);
        $at = hrtime(true);
        $delays[] = ($at - $child->hear()) / 1e9;
        $lock->releaseLock('key') && $got || say('got', $got);
    }
    sort($delays);
    say_within("$name: half were noticed within", $delays[2], -0.1, 0.2);
}
say('attempts count from 1', array_slice($own->attempts, 0, 2));
?>
--EXPECT--
a free key is asked for once: [true,[]]
built-in: half were noticed within: in time
a free key is asked for once: [true,[]]
exponential: half were noticed within: in time
a free key is asked for once: [true,[]]
own: half were noticed within: in time
attempts count from 1: [1,2]
