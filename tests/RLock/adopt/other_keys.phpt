--TEST--
adopt() is false where the token does not hold the key, and harms nothing
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$user = new RLock($server->url());
ignore($user->getLock('key', ttl: 60.0));
ignore($user->getLock('other', ttl: 60.0));
$client('SET', 'lock@foreign', 'theirs', 'PX', 60000);
$client('LPUSH', 'lock@list', 'x');
$token = $user->lease('other')->token;
foreach (['key', 'foreign', 'list', 'free'] as $key) {
    say($key, [$lock->adopt($key, $token, 5.0), $lock->lease($key)]);
}
say("a foreign lock's value", $lock->adopt('foreign', 'theirs'));
say('unharmed', [$client('GET', 'lock@foreign'), $client('TYPE', 'lock@list'), $user->isLocking('key'), $user->isLocking('other')]);
say('nothing is left', $client('EXISTS', 'lock@free'));
$user->releaseLock('key', delayAfter: 20.0);
say('a cooldown', $lock->adopt('key', $client('GET', 'lock@key')));

echo "what we hold ourselves:\n";
ignore($user->getLock('other'));
say('adopt', $user->adopt('other', $user->lease('other')->token));
say('one level of a lock of its own', [$user->lease('other')->depth, $user->isLocking('other'), $user->releaseLock('other'), $user->releaseLock('other')]);
say('no verdict on it', outcome(fn () => $user->lease('other')));

echo "its reply is lost:\n";
$proxy = new Proxy($server->socket);
$through = new RLock($proxy->url('timeout=2'));
foreach (['lose-reply', 'lose-request'] as $harm) {
    ignore($user->getLock($harm, ttl: 60.0));
    $token = $user->handOver($harm);
    $through->holder('any');
    $proxy->tell("$harm 1");
    say($harm, [$through->adopt($harm, $token), substr($proxy->tell('lost'), 0, 9), $through->isLocking($harm), $through->releaseLock($harm)]);
}

echo "nobody answers:\n";
$frozen = new RLock($server->url('timeout=0.4'));
ignore($user->getLock('frozen', ttl: 60.0));
$token = $user->handOver('frozen');
answered(fn () => $frozen->holder('any'));
$server->freeze();
say('frozen', outcome(fn () => $frozen->adopt('frozen', $token)));
$server->thaw();
say('not held', $frozen->lease('frozen'));
unset($frozen);
say('it is still to be adopted, or free', $user->adopt('frozen', $token) || $user->holder('frozen') === null);
?>
--EXPECT--
key: [false,null]
foreign: [false,null]
list: [false,null]
free: [false,null]
a foreign lock's value: false
unharmed: ["theirs","list",true,true]
nothing is left: 0
a cooldown: false
what we hold ourselves:
adopt: true
one level of a lock of its own: [1,true,true,false]
no verdict on it: null
its reply is lost:
lose-reply: [true,"lost EVAL",true,true]
lose-request: [true,"lost EVAL",true,true]
nobody answers:
frozen: RLock\ConnectionException
not held: null
it is still to be adopted, or free: true
