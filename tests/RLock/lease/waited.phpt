--TEST--
Lease::$waited is how long taking it took; inner levels and prolongations do not change it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
$waited = fn (string $key = 'key'): float => $lock->lease($key)->waited;

$took = seconds(fn () => $lock->getLock('key'));
say('at once', $waited() > 0.0 && $waited() <= $took);
$lock->releaseLock('key');

/* Until a lease has ended. */
$took = await('a lease to wait for', function () use ($client, $lock) {
    $lock->releaseLock('key');
    $client('SET', 'lock@key', 'foreign', 'PX', 400);
    $took = seconds(fn () => $lock->getLock('key', wait: 20.0));
    return $took > 0.3 ? $took : null;
});
say_within('it waited', $waited(), 0.25, $took);
$before = $waited();
ignore($lock->getLock('key'));
$lock->prolongate('key', 20.0);
usleep(20000);
say('it stays', $waited() === $before);
$lock->releaseAll();

/* Until it was handed over. */
ignore($other->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $start = hrtime(true);
    ignore($lock->getLock("key", wait: 20.0));
    $took = (hrtime(true) - $start) / 1e9;
    $parent->say([$took, $lock->lease("key")->waited]);
', ['url' => $server->url()]);
$client->awaitBlocked(1);
usleep(100000);
$other->releaseLock('key');
[$took, $inside] = $child->hear();
say_within('handed over', $inside, 0.1, $took);
$child->wait();

/* Of several locks, each its own; and by the token. */
await('the second to be waited for', function () use ($client, $lock, $waited) {
    $lock->releaseAll();
    $client('SET', 'lock@b', 'foreign', 'PX', 300);
    $took = seconds(fn () => $lock->getLocks(['a', 'b'], wait: 20.0));
    return $waited('a') < 0.2 && $waited('b') > 0.15 && $waited('b') <= $took;
});
say('of two each its own', true);
$took = seconds(fn () => $other->adopt('a', $lock->handOver('a')));
say('adopted', $other->lease('a')->waited > 0.0 && $other->lease('a')->waited <= $took);
say('synchronized', $other->synchronized('c', fn (RLock\Lease $lease) => $lease->waited > 0.0));
?>
--EXPECT--
at once: true
it waited: in time
it stays: true
handed over: in time
of two each its own: true
adopted: true
synchronized: true
