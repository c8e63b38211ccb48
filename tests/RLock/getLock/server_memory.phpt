--TEST--
What a lock takes of the server's memory has bounds: held, shared, waited for, released
--FILE--
<?php
require __DIR__ . '/../../server.inc';

/* Bytes by MEMORY USAGE, of all keys of a lock whose name has 13 letters. Where tokens are longer
   than 64 bytes, Redis keeps shares in another way. */
const HELD = 384;
const RELEASED = 160;
const WAITED_FOR = 160;                             // beside what it takes anyway
define('FIRST_SHARE', strlen(gethostname()) > 15 ? 2048 : 640);
define('FURTHER_SHARE', strlen(gethostname()) > 15 ? 384 : 160);
const SHARES_WAITED_FOR = 400;

$server = TestServer::start();
$client = $server->client();
$memory = fn () => array_sum(array_map(fn ($key) => $client('MEMORY', 'USAGE', $key, 'SAMPLES', 0), $client('KEYS', '*')));
$say = function (string $what, int $bytes, int $bound) {
    say($what, $bytes > 0 && $bytes <= $bound ? 'within its bound' : "$bytes bytes, more than $bound");
};
$lock = fn () => new RLock($server->url());
$wait = function (string $method) use ($server, $client): Child {
    $child = Child::start('(new RLock($args["url"]))->{$args["method"]}("order:1234567", wait: 60.0);',
        ['url' => $server->url(), 'method' => $method]);
    await('the waiter', fn () => $client('EXISTS', waiting_key('order:1234567')) === 1);
    $client->awaitBlocked(1);
    return $child;
};

$one = $lock();
ignore($one->getLock('order:1234567'));
$held = $memory();
$say('held', $held, HELD);
$waiter = $wait('getLock');
$say('waited for', $memory() - $held, WAITED_FOR);
$one->releaseLock('order:1234567');
$waiter->wait();
$client('FLUSHALL');
ignore($one->getLock('order:1234567'));
$one->releaseLock('order:1234567');
$say('released', $memory(), RELEASED);

$client('FLUSHALL');
$shares = [$lock()];
ignore($shares[0]->getSharedLock('order:1234567'));
$first = $memory();
$say('a share', $first, FIRST_SHARE);
while (count($shares) < 8) {
    $shares[] = $share = $lock();
    ignore($share->getSharedLock('order:1234567'));
}
$eight = $memory();
$say('each further share', (int) ceil(($eight - $first) / 7), FURTHER_SHARE);
$waiter = $wait('getLock');
$say('waited for', $memory() - $eight, SHARES_WAITED_FOR);
array_map(fn ($share) => $share->releaseLock('order:1234567'), $shares);
$waiter->wait();
?>
--EXPECT--
held: within its bound
waited for: within its bound
released: within its bound
a share: within its bound
each further share: within its bound
waited for: within its bound
