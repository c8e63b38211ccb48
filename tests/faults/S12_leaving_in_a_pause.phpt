--TEST--
S12: a waiter leaves the queue while CLIENT PAUSE holds its BLPOP up, which makes many servers crash
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$client = $server->client();
$client('SET', 'lock@key', 'foreign', 'PX', 60000);
$proxy->tell('stall 1 BLPOP');
$waiter = Child::start('
    $parent->say(outcome(fn () => (new RLock($args["url"]))->getLock("key", wait: 1.0)));
', ['url' => $proxy->url()]);
say('it happened', $proxy->tell('lost'));
$client('CLIENT', 'PAUSE', 1500, 'WRITE');
$proxy->tell('flow');
await('the BLPOP held up', fn () => str_contains($client('CLIENT', 'LIST'), ' cmd=blpop '));
say('the waiter has it', $waiter->hear());
say('unharmed', $client('GET', 'lock@key'));
?>
--EXPECT--
it happened: lost BLPOP
the waiter has it: false
unharmed: foreign
