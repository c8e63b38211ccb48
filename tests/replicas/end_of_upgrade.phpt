--TEST--
A share that becomes exclusive while its replica is frozen, and a server that answers late: however that ends, nothing is left
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(['--repl-diskless-sync-delay', '0'], tcp: true);
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port]);
$client = $master->client();
$proxy = new Proxy($master->socket);
$proxy->tell('late 50');

/* The server knows the scripts. */
$other = new RLock($master->url());
say('before', [$other->getSharedLock('key'), $other->getLock('key'), $other->downgrade('key'), $other->releaseAll()]);

/* Holds a share, and has its upgrade under way, or given up; then it ends. */
$child = <<<'PHP'
    [$url, $key, $begins, $ends] = $args;
    $lock = new RLock($url, ttl: 60.0, replicas: 1);
    $parent->say($lock->getSharedLock($key));
    $parent->hear();
    $pending = match ($begins) {
        'pending', 'short' => $lock->requestLock($key),
        'prolonged' => outcome(fn () => $lock->prolongate($key, 100.0)),
        'exclusive' => outcome(fn () => $lock->getLock($key)),
        'shared' => outcome(fn () => $lock->getSharedLock($key)),
    };
    $parent->say('begun');
    $parent->hear();
    $began = microtime(true);
    $close = fn () => outcome($lock->close(...)); // its answer may come too late
    match ($ends) {
        'cancel' => [$pending->cancel(), $close()],
        'close' => $close(),
        'unset' => $pending = $lock = $close = null,
        'exit' => exit,
        'end' => null,
    };
    if ($ends !== 'end') {
        $parent->say(microtime(true) - $began);
        $parent->hear();
    }
    PHP;

function try_it(string $begins, string $ends, float $timeout): void
{
    global $child, $client, $other, $proxy, $replica;
    $key = "$begins $ends";
    await_replicas($client);
    $holder = Child::start($child, [$proxy->url("timeout=$timeout"), $key, $begins, $ends]);
    $holder->hear();
    $replica->freeze();
    $holder->say('begin');
    $holder->hear();
    if ($begins === 'pending' || $begins === 'short') {
        await('its upgrade', fn () => str_starts_with((string) $client('GET', "lock@$key"), 'rlock1:'));
    }
    $began = microtime(true);
    $holder->say('end');
    await('it is free', fn () => $client('EXISTS', "lock@$key") === 0);
    say_took("$key: free", microtime(true) - $began, 0.0, 1.0);
    if ($ends === 'exit' || $ends === 'end') {
        $holder->wait();
        say_took("$key: over", microtime(true) - $began, 0.0, 1.5);
    } else {
        say_took("$key: over", $holder->hear(), 0.0, 1.0);
        $holder->kill();
    }
    $replica->thaw();
}

foreach (['cancel', 'close', 'unset', 'exit', 'end'] as $ends) {
    try_it('pending', $ends, 20); /* it is not waited for until the timeout */
    try_it('short', $ends, 0.5);  /* nor is there too little left of that */
}
foreach (['prolonged', 'exclusive', 'shared'] as $begins) {
    foreach (['close', 'unset', 'exit', 'end'] as $ends) {
        try_it($begins, $ends, 1);
    }
}
?>
--EXPECT--
before: [true,true,true,true]
pending cancel: free: in time
pending cancel: over: in time
short cancel: free: in time
short cancel: over: in time
pending close: free: in time
pending close: over: in time
short close: free: in time
short close: over: in time
pending unset: free: in time
pending unset: over: in time
short unset: free: in time
short unset: over: in time
pending exit: free: in time
pending exit: over: in time
short exit: free: in time
short exit: over: in time
pending end: free: in time
pending end: over: in time
short end: free: in time
short end: over: in time
prolonged close: free: in time
prolonged close: over: in time
prolonged unset: free: in time
prolonged unset: over: in time
prolonged exit: free: in time
prolonged exit: over: in time
prolonged end: free: in time
prolonged end: over: in time
exclusive close: free: in time
exclusive close: over: in time
exclusive unset: free: in time
exclusive unset: over: in time
exclusive exit: free: in time
exclusive exit: over: in time
exclusive end: free: in time
exclusive end: over: in time
shared close: free: in time
shared close: over: in time
shared unset: free: in time
shared unset: over: in time
shared exit: free: in time
shared exit: over: in time
shared end: free: in time
shared end: over: in time
