--TEST--
Where no sentinel answers, and no node of a cluster, all of them are named, and why the last one does not
--FILE--
<?php
require __DIR__ . '/../server.inc';

$servers = [TestServer::start(tcp: true), TestServer::start(tcp: true)];
$hosts = implode(',', array_map(fn (TestServer $server) => "127.0.0.1:$server->port", $servers));
$message = function (string $address) use ($hosts, $servers): string {
    try {
        (new RLock($address))->getLock('key');
        return 'taken';
    } catch (RLock\ConnectionException $e) {
        $last = array_map(fn (TestServer $server) => "127.0.0.1:$server->port", $servers);
        return str_replace($last, 'ONE', str_replace($hosts, 'ALL', $e->getMessage()));
    } catch (RLock\ServerException) {
        return 'refused';
    }
};
say('they are no sentinels', $message("sentinel://$hosts/master"));
$servers[0]->kill();
$servers[1]->kill();
say('sentinels', $message("sentinel://$hosts/master?timeout=0.5"));
say('a cluster', $message("cluster://$hosts?timeout=0.5"));
say('one sentinel', $message('sentinel://' . strtok($hosts, ',') . '/master?timeout=0.5'));
?>
--EXPECT--
they are no sentinels: refused
sentinels: Lock "key": None of sentinel://ALL/master answers; the last one: Cannot connect to Redis at ONE: Connection refused
a cluster: Lock "key": None of cluster://ALL answers; the last one: Cannot connect to Redis at ONE: Connection refused
one sentinel: Lock "key": Cannot connect to Redis at ONE: Connection refused