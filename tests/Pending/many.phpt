--TEST--
Pending: a thousand in one process, with bounded memory and descriptors
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$child = Child::start('
    require "' . __DIR__ . '/../pending.inc";
    $client = new RawClient("unix://" . $args[1]);
    $holder = new RLock($args[0], ttl: 300.0);
    $lock = new RLock($args[0], ttl: 300.0);
    $lock->releaseLock("warm", $lock->getLock("warm") ? 0.0 : 1.0);
    $before = descriptors();
    $memory = (int) preg_replace("/.*VmRSS:\s+(\d+).*/s", "$1", file_get_contents("/proc/self/status"));
    $keys = array_map(fn ($i) => "key $i", range(1, 1000));
    ignore($holder->getLocks($keys));
    $pending = array_map(fn ($key) => $lock->requestLock($key), $keys);
    $streams = array_map(fn ($one) => $one->stream(), $pending);
    $undecided = fn () => count(array_filter($pending, fn ($one) => $one->poll() === null));
    await("all parked", fn () => $undecided() === 1000 && $client->info("blocked_clients") === 1000);
    $parent->say(descriptors() - $before <= 5000);
    $parent->say((int) preg_replace("/.*VmRSS:\s+(\d+).*/s", "$1", file_get_contents("/proc/self/status")) - $memory < 40 * 1024);
    $holder->releaseAll();
    $parent->say(await("all decided", fn () => $undecided() === 0));
    $parent->say(count(array_filter($pending, fn ($one) => $one->poll())));
    $lock->releaseAll();
    unset($pending, $streams, $undecided);
    $parent->say(descriptors() - $before < 100);
    ignore($holder->getLocks($keys));
    $pending = array_map(fn ($key) => $lock->requestLock($key), $keys);
    await("all parked", function () use ($pending, $client) {
        array_map(fn ($one) => $one->poll(), $pending);
        return $client->info("blocked_clients") === 1000;
    });
    $cpu = fn () => array_sum(array_map(fn ($which) => getrusage()["ru_$which.tv_sec"] + getrusage()["ru_$which.tv_usec"] / 1e6, ["utime", "stime"]));
    $before_cpu = $cpu(); // what others take of a busy machine does not count
    array_map(fn ($one) => $one->cancel(), array_splice($pending, 0, 500));
    $server = $client->info("process_id");
    exec("kill -STOP $server"); // it takes no more than there is room for
    array_map(fn ($one) => $one->cancel(), $pending);
    exec("kill -CONT $server");
    $parent->say($cpu() - $before_cpu < 1.0);
    await("nobody parked, without another call", fn () => $client->info("blocked_clients") === 0);
    unset($pending);
    $parent->say(await("nothing leaks", fn () => $lock->stats() && descriptors() - $before < 100));
', [$server->url(), substr(explode('?', $server->url())[0], 7)], within: ['prlimit', '--nofile=8192']);
foreach (['descriptors', 'memory', 'woken', 'held', 'given back', 'cancelled at once', 'nothing leaks'] as $what) {
    say($what, $child->hear(60.0));
}
say('ended with', $child->wait());
?>
--EXPECT--
descriptors: true
memory: true
woken: true
held: 1000
given back: true
cancelled at once: true
nothing leaks: true
ended with: 0
