--TEST--
S7: the server becomes a replica in mid-wait: the wait goes on, since it may be a master again, and else ends with ServerException
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
foreach (['4.0' => 'stays a replica', '60.0' => 'is a master again'] as $wait => $what) {
    $client('SET', 'lock@key', 'foreign', 'PX', 60000);
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say(outcome(fn () => $lock->getLock("key", wait: $args["wait"])));
    ', ['url' => $server->url('timeout=1.2'), 'wait' => (float)$wait]);
    $client->awaitBlocked(1);
    $before = refusals($client, 'READONLY');
    $client('REPLICAOF', '127.0.0.1', '1');
    say_took('it took', seconds(function () use ($child, $client, $what, $before) {
        if ($what === 'is a master again') {
            usleep(2_500_000);
            await_refusal($client, 'READONLY', $before);
            $client('REPLICAOF', 'NO', 'ONE');
            $client('DEL', 'lock@key');
        }
        say($what, $child->hear());
    }), 2.5, 6);
    $client('REPLICAOF', 'NO', 'ONE');
}
?>
--EXPECT--
stays a replica: RLock\ServerException, READONLY
it took: in time
is a master again: true
it took: in time
