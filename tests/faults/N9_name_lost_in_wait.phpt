--TEST--
N9: a parked waiter whose server's name cannot be resolved any more has the lock as soon as it is given back
--SKIPIF--
<?php
exec('unshare --map-root-user --net --mount ip link set lo up 2>/dev/null', result_code: $status);
$status === 0 || die('skip no network of its own can be had here');
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* In a network of its own, where the system first knows the name, and then asks a socket that nobody reads. */
$folder = temporary_folder();
file_put_contents("$folder/resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:3\n");
file_put_contents("$folder/hosts", "127.0.0.1 localhost redis.example\n");
$child = Child::start(<<<'PHP'
    $silent = stream_socket_server('udp://127.0.0.1:53', flags: STREAM_SERVER_BIND);
    $server = TestServer::start([], tcp: true);
    $client = $server->client();
    $holder = new RLock($server->url());
    ignore($holder->getLock('key', ttl: 60.0));
    $waiter = Child::start('
        $lock = new RLock($args["server"]);
        $parent->say(outcome(fn () => $lock->getLock("key", wait: INF)));
        $parent->hear();
    ', ['server' => "redis://redis.example:$server->port?timeout=0.5"]);
    $client->awaitBlocked(1);
    file_put_contents($args['hosts'], "127.0.0.1 localhost\n");
    usleep(3_500_000);                              // a flag that is raised for the first look alone is down by now
    $parent->say($waiter->silent(0.0));
    $holder->releaseLock('key');
    $parent->say($waiter->hear());
    PHP, ['hosts' => "$folder/hosts"], within: ['unshare', '--map-root-user', '--net', '--mount', 'sh', '-c',
        'ip link set lo up && mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/hosts && shift && exec "$@"',
        "$folder/resolv.conf", "$folder/hosts"]);
say('waits', $child->hear());
say('is woken', $child->hear());
?>
--EXPECT--
waits: true
is woken: true
