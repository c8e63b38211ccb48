--TEST--
S14: too many clients, with a password, in a cluster and behind sentinels: retried within the deadline, and told as that
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Has no room for a new connection, until it has refused one, or for good. */
function fill_up(TestServer $server, string $password, bool $for_good): Child
{
    $child = Child::start('
        [$socket, $password, $for_good] = $args;
        $client = new RawClient("unix://$socket");
        $password === "" || $client("AUTH", $password);
        $before = refusals($client, "");
        $client("CONFIG", "SET", "maxclients", 1);
        $parent->say("full");
        $for_good ? $parent->hear() : await_refusal($client, "", $before);
        $client("CONFIG", "SET", "maxclients", 1000);
        $parent->say("room again");
        $parent->hear();
    ', [$server->socket, $password, $for_good]);
    $child->hear();
    return $child;
}

function told(callable $call): string
{
    try {
        return text($call());
    } catch (RLock\ServerException $e) {
        return "$e->error, " . (str_contains($e->getMessage(), 'max number of clients') ? 'told' : $e->getMessage());
    }
}

/* $url makes an address of a timeout. */
function try_full(string $what, TestServer $server, string $password, callable $url): void
{
    $child = fill_up($server, $password, false);
    say("$what: full for a moment", told(fn () => (new RLock($url(10)))->getLock(unique_key())));
    $child->hear();
    $child = fill_up($server, $password, true);
    say("$what: full", told(fn () => (new RLock($url(1)))->getLock(unique_key())));
}

$server = TestServer::start(['--requirepass', 'geheim']);
try_full('a password', $server, 'geheim', fn ($timeout) => $server->url("persistent=0&password=geheim&timeout=$timeout"));

$cluster = new TestCluster(1);
[$node] = $cluster->masters;
$node->client()('CONFIG', 'SET', 'requirepass', 'geheim');
try_full('a cluster', $node, 'geheim', fn ($timeout) => "cluster://:geheim@127.0.0.1:$node->port?persistent=0&timeout=$timeout");

$group = new SentinelGroup(1, 'geheim', 'wort');
try_full('a master', $group->master, 'geheim',
    fn ($timeout) => $group->url("persistent=0&sentinel_password=wort&timeout=$timeout", ':geheim@'));
?>
--EXPECT--
a password: full for a moment: true
a password: full: ERR, told
a cluster: full for a moment: true
a cluster: full: ERR, told
a master: full for a moment: true
a master: full: ERR, told
