--TEST--
When getLocks() fails nothing of it is left, and depths are as before
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
$there = fn () => $client('KEYS', 'lock@*');
ignore($other->getLock('m', ttl: 60.0));
take_briefly($lock->getLock(...), 'b', ttl: 60.0);
$fence = $lock->lease('b')->fence;

say('busy', $lock->getLocks(['a', 'b', 'm', 'z']));
$keys = $there();
sort($keys);
say('there', $keys);
say('held', [$lock->lease('a'), $lock->lease('b')->depth, $lock->lease('b')->fence === $fence, $lock->lease('m')]);
say_took('it waits', seconds(function () use ($lock) { say('busy', $lock->getLocks(['a', 'b', 'm', 'z'], wait: 0.4)); }), 0.38, 1.5);
say('there', count($there()));
say('nobody was woken for nothing', $other->holder('m')->owner !== '');

echo "a foreign lock, and one of another type:\n";
$client('SET', 'lock@foreign', 'x');
$client('LPUSH', 'lock@list', 'x');
say('busy', [$lock->getLocks(['a', 'foreign']), $lock->getLocks(['a', 'list'], wait: 0.1)]);
say('held', $lock->lease('a'));
$client('DEL', 'lock@foreign', 'lock@list');

echo "refused:\n";
say('a companion of another lock', outcome(fn () => (new RLock($server->url(), prefix: ''))->getLocks(['a', 'rlock:f:{x}:x'])));
$other->releaseLock('m');
await('nobody claims m', fn () => !$client('EXISTS', 'lock@m'));
$client('CONFIG', 'SET', 'maxmemory', 1);
try {
    ignore($lock->getLocks(['a', 'c']));
} catch (RLock\ServerException $e) {
    say('thrown', [$e->error, $e->key]);
}
$client('CONFIG', 'SET', 'maxmemory', 0);
say('there', $there());

echo "lost before:\n";
take_briefly($lock->getLock(...), 'n', ttl: 60.0);
$client('DEL', 'lock@n');
try {
    ignore($lock->getLocks(['a', 'n', 'o'], wait: 5.0));
} catch (RLock\LostLockException $e) {
    say('thrown', [$e->key, str_contains($e->getMessage(), '"n"')]);
}
say('there', $there());
say('held', [$lock->lease('a'), $lock->lease('n'), $lock->lease('b')->depth]);

echo "the server freezes on the way:\n";
$child = Child::start('
    $lock = new RLock($args["url"]);
    take_briefly($lock->getLock(...), "m", ttl: 60.0);
    $parent->say("taken");
    (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
    send_signal($args["pid"], "STOP");
    $parent->say("frozen");
    $parent->hear();
', ['url' => $server->url(), 'socket' => $server->socket, 'pid' => $server->pid]);
$child->hear();
$impatient = new RLock($server->url('timeout=0.5'));
take_briefly($impatient->getLock(...), 'mine', ttl: 60.0);
$took = seconds(function () use ($impatient) { say('frozen', outcome(fn () => $impatient->getLocks(['a', 'm'], wait: 20.0))); });
say_took('it took', $took, 0.4, 4);
$server->thaw();
say('contact', answered(fn () => $impatient->isLocking('mine')));
await('a is given back', fn () => !$client('EXISTS', 'lock@a'));
?>
--EXPECT--
busy: false
there: ["lock@b","lock@m"]
held: [null,1,true,null]
busy: false
it waits: in time
there: 2
nobody was woken for nothing: true
a foreign lock, and one of another type:
busy: [false,false]
held: null
refused:
a companion of another lock: ValueError
thrown: ["OOM","a"]
there: ["lock@b"]
lost before:
thrown: ["n",true]
there: ["lock@b"]
held: [null,null,1]
the server freezes on the way:
frozen: RLock\ConnectionException
it took: in time
contact: true
