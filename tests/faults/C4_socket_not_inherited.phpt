--TEST--
C4: a program that a waiter started does not inherit its connections
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$child = Child::start('
    $sockets = fn ($pid) => array_filter(array_map(
        fn ($file) => (string) @readlink("/proc/$pid/fd/$file"), scandir("/proc/$pid/fd")
    ), fn ($name) => str_starts_with($name, "socket:"));
    $before = $sockets(getmypid());
    $lock = new RLock($args["url"]);
    ignore($lock->getLock("held", ttl: 60.0));
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, function () use ($parent, $sockets, $before) {
        $null = ["file", "/dev/null", "r+"];
        $GLOBALS["program"] = proc_open(["sleep", "60"], [$null, $null, $null], $pipes);
        $pid = proc_get_status($GLOBALS["program"])["pid"];
        await("the program runs", fn () => file_get_contents("/proc/$pid/comm") === "sleep\\n");
        $ours = count(array_diff($sockets(getmypid()), $before));
        $parent->say([$pid, $ours, count(array_diff($sockets($pid), $before))]);
    });
    ignore($lock->getLock("key", wait: INF));
', ['url' => $server->url()]);
$client->awaitBlocked(1);
$child->signal(SIGUSR1);
[$pid, $ours, $theirs] = $child->hear();
say('sockets of the waiter', $ours >= 1);
say('of these in the program', $theirs);
$child->kill();
await('the server knows', fn () => $client->info('blocked_clients') === 0, 3.0);
say('the program lives on', send_signal($pid, 0));
send_signal($pid, SIGKILL);
?>
--EXPECT--
sockets of the waiter: true
of these in the program: 0
the program lives on: true
