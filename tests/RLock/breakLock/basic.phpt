--TEST--
breakLock() frees a lock whoever holds it; the holder learns LostLockException, before its deadline and after
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$holder = new RLock($server->url());
say('free', $lock->breakLock('key'));

$calls = [
    'releaseLock' => fn () => $holder->releaseLock('key'),
    'prolongate' => fn () => $holder->prolongate('key'),
    'getLock' => fn () => $holder->getLock('key'),
    'handOver' => fn () => $holder->handOver('key'),
];
$break_in_time = fn () => await('a break within the lease', function () use ($holder, $lock) {
    take_briefly($holder->getLock(...), 'key', ttl: 0.5);
    return $lock->breakLock('key');
});
foreach ($calls as $name => $call) {
    ignore($holder->getLock('key', ttl: 60.0));
    say($name, [$lock->breakLock('key'), $client('EXISTS', 'lock@key'), outcome($call), $holder->lease('key')]);
    $break_in_time();
    await('its deadline', fn () => $holder->lease('key')->ttl === 0.0);
    say('late', [outcome($call), $holder->lease('key')]);
}
say('check while surely safe by its clock', done_within(0.3, function () use ($break_in_time, $holder) {
    $break_in_time();
    return outcome(fn () => $holder->check('key'));
}));
await('its deadline', fn () => $holder->lease('key')->ttl === 0.0);
say('after', outcome(fn () => $holder->check('key')));

say('our own', [$lock->getLock('key'), $lock->breakLock('key'), outcome(fn () => $lock->releaseLock('key'))]);
$client('SET', 'lock@key', 'foreign');
say('foreign, without end', [$lock->breakLock('key'), $client('EXISTS', 'lock@key')]);
$client('SET', 'lock@key', str_repeat('x', 200000));
say('huge', [$lock->breakLock('key'), $client('EXISTS', 'lock@key')]);
$client('SET', 'lock@key', '');
say('an empty string', [$lock->breakLock('key'), $client('EXISTS', 'lock@key')]);
foreach (['LPUSH', 'SADD'] as $command) {
    $client($command, 'lock@key', 'x');
    say('another type', [$lock->breakLock('key'), $client('EXISTS', 'lock@key')]);
}
ignore($lock->getLock('key', ttl: 60.0));
$lock->releaseLock('key', delayAfter: 60.0);
say('a delay', [$lock->breakLock('key'), $lock->getLock('key', ttl: 60.0)]);
$token = $lock->handOver('key');
say('a hand-over in flight', [$lock->breakLock('key'), $holder->adopt('key', $token)]);
ignore($holder->getLock('key'));
$fence = $holder->lease('key')->fence;
$lock->breakLock('key');
ignore($lock->getLock('key'));
say('fences rise', $lock->lease('key')->fence > $fence);
say('the holder', outcome(fn () => $holder->releaseLock('key')));
say('the next one is unharmed', $lock->releaseLock('key'));
say('nothing is left', $client('KEYS', 'lock@*'));
?>
--EXPECT--
free: false
releaseLock: [true,0,"RLock\\LostLockException, held false",null]
late: ["RLock\\LostLockException, held false",null]
prolongate: [true,0,"RLock\\LostLockException, held false",null]
late: ["RLock\\LostLockException, held false",null]
getLock: [true,0,"RLock\\LostLockException, held false",null]
late: ["RLock\\LostLockException, held false",null]
handOver: [true,0,"RLock\\LostLockException, held false",null]
late: ["RLock\\LostLockException, held false",null]
check while surely safe by its clock: null
after: RLock\LostLockException, held false
our own: [true,true,"RLock\\LostLockException, held false"]
foreign, without end: [true,0]
huge: [true,0]
an empty string: [true,0]
another type: [true,0]
another type: [true,0]
a delay: [true,true]
a hand-over in flight: [true,false]
fences rise: true
the holder: RLock\LostLockException, held false
the next one is unharmed: true
nothing is left: []
