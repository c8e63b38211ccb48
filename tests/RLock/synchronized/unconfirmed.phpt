--TEST--
synchronized() releases even if an unconfirmed release of another lock turned out badly meanwhile, and throws that
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$answered = function () use ($client) {
    $client('PING');
    $client('PING'); /* now the answer has come */
};
$refused = function () use ($lock, $client, $answered) {
    $client('REPLICAOF', '127.0.0.1', 1);
    $lock->releaseLock('inner', confirm: false);
    $answered();
    $client('REPLICAOF', 'NO', 'ONE');
};
$lost = function () use ($lock, $client, $answered) {
    $client('DEL', 'lock@inner');
    $lock->releaseLock('inner', confirm: false);
    $answered();
};
foreach (['refused' => $refused, 'lost' => $lost] as $name => $release) {
    try {
        $lock->synchronized('key', fn () => [$lock->getLock('inner', ttl: 60.0), $release()], ttl: 60.0);
    } catch (RLock\RLockException $e) {
        say($name, [describe($e), $e->key]);
    }
    say('held', [$lock->lease('key') !== null, $client('EXISTS', 'lock@key', 'lock@inner')]);
}
?>
--EXPECT--
refused: ["RLock\\ServerException, READONLY","inner"]
held: [false,0]
lost: ["RLock\\LostLockException, held false","inner"]
held: [false,0]
