--TEST--
A name server that never answers: other servers are used at once, calls end at their deadlines, and so does the process
--SKIPIF--
<?php
exec('unshare --map-root-user --net --mount ip link set lo up 2>/dev/null', result_code: $status);
$status === 0 || die('skip no network of its own can be had here');
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* In a network of its own, where the system asks a socket for names that nobody reads. */
$configuration = temporary_folder() . '/resolv.conf';
file_put_contents($configuration, "nameserver 127.0.0.1\noptions timeout:30 attempts:3\n");
$child = Child::start(<<<'PHP'
    $silent = stream_socket_server('udp://127.0.0.1:53', flags: STREAM_SERVER_BIND);
    function pair(string|array $servers, float $most): string
    {
        $lock = new RLock($servers);
        $result = '';
        $took = seconds(function () use ($lock, &$result) {
            $result = outcome(fn () => [$lock->getLock('key', 1.0), $lock->releaseLock('key')]);
        });
        return $result . ($took <= $most + LATE ? ', in time' : ", after $took s");
    }
    $parent->say(pair(['redis://silent.example?timeout=9', TestServer::start()->url(), TestServer::start()->url()], 0.5));
    $parent->say(pair('redis://silent.example?timeout=0.5', 0.5));
    $parent->say(pair('redis://localhost:' . TestServer::start([], tcp: true)->port, 0.5));
    $sentinel = (new SentinelGroup(1))->sentinels[0]->port;
    $parent->say(pair("sentinel://silent.example,127.0.0.1:$sentinel/mymaster?timeout=9&connect_timeout=1", 1.0));
    $node = (new TestCluster(1))->masters[0]->port;
    $parent->say(pair("cluster://silent.example,127.0.0.1:$node?timeout=9&connect_timeout=1", 1.0));
    $parent->say(threads());
    fclose(STDOUT);
    $parent->say(pair('redis://another.example?timeout=0.5', 0.5));
    $parent->say(threads());
    $parent->say((string) @readlink('/proc/self/fd/1'));
    PHP, within: ['unshare', '--map-root-user', '--net', '--mount', 'sh', '-c',
        'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"', $configuration]);
foreach (['majority', 'one server', 'a name from a file', 'sentinel', 'cluster', 'threads, with one for each name and port',
    'its output closed', 'threads', 'standard output is then'] as $what) {
    say($what, $child->hear());
}
say_took('its end', seconds(fn () => say('ended', $child->wait())), 0.0, 1.0);
?>
--EXPECT--
majority: [true,true], in time
one server: RLock\ConnectionException, in time
a name from a file: [true,true], in time
sentinel: [true,true], in time
cluster: [true,true], in time
threads, with one for each name and port: 3
its output closed: RLock\ConnectionException, in time
threads: 4
standard output is then: 
ended: 0
its end: in time
