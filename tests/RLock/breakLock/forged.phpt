--TEST--
breakLock() of a lock whose keys have numbers that are not rlock's: it says so, and does not ask thousands of times
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$scripts = fn (): int => array_sum(preg_match_all('/cmdstat_eval(?:sha)?:calls=(\d+)/', $client('INFO', 'commandstats'), $match) ? $match[1] : []);
$break = function (string $what) use ($server, $scripts): void {
    $before = $scripts();
    try {
        $said = (new RLock($server->url('timeout=10')))->breakLock('k');
    } catch (RLock\RLockException $e) {
        $said = get_class($e) . (str_contains($e->getMessage(), "a number that is not rlock's") ? ', a number' : $e->getMessage());
    }
    say($what, [$said, $scripts() - $before < 40]);
};
$server->client()('SET', 'lock@k', 'rlock1:' . str_repeat('a', 32) . ':web1:5', 'PX', 60000);
$client('SET', 'rlock:f:{lock@k}:lock@k', '99999999999999999999999');
$break('a fence');
$client('FLUSHALL');
$locks = new RLock($server->url());
ignore($locks->getSharedLock('k'));
$client('ZADD', 'rlock:s:{lock@k}:lock@k', '9007199254740993', 'rlock1:' . str_repeat('b', 32) . ':');
$break('the end of a share');
$client('FLUSHALL');
?>
--EXPECTF--
a fence: ["RLock\\RLockException, a number",true]
the end of a share: ["RLock\\RLockException, a number",true]

Warning: %s
