--TEST--
rlock on a Redis Cluster and on a majority
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

function try_all(string $what, string $servers, array $keys): void
{
    putenv("RLOCK_SERVERS=$servers");
    $holders = array_map(fn (string $key) => Program::start('run', $key, '--', 'sh', '-c', 'echo up; exec cat'), $keys);
    foreach ($holders as $holder) {
        $holder->awaitOutput('up');
    }
    say("$what, who", json_decode(rlock('who', $keys[0], '--json')[1])->kind);
    say('busy', rlock('run', $keys[0], '--quiet', '--', 'echo', 'ran'));
    $found = array_column(json_decode(rlock('ls', '--json')[1], true), 'key');
    sort($found);
    say('ls', $found === $keys);
    $waiter = Program::start('run', $keys[0], '--wait', '60', '--', 'echo', 'its turn');
    $last = Program::start('wait', $keys[1], '--wait', '60');
    foreach ($holders as $holder) {
        $holder->closeInput();
        say('holder', $holder->wait());
    }
    say('waiter', $waiter->finished());
    say('wait', $last->wait());
}

$cluster = new TestCluster();
$keys = [$cluster->keyOn(0), $cluster->keyOn(1), $cluster->keyOn(2)];
sort($keys);
try_all('cluster', $cluster->url(), $keys);

$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
try_all('majority', implode(' ', array_map(fn (TestServer $node) => $node->url(), $nodes)), ['a', 'b', 'c']);
?>
--EXPECT--
cluster, who: lease
busy: [75,"",""]
ls: true
holder: 0
holder: 0
holder: 0
waiter: [0,"its turn\n",""]
wait: 0
majority, who: lease
busy: [75,"",""]
ls: true
holder: 0
holder: 0
holder: 0
waiter: [0,"its turn\n",""]
wait: 0
