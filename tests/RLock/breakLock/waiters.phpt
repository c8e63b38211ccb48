--TEST--
A waiter has a broken lock at once; a break whose reply is lost breaks nobody else's
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=5'));
$holder = new RLock($server->url());
$child = Child::start('
    $lock = new RLock($args["url"]);
    while (true) {
        $parent->say($lock->getLock("key", wait: 30.0, ttl: 60.0));
        $parent->hear();
        $parent->say([$lock->isLocking("key"), $lock->releaseLock("key")]);
        $parent->hear();
    }
', ['url' => $server->url()]);
$child->hear();
$child->say('release');
$child->hear();
$lock->breakLock('none');
foreach (['rlock' => fn () => $holder->getLock('key', ttl: 60.0), 'foreign' => fn () => $client('SET', 'lock@key', 'foreign'),
        'list' => fn () => $client('LPUSH', 'lock@key', 'x'), 'lose-reply' => fn () => $holder->getLock('key', ttl: 60.0)] as $name => $take) {
    await('nobody has it', fn () => !$client('EXISTS', 'lock@key'));
    $client('DEL', waiting_key('key')); // the last release passed the lock to nobody: another such one is not passed on
    $take();
    $child->say('wait');
    $client->awaitBlocked(1);
    if ($name === 'lose-reply') {
        $proxy->tell('lose-reply 2');
    }
    echo "$name:\n";
    say('broken', $lock->breakLock('key'));
    say('taken', hear_passed_on($child, $client, 'key'));
    $child->say('release');
    say('unharmed', $child->hear());
    outcome(fn () => $holder->releaseLock('key'));
}
say('it happened to', substr($proxy->tell('lost'), 0, 9));
?>
--EXPECT--
rlock:
broken: true
passed on: true
taken: true
unharmed: [true,true]
foreign:
broken: true
passed on: true
taken: true
unharmed: [true,true]
list:
broken: true
passed on: true
taken: true
unharmed: [true,true]
lose-reply:
broken: true
passed on: true
taken: true
unharmed: [true,true]
it happened to: lost EVAL
