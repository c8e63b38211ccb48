--TEST--
synchronized() that was late or lost throws what its closure returned, as $result
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$thrown = function (callable $call): ?RLock\TimeoutException {
    try {
        say('returned', answered($call));
        return null;
    } catch (RLock\TimeoutException $e) {
        return $e;
    }
};
$late = function () use ($client) { await('expiry', fn () => !$client('EXISTS', 'lock@key')); };
$lost = fn () => $client('DEL', 'lock@key');

$e = $thrown(fn () => $lock->synchronized('key', function () use ($late) { $late(); return ['order' => 7]; }, ttl: 0.1));
say('late', [$e::class, $e->result]);
$object = new ArrayObject([1]);
$e = $thrown(fn () => $lock->synchronized('key', function () use ($lost, $object) { $lost(); return $object; }));
say('lost', [$e::class, $e->result === $object]);
$value = 'by reference';
$e = $thrown(fn () => $lock->synchronized('key', function &() use ($lost, &$value) { $lost(); return $value; }));
$value = 'changed';
say('a reference', $e->result);
$e = $thrown(fn () => $lock->synchronized('key', function () use ($lost) { $lost(); }));
say('nothing', $e->result);
$e = $thrown(fn () => $lock->synchronized('key', fn () => [$lost(), throw new DomainException('mine')]));
say('it threw', [$e->result, $e->getPrevious()::class]);

/* One within another: each has its own. */
$e = $thrown(fn () => $lock->synchronized('outer', function () use ($lock, $lost, $client) {
    $client('DEL', 'lock@outer');
    try {
        $lock->synchronized('key', fn () => [$lost(), 'inner'][1]);
    } catch (RLock\TimeoutException $e) {
        return [$e->key, $e->result];
    }
}));
say('outer', [$e->key, $e->result]);

/* No other call has one. */
ignore($lock->getLock('key'));
$lost();
$e = $thrown(fn () => $lock->releaseLock('key'));
say('releaseLock', [$e::class, $e->result]);
say('in time', $lock->synchronized('key', fn () => 'fine'));
?>
--EXPECT--
late: ["RLock\\TimeoutException",{"order":7}]
lost: ["RLock\\LostLockException",true]
a reference: by reference
nothing: null
it threw: [null,"DomainException"]
outer: ["outer",["key","inner"]]
releaseLock: ["RLock\\LostLockException",null]
in time: fine
