--TEST--
rlock doctor: what works is told, and each way to be wrong, with what to do; no key stays behind
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; require __DIR__ . "/../tls/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';
require __DIR__ . '/../tls/tls.inc';

/* What does not work there, or at a price. */
function examine(string $what, string $address, array $servers = [], array $leaveOut = ['persistence', 'round trip']): void
{
    [$status, $output, $errors] = rlock('doctor', '--json', $address);
    $lines = json_decode($output, true);
    $seen = array_count_values(array_column($lines, 'status'));
    echo "$what: $status$errors\n";
    foreach ($lines as ['check' => $check, 'status' => $found, 'says' => $says, 'do' => $do]) {
        if (($found === 'warn' || $found === 'fail') && !in_array($check, $leaveOut, true)) {
            $says = preg_replace(['~(/[\w.-]+)+/[\w-]*\.sock~', '/127\.0\.0\.1:\d+/', '/-?\d+\.\d+ of \d+\.\d+ MiB/', '/is \d+ s from/'],
                ['SERVER', 'SERVER', 'N of N MiB', 'is N s from'], $says);
            echo "    $found $check: $says" . ($do === null ? '' : " | $do") . "\n";
        }
    }
    foreach ($servers as $server) {
        $keys = preg_grep('/doctor/', $server->client()('KEYS', '*'));
        $keys === [] || say('left behind', $keys);
    }
}

$server = TestServer::start();
examine('all is well', $server->url(), [$server]);
[$status, $output] = rlock('doctor', $server->url());
say('for people', [$status, preg_match('/^OK +take +One has it/m', $output), preg_match('/^WARN +persistence +appendonly is off.*Set appendonly/m', $output)]);
say('by RLOCK_SERVERS', rlock('doctor', '--quiet')[0]);
say('nothing left behind', $server->client()('KEYS', '*'));

// Nobody there, or not for us.
[$status, $output, $errors] = rlock('doctor', nowhere());
say('nobody there', [$status, substr_count($output, "\n"), $errors]);
examine('nobody there', nowhere());
say('no address', rlock('doctor', 'redis//x')[0]);
$client = $server->client();
$client('ACL', 'SETUSER', 'all', 'on', '>secret', '~*', '&*', '+@all');
examine('a wrong password', $server->url('user=all&password=wrong'));

// Rights that are missing.
const RIGHTS = ['eval', 'evalsha', 'set', 'mget', 'setrange', 'exists', 'pexpire', 'pttl', 'getrange', 'del', 'time', 'rpush', 'lindex', 'blpop', 'lpop',
    'client|setname', 'client|list', 'client|id', 'client|unblock', 'info', 'scan', 'wait'];
foreach (RIGHTS as $right) {
    $client('ACL', 'SETUSER', 'all', 'reset', 'on', '>secret', '~*', '&*', '+@all', "-$right");
    $found = json_decode(rlock('doctor', '--json', $server->url('user=all&password=secret'))[1], true);
    $named = array_filter($found, fn (array $line) => $line['check'] === 'rights' && $line['do'] === "ACL SETUSER ... +$right");
    say($right, array_column($named, 'status'));
    $right === 'del' && $client('FLUSHALL');
    $keys = $client('KEYS', '*');
    $keys === [] || say('left behind', $keys);
}
$client('ACL', 'SETUSER', 'all', 'reset', 'on', '>secret', '~mine@*', '+@all');
examine('no right to the keys', $server->url('user=all&password=secret'), [$server]);

// The server's state.
$client('CONFIG', 'SET', 'maxmemory', '1');
examine('memory is full', $server->url(), [$server]);
$client('CONFIG', 'SET', 'maxmemory', '1gb');
$client('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
examine('it evicts', $server->url(), [$server]);
$client('CONFIG', 'SET', 'maxmemory', '0');
$client('SET', 'lock@foreign', 'secret');
examine('others under the prefix', $server->url(), [$server]);
$client('DEL', 'lock@foreign');
$renamed = TestServer::start(['--rename-command', 'BLPOP', '', '--rename-command', 'SETRANGE', '']);
examine('renamed commands', $renamed->url(), [$renamed]);

// Its place.
$group = new SentinelGroup(1);
examine('sentinel://', $group->url(), [$group->master]);
examine('a sentinel', 'redis://127.0.0.1:' . $group->sentinels[0]->port);
examine('a replica', $group->replica->url('timeout=0.5'), [$group->replica]);
$cluster = new TestCluster();
examine('cluster://', $cluster->url(), $cluster->masters);
examine('a node of it', $cluster->masters[0]->url());
$cluster->masters[1]->client()('CLUSTER', 'DELSLOTS', $slot = intdiv(16384, 3) + 1);
$cluster->awaitState('fail', [$cluster->masters[1]]);
examine('a slot that nobody has', $cluster->url(), $cluster->masters);
$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
$urls = implode(' ', array_map(fn (TestServer $node) => $node->url(), $nodes));
examine('a majority', $urls, $nodes);
$nodes[2]->kill();
examine('one of them is gone', $urls, [$nodes[0], $nodes[1]]);
$nodes[1]->kill();
examine('two of them are gone', $urls, [$nodes[0]]);

// TLS.
$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'IP:127.0.0.1'));
examine('TLS', $tls->url("cafile=$authority->file"), [$tls->server]);
examine('not verified', $tls->url('verify=0'), [$tls->server]);
examine('an unknown authority', $tls->url());
examine('no TLS there', 'rediss://127.0.0.1:' . $group->master->port . '?connect_timeout=0.3');
examine('TLS, and the address asks for none', "redis://127.0.0.1:$tls->port?timeout=2");
?>
--EXPECT--
