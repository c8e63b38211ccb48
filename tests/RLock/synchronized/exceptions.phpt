--TEST--
synchronized() always releases; what it throws of its own has the closure's exception as previous
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
$chain = function (callable $call): array {
    try {
        return [$call()];
    } catch (Throwable $e) {
        $names = [];
        for (; $e; $e = $e->getPrevious()) {
            $names[] = describe($e) . ($e->getMessage() === 'mine' ? ' mine' : '');
        }
        return $names;
    }
};
$mine = fn () => throw new DomainException('mine');
$late = function () use ($client) { await('expiry', fn () => !$client('EXISTS', 'lock@key')); };
$taken = function () use ($client) { await('expiry', fn () => $client('SET', 'lock@key', 'x', 'NX', 'PX', 60000)); };
$cases = [
    'its own' => [$mine, 60.0],
    'late' => [$late, 0.1],
    'late, and its own' => [fn () => [$late(), $mine()], 0.1],
    'taken' => [$taken, 0.1],
    'taken, and its own' => [fn () => [$taken(), $mine()], 0.1],
    'lost, and its own' => [fn () => [$client('DEL', 'lock@key'), $mine()], 60.0],
    'broken, and an error of its own' => [fn () => [$other->breakLock('key'), undefined()], 60.0],
    'adopted, and its own' => [fn (RLock\Lease $lease) => [$other->adopt('key', $lease->token), $other->releaseLock('key'), $mine()], 60.0],
    'its own of two' => [fn () => throw new LogicException('mine', 0, new DomainException('mine')), 60.0],
    'handed over' => [fn () => is_string($lock->handOver('key', 0.1)), 60.0],
    'closed over a release' => [fn () => $lock->releaseLock('key'), 60.0],
    'all released' => [fn () => $lock->releaseAll(), 60.0],
];
foreach ($cases as $name => [$critical, $ttl]) {
    say($name, $chain(fn () => answered(fn () => $lock->synchronized('key', $critical, wait: 5.0, ttl: $ttl))));
    $client('GET', 'lock@key') === 'x' && $client('DEL', 'lock@key');
    if ($lock->lease('key') !== null) {
        say('held', true);
    }
}
await('nobody has it', fn () => !$client('EXISTS', 'lock@key'));

echo "an outer level:\n";
take_briefly($lock->getLock(...), 'key', ttl: 60.0);
say('its own', $chain(fn () => $lock->synchronized('key', $mine)));
say('is left', [$lock->lease('key')->depth, $lock->isLocking('key')]);
$client('DEL', 'lock@key');
say('lost before', $chain(fn () => $lock->synchronized('key', fn () => say('ran', true))));
say('is gone', $lock->lease('key'));

echo "not acquired:\n";
ignore($other->getLock('key', ttl: 60.0, metadata: 'note'));
try {
    $lock->synchronized('key', fn () => say('ran', true), wait: 0.1);
} catch (RLock\NotAcquiredException $e) {
    say('thrown', [$e->key, $e->holder->metadata, str_contains($e->getMessage(), '"key"'), $e->getPrevious()]);
}
$other->releaseLock('key');

echo "nobody answers at its end:\n";
$impatient = new RLock($server->url('timeout=0.5'));
answered(fn () => $impatient->holder('frozen'));
say('frozen', $chain(fn () => $impatient->synchronized('frozen', function () use ($server, $mine) {
    $server->freeze();
    $mine();
}, ttl: 60.0)));
$server->thaw();
say('undone at the next contact', answered(fn () => $impatient->holder('frozen')));

echo "nothing it returns is lost:\n";
$array = [1, 2];
say('a reference', $lock->synchronized('key', function &() use (&$array) { return $array; }, wait: 3.0));
say('nothing', $lock->synchronized('key', function () {}));
say('closes', $chain(fn () => $lock->synchronized('key', function () use ($lock) { $lock->close(); return 'done'; })));
?>
--EXPECT--
its own: ["DomainException mine"]
late: ["RLock\\TimeoutException, held false, late"]
late, and its own: ["RLock\\TimeoutException, held false, late","DomainException mine"]
taken: ["RLock\\LostLockException, held false"]
taken, and its own: ["RLock\\LostLockException, held false","DomainException mine"]
lost, and its own: ["RLock\\LostLockException, held false","DomainException mine"]
broken, and an error of its own: ["RLock\\LostLockException, held false","Error"]
adopted, and its own: ["RLock\\LostLockException, held false","DomainException mine"]
its own of two: ["LogicException mine","DomainException mine"]
handed over: [true]
closed over a release: [true]
all released: [true]
an outer level:
its own: ["DomainException mine"]
is left: [1,true]
lost before: ["RLock\\LostLockException, held false"]
is gone: null
not acquired:
thrown: ["key","note",true,null]
nobody answers at its end:
frozen: ["RLock\\ConnectionException","DomainException mine"]
undone at the next contact: null
nothing it returns is lost:
a reference: [1,2]
nothing: null
closes: ["done"]
