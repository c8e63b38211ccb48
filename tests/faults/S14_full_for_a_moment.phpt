--TEST--
S14: too many clients, with a password, in a cluster and behind sentinels: retried within the deadline, and told as that
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Has no room for a new connection for $seconds. */
function fill_up(TestServer $server, string $password, float $seconds): Child
{
    $child = Child::start('
        [$socket, $password, $seconds] = $args;
        $client = new RawClient("unix://$socket");
        $password === "" || $client("AUTH", $password);
        $client("CONFIG", "SET", "maxclients", 1);
        $parent->say("full");
        usleep((int) ($seconds * 1e6));
        $client("CONFIG", "SET", "maxclients", 1000);
        $parent->say("room again");
        $parent->hear();
    ', [$server->socket, $password, $seconds]);
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
    $child = fill_up($server, $password, 0.3);
    say("$what: full for a moment", told(fn () => (new RLock($url(10)))->getLock(unique_key())));
    $child->hear();
    fill_up($server, $password, 60.0);
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
