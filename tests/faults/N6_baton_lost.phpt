--TEST--
N6: the baton is sent, but the connection is lost: the waiters have it within the claim window and the safety net
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$proxy->tell('lose-reply 1 BLPOP');
$waiters = [];
foreach ([1 => $proxy->url(), 2 => $server->url()] as $i => $url) {
    $waiters[$i] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("key", wait: 30.0));
        $parent->hear();
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $url]);
    $client->awaitBlocked($i);
}
$lock->releaseLock('key');
say('it happened', $proxy->tell('lost'));
$start = microtime(true);
$order = [];
foreach ([0, 1] as $turn) {
    $who = await('a waiter has it', function () use ($waiters, $order) {
        foreach ($waiters as $i => $waiter) {
            if (!in_array($i, $order, true) && !$waiter->silent(0)) {
                return $i;
            }
        }
    });
    $order[] = $who;
    say('taken', $waiters[$who]->hear());
    if ($turn === 0) {
        say_took('it took', microtime(true) - $start, 0, 2.7);
    }
    $waiters[$who]->say('release');
    say('released', $waiters[$who]->hear());
}
?>
--EXPECT--
it happened: lost BLPOP
taken: true
it took: in time
released: true
taken: true
released: true
