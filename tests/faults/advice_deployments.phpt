--TEST--
An address that does not fit what is there: the message says what is wrong, and what to write instead
--FILE--
<?php
require __DIR__ . '/../server.inc';

function told(string $url, string $key = 'key', float $wait = 0.0): void
{
    $lock = new RLock($url);
    try {
        answered(fn () => $lock->getLock($key, $wait));
        echo "nothing\n";
    } catch (RLock\ServerException $e) {
        echo $e->error, ' ', preg_replace(['/^Lock "\S+": Redis at \S+ refused/', '/: (\w+)[^;]*;/'], ['refused', ': $1 ...;'], $e->getMessage()), "\n";
    }
    @$lock->close(); // the last try of a call may have had too little time to be answered, and is in doubt
}

$single = TestServer::start(tcp: true);
$query = 'timeout=0.3&persistent=0';
told("sentinel://127.0.0.1:$single->port/mymaster?$query");
told("cluster://127.0.0.1:$single->port?$query");
$single->client()('REPLICAOF', '127.0.0.1', '1');
told("redis://127.0.0.1:$single->port?$query");

$group = new SentinelGroup(sentinels: 1);
told("redis://127.0.0.1:{$group->sentinels[0]->port}?$query");
told("cluster://127.0.0.1:{$group->sentinels[0]->port}?$query");

$cluster = new TestCluster();
[$a, $b] = $cluster->masters;
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
told("redis://127.0.0.1:$b->port?$query", $key);

/* A right that is missing inside a script, and outside of one; a command that is not there. */
$user = TestServer::start();
$user->client()('ACL', 'SETUSER', 'tom', 'reset', 'on', '>secret', '~*', '+@all', '-mget', '-set');
told($user->url("user=tom&password=secret&$query"));
$user->client()('ACL', 'SETUSER', 'tom', '-evalsha');
told($user->url("user=tom&password=secret&$query"));
told(TestServer::start(['--rename-command', 'SET', ''])->url($query));

/* A move that has stopped halfway: the lock's own key is there, another is not. */
$a->client()('SET', fence_key($key), '1');
$cluster->beginMove($slot, $a, $b);
told($cluster->url($query), $key);
?>
--EXPECT--
ERR refused: ERR ...; it is no sentinel: a single server's address begins with redis://, and sentinels are asked at a port of their own
ERR refused: ERR ...; it is a single server, whose address begins with redis://
READONLY refused: READONLY ...; it is a replica, and for the whole call its address led to no master: if ...; if not, give an address that leads to the master, or sentinels (sentinel://), which know it
ERR refused: ERR ...; rlock needs it: was it renamed, or is this a sentinel, whose address begins with sentinel://?
ERR refused: ERR ...; rlock needs it: was it renamed, or is this a sentinel, whose address begins with sentinel://?
MOVED refused: MOVED ...; it is a node of a Redis Cluster, whose address begins with cluster://
NOPERM refused: ERR ...; the user lacks a right: ACL LOG on the server tells which, "Rights" in docs/operations.md what to grant
NOPERM refused: NOPERM ...; the user lacks a right: ACL LOG on the server tells which, "Rights" in docs/operations.md what to grant
ERR refused: ERR ...; rlock's scripts need it: was one renamed? "Rights" in docs/operations.md lists them
TRYAGAIN refused: TRYAGAIN ...; its slot is just being moved; if it stays so, the move was left halfway: redis-cli --cluster fix ends it
