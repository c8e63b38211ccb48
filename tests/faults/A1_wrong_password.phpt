--TEST--
A1: a wrong password: ServerException WRONGPASS at once, no retry, no password in the text
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start(['--requirepass', 'right'], tcp: true);
$client = $server->client();
$client('AUTH', 'right');
$calls = function () use ($client) {
    preg_match('/cmdstat_auth:calls=(\d+)/', $client('INFO', 'commandstats'), $match);
    return (int) ($match[1] ?? 0);
};
$addresses = ["unix://$server->socket?password=hunter2&timeout=5", "redis://:hunter2@127.0.0.1:$server->port?timeout=5",
    "redis://nobody:hunter2@127.0.0.1:$server->port?timeout=5"];
foreach ($addresses as $address) {
    $before = $calls();
    $lock = new RLock($address);
    say_took('it took', seconds(function () use ($lock) {
        try {
            ignore($lock->getLock('key', wait: 10.0));
        } catch (RLock\ServerException $e) {
            say('thrown', describe($e));
            say('password told', str_contains($e . print_r($e, true), 'hunter2'));
        }
    }), 0, 1);
    say('tries', $calls() - $before);
}
$lock = new RLock($server->url('timeout=5'));
say('no password', outcome(fn () => $lock->getLock('key')));
$lock = new RLock($server->url('password=right'));
say('the right one', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
thrown: RLock\ServerException, WRONGPASS
password told: false
it took: in time
tries: 1
thrown: RLock\ServerException, WRONGPASS
password told: false
it took: in time
tries: 1
thrown: RLock\ServerException, WRONGPASS
password told: false
it took: in time
tries: 1
no password: RLock\ServerException, NOAUTH
the right one: true
