--TEST--
Pending::stream(): one stream, which programs do not inherit, level-triggered, and nobody's but the program's
--FILE--
<?php
require __DIR__ . '/../pending.inc';

function watch_stream($stream): bool
{
    $streams = [$stream];
    $none = null;
    return stream_select($streams, $none, $none, 0) > 0;
}

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($other->getLock('key', ttl: 60.0));
decide($lock->requestLock('warm'));

$before = descriptors();
$pending = $lock->requestLock('key');
park($client, 1, $pending);
say('without a stream', descriptors() - $before <= 4);
$stream = $pending->stream();
say('a stream', [is_resource($stream), get_resource_type($stream), $pending->stream() === $stream]);
say('descriptors', descriptors() - $before <= 5);
exec('ls -l /proc/self/fd', $lines);
say('inherited', count(array_filter($lines, fn ($line) => str_contains($line, 'eventpoll') || str_contains($line, 'timerfd'))));

$client('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
say('after a reconnection', [watch([$pending], LATE), $pending->poll(), $pending->stream() === $stream]);
park($client, 1, $pending);
$other->releaseLock('key');
say('level-triggered', [watch([$pending], LATE), watch([$pending], 0.0), watch([$pending], 0.0)]);
say('decided', decide($pending));
say('over', [watch([$pending], 0.0), $pending->stream() === $stream]);

unset($pending);
say('outlives it', [is_resource($stream), descriptors() > $before, watch_stream($stream)]);
fclose($stream);
$lock->releaseAll();
$pending = $lock->requestLock('key');
fclose($pending->stream());
say('closed by the program', [decide($pending), is_resource($pending->stream())]);
unset($pending, $stream);
$lock->releaseAll();
ignore($other->getLock('key', ttl: 60.0));
foreach (['let go of', 'cancelled', 'its lock is closed'] as $how) {
    $own = new RLock($server->url());
    $pending = $own->requestLock('key');
    park($client, 1, $pending);
    $stream = $pending->stream();
    match ($how) {
        'let go of' => null,
        'cancelled' => $pending->cancel(),
        'its lock is closed' => $own->close(),
    };
    $pending = null;
    say($how, [watch_stream($stream), watch_stream($stream)]);
}
unset($own, $stream);
$other->releaseLock('key');
for ($i = 0; $i < 100; $i++) {
    $pending = $lock->requestLock('key');
    $pending->stream();
    $i % 2 ? decide($pending) : $pending->cancel();
    $lock->releaseAll();
}
unset($pending);
say('nothing leaks', descriptors() - $before <= 2);
?>
--EXPECT--
without a stream: true
a stream: [true,"stream",true]
descriptors: true
inherited: 0
after a reconnection: [true,null,true]
level-triggered: [true,true,true]
decided: true
over: [true,true]
outlives it: [true,true,true]
closed by the program: [true,true]
let go of: [true,true]
cancelled: [true,true]
its lock is closed: [true,true]
nothing leaks: true
