--TEST--
C6: stopped between hand-over and claim: never two owners, and it learns that it is not one
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$code = '
    $lock = new RLock($args["url"]);
    $redis = new RawClient("unix://" . $args["socket"]);
    $parent->say("ready");
    $result = outcome(fn () => $lock->getLock("key", wait: $args["wait"], ttl: 30.0));
    $alone = $result === "true" ? $redis("INCR", "inside") : null;
    $parent->say([$result, $alone, outcome(fn () => $lock->check("key"))]);
    $parent->hear();
    $redis("DECR", "inside");
    $parent->say(outcome(fn () => $lock->releaseLock("key")));
';

echo "nobody takes it meanwhile:\n";
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$waiter = Child::start($code, ['url' => $server->url(), 'socket' => $server->socket, 'wait' => 30.0]);
$waiter->hear();
$client->awaitBlocked(1);
$waiter->freeze();
$lock->releaseLock('key');
say('handed over', str_starts_with($client('GET', 'lock@key'), '~'));
await('the window ends', fn () => !$client('EXISTS', 'lock@key'), 5.0);
$waiter->thaw();
say('it takes it anew', $waiter->hear());
say('with its own token', str_starts_with($client('GET', 'lock@key'), 'rlock1:'));
$waiter->say('release');
say('release', $waiter->hear());
$waiter->wait();

echo "another has it meanwhile:\n";
await('the baton is gone', fn () => !$client('EXISTS', 'lock@key'), 5.0);
$client('DEL', 'rlock:w:{lock@key}:lock@key'); // that baton reached nobody: after such a one the lock is left free, once
ignore($lock->getLock('key', ttl: 60.0));
$waiter = Child::start($code, ['url' => $server->url(), 'socket' => $server->socket, 'wait' => 30.0]);
$waiter->hear();
$client->awaitBlocked(1);
$waiter->freeze();
$lock->releaseLock('key');
say('handed over', str_starts_with($client('GET', 'lock@key'), '~'));
$other = new RLock($server->url());
say('another has it after the window', $other->getLock('key', wait: 10.0));
$client('INCR', 'inside');
$token = $client('GET', 'lock@key');
$waiter->thaw();
say('the stopped one is no owner', $waiter->silent(1.5));
say("the other's is unharmed", $client('GET', 'lock@key') === $token);
$client('DECR', 'inside');
say('release', $other->releaseLock('key'));
say('now it is', $waiter->hear());
$waiter->say('release');
say('release', $waiter->hear());
$waiter->wait();

echo "its wait is over meanwhile:\n";
await('the baton is gone', fn () => !$client('EXISTS', 'lock@key'), 5.0);
ignore($lock->getLock('key', ttl: 60.0));
$waiter = Child::start($code, ['url' => $server->url(), 'socket' => $server->socket, 'wait' => 2.0]);
$waiter->hear();
$client->awaitBlocked(1);
$waiter->freeze();
$lock->releaseLock('key');
$other = new RLock($server->url());
say('another has it after the window', $other->getLock('key', wait: 10.0));
usleep(1_500_000); // until its 2 s are surely over
$waiter->thaw();
say('it gives up', $waiter->hear()[0]);
say("the other's is unharmed", $other->releaseLock('key'));
?>
--EXPECT--
nobody takes it meanwhile:
handed over: true
it takes it anew: ["true",1,"null"]
with its own token: true
release: true
another has it meanwhile:
handed over: true
another has it after the window: true
the stopped one is no owner: true
the other's is unharmed: true
release: true
now it is: ["true",1,"null"]
release: true
its wait is over meanwhile:
another has it after the window: true
it gives up: false
the other's is unharmed: true
