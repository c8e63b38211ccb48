--TEST--
Pending: what was granted, and given up before it counted, is free at once, without another call
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$free = fn (string $key): bool => $client('EXISTS', lock_key($key)) === 0;
$soon = fn (string $key): bool => seconds(fn () => await('it is free', fn () => $free($key))) < 5.0;

/* It waits for replicas: WAIT is out, and would be for as long as a call may take. */
foreach (['lock' => false, 'share' => true] as $kind => $shared) {
    foreach (['cancel', 'unset', 'close'] as $how) {
        $key = "$kind-$how";
        $lock = new RLock($server->url('timeout=60'), ttl: 60.0, replicas: 1);
        $pending = $lock->requestLock($key, shared: $shared);
        await('it is granted', fn () => $pending->poll() !== null || !$free($key));
        match ($how) {
            'cancel' => $pending->cancel(),
            'unset' => $pending = null,
            'close' => $lock->close(),
        };
        say("$kind, waiting for replicas: $how", $soon($key));
    }
}
foreach (['the end of the script' => '', 'a fork' => 'if (pcntl_fork() === 0) { exit; }'] as $how => $code) {
    $child = Child::start('
        $lock = new RLock($args[0], ttl: 60.0, replicas: 1);
        $pending = $lock->requestLock("key");
        for ($i = 0; $i < 20; $i++) { ignore($pending->poll()); usleep(5000); }
        $parent->say("asked");
        $parent->hear();
        ' . $code, [$server->url('timeout=60')]);
    $child->hear();
    await('it is granted', fn () => !$free('key'));
    $child->say('go on');
    say("waiting for replicas: $how", $soon('key'));
    $child->wait();
}

/* It leaves the queue with the lock, which its look beside its place has found free: a round trip of 60 ms. */
$proxy = new Proxy($server->socket);
foreach (['cancel', 'unset', 'close'] as $how) {
    $lock = new RLock($proxy->url(), ttl: 60.0);
    $key = "leaving-$how";
    $client('SET', lock_key($key), 'rlock1:' . str_repeat('0', 32) . ':dead:1', 'PX', 700);
    $proxy->tell('late 0');
    $pending = $lock->requestLock($key, wait: 60.0);
    park($client, 1, $pending);
    $proxy->tell('late 60');
    $pid = ':' . getmypid();
    await('it is granted', fn () => $pending->poll() !== null || str_contains((string) $client('GET', lock_key($key)), $pid));
    /* its answer is on its way */
    for ($end = microtime(true) + 0.09; microtime(true) < $end && !($told = $pending->poll()); usleep(1000));
    if ($told) {
        $lock->releaseLock($key); /* this test was slow */
    }
    match ($how) {
        'cancel' => $pending->cancel(),
        'unset' => $pending = null,
        'close' => $lock->close(),
    };
    say("leaving the queue: $how", $soon($key));
}
?>
--EXTENSIONS--
pcntl
--EXPECT--
lock, waiting for replicas: cancel: true
lock, waiting for replicas: unset: true
lock, waiting for replicas: close: true
share, waiting for replicas: cancel: true
share, waiting for replicas: unset: true
share, waiting for replicas: close: true
waiting for replicas: the end of the script: true
waiting for replicas: a fork: true
leaving the queue: cancel: true
leaving the queue: unset: true
leaving the queue: close: true
