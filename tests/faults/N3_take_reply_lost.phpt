--TEST--
N3: take done, reply lost: the same grant again, or undone
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));
take_briefly($lock->getLock(...), 'warm');

foreach (['lose-reply', 'lose-request'] as $harm) {
    foreach ([0.0, 3.0] as $wait) {
        $proxy->tell("$harm 1");
        $result = outcome(fn () => $lock->getLock('key', wait: $wait, ttl: 3600.0));
        say("$harm, wait $wait", $result);
        say('it happened to', substr($proxy->tell('lost'), 0, 9));
        say('one grant', $client('GET', 'lock@key') === $lock->lease('key')?->token
            && (int) $client('GET', 'rlock:f:{lock@key}:lock@key') === $lock->lease('key')->fence);
        say('depth', $lock->lease('key')->depth);
        say('release', $lock->releaseLock('key'));
        say('left', $client('EXISTS', 'lock@key'));
    }
}

/* It never comes: what was written behind the take undoes it. */
$impatient = new RLock($proxy->url('timeout=0.5'));
take_briefly($impatient->getLock(...), 'warm too');
$proxy->tell('late 2000');
say('unknown', outcome(fn () => $impatient->getLock('key', ttl: 3600.0)));
$proxy->tell('late 0');
await('undone', fn () => !$client('EXISTS', 'lock@key'));
say('held', $impatient->lease('key'));

/* Nothing can be written behind it, nobody listens: undone at the next take, or at the end. */
foreach (['next take' => fn ($lock) => $lock->getLock('other'), 'end' => fn () => null] as $when => $contact) {
    $fragile = new Proxy($server->socket);
    $lock = new RLock($fragile->url('timeout=0.5'));
    take_briefly($lock->getLock(...), "warm, $when");
    $fragile->tell('leave');
    $fragile->tell('lose-reply 1');
    say('unknown', outcome(fn () => $lock->getLock('key', ttl: 3600.0)));
    $fragile->wait();
    say('taken on the server', $client('EXISTS', 'lock@key'));
    $fragile = new Proxy($server->socket, $fragile->socket);
    answered(fn () => $contact($lock));
    if ($when === 'end') {
        unset($lock);
    }
    say("undone at the $when", $client('EXISTS', 'lock@key') === 0);
    unset($lock);
}
unset($impatient); // the proxy ends before the request
?>
--EXPECT--
lose-reply, wait 0: true
it happened to: lost EVAL
one grant: true
depth: 1
release: true
left: 0
lose-reply, wait 3: true
it happened to: lost EVAL
one grant: true
depth: 1
release: true
left: 0
lose-request, wait 0: true
it happened to: lost EVAL
one grant: true
depth: 1
release: true
left: 0
lose-request, wait 3: true
it happened to: lost EVAL
one grant: true
depth: 1
release: true
left: 0
unknown: RLock\ConnectionException
held: null
unknown: RLock\ConnectionException
taken on the server: 1
undone at the next take: true
unknown: RLock\ConnectionException
taken on the server: 1
undone at the end: true
