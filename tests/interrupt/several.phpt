--TEST--
interrupt: of several lost locks each is thrown once, one after the other; what was released is not
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$first = new RLock($server->url(), ttl: 0.9, autoRenew: true, interrupt: true);
$second = new RLock($server->url(), ttl: 0.9, autoRenew: true, interrupt: true);

/* What is thrown in the next $seconds. */
function thrown(float $seconds): array
{
    $keys = [];
    $end = microtime(true) + $seconds;
    while (microtime(true) < $end) {
        try {
            while (microtime(true) < $end) {
                usleep(1000);
            }
        } catch (RLock\TimeoutException $lost) { // Lost, but where a busy machine let it be late
            $keys[] = $lost->key;
        }
    }
    sort($keys);
    return $keys;
}

take_briefly($first->getLocks(...), ['a', 'b', 'c']);
take_briefly($second->getLock(...), 'd');
$client('FLUSHALL');
say('thrown', thrown(1.5));
say('held', [$first->lease('a'), $first->lease('b'), $first->lease('c'), $second->lease('d')]);

/* Only one at a time: the next one comes when the first has been caught. */
take_briefly($first->getLock(...), 'outer');
take_briefly($second->getLock(...), 'inner');
$client('FLUSHALL');
$keys = [];
try {
    try {
        while (true) {
        }
    } catch (RLock\LostLockException $lost) {
        $keys[] = [$lost->key, $lost->getPrevious()];
        while (true) {
        }
    }
} catch (RLock\LostLockException $lost) {
    $keys[] = [$lost->key, $lost->getPrevious()];
}
sort($keys);
say('in turn', $keys);

/* One is released before it is told, another closed, another destroyed; another stays. */
foreach (['release', 'close', 'destroy'] as $end) {
    $ended = new RLock($server->url(), ttl: 30.0, interrupt: true);
    ignore($ended->getLock('ended'));
    take_briefly($first->getLock(...), 'kept', ttl: 10.0);
    match ($end) {
        'release' => $ended->releaseLock('ended'),
        'close' => $ended->close(),
        'destroy' => $ended = null,
    };
    $client('DEL', 'lock@ended');
    say($end, [thrown(0.2), $first->releaseLock('kept')]);
}

/* The release finds the loss first: it throws, and nothing else does. */
$told = [];
for ($i = 0; $i < 20; $i++) {
    take_briefly($first->getLock(...), "race$i", ttl: 0.6);
    $client('DEL', "lock@race$i");
    try {
        for ($end = microtime(true) + 0.015 * $i; microtime(true) < $end;) { // until the thread has asked, too
            usleep(1000);
        }
        $told[] = outcome(fn () => $first->releaseLock("race$i"));
        $told[] = 'not thrown';
    } catch (RLock\TimeoutException $lost) {
        $told[] = 'thrown';
        say('released by then', $first->releaseLock("race$i"));
    }
}
say('a race', thrown(0.3));
say('told 20 times', count(array_filter($told, fn ($how) => $how !== 'not thrown')));
?>
--EXPECTREGEX--
thrown: \["a","b","c","d"\]
held: \[null,null,null,null\]
in turn: \[\["inner",null\],\["outer",null\]\]
release: \[\[\],true\]
close: \[\[\],true\]
destroy: \[\[\],true\]
(released by then: false
)*a race: \[\]
told 20 times: 20
