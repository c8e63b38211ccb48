--TEST--
rlock doctor: faults of a server's version that matter to locks, and no others
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

/* Stands before a server, and has it say that it is another. */
const DISGUISE = <<<'PHP'
    $listener = stream_socket_server("unix://$args[listen]");
    $parent->say('listening');
    $to = [];
    while (true) {
        $ready = [$listener, ...array_column($to, 'from')];
        $none = null;
        if (!stream_select($ready, $none, $none, null)) {
            continue;
        }
        foreach ($ready as $stream) {
            if ($stream === $listener) {
                $client = stream_socket_accept($listener);
                $server = stream_socket_client("unix://$args[server]");
                $to[(int) $client] = ['from' => $client, 'to' => $server];
                $to[(int) $server] = ['from' => $server, 'to' => $client];
                continue;
            }
            $bytes = fread($stream, 65536);
            if ($bytes === '' || $bytes === false) {
                $other = $to[(int) $stream]['to'];
                unset($to[(int) $stream], $to[(int) $other]);
                fclose($other);
                fclose($stream);
                continue 2;
            }
            /* As long as it was. */
            $bytes = preg_replace_callback('/^(redis|valkey)_version:([\d.]+)/m', function (array $found) use ($args) {
                [, $product, $version] = $found;
                $name = $product === $args['product'] ? $product : str_repeat('x', strlen($product));
                [$major, $minor, $patch] = explode('.', $args['version']);
                return "{$name}_version:$major.$minor." . str_pad($patch, strlen($version) - strlen("$major.$minor."), '0', STR_PAD_LEFT);
            }, $bytes);
            fwrite($to[(int) $stream]['to'], $bytes);
        }
    }
    PHP;

$server = TestServer::start();
foreach (['redis 6.2.6', 'redis 6.2.7', 'redis 7.0.0', 'redis 7.2.1', 'redis 7.2.2', 'redis 7.2.4', 'redis 7.2.5', 'redis 8.0.1'] as $i => $as) {
    [$product, $version] = explode(' ', $as);
    $socket = temporary_folder() . "/disguise$i.sock";
    $disguise = Child::start(DISGUISE, ['listen' => $socket, 'server' => $server->socket, 'product' => $product, 'version' => $version]);
    $disguise->hear();
    $told = told_of('version', findings("unix://$socket?timeout=10")[1]);
    $first = array_shift($told);
    say($as, [preg_match('/^ok: .* is (\w+ \d\.\d)\.0*(\d+)$/', $first, $match) ? "$match[1].$match[2]" : $first, ...$told]);
    $disguise->kill();
}
?>
--EXPECT--
redis 6.2.6: ["Redis 6.2.6","warn: Scripts ignore min-replicas-to-write: a master that was cut off goes on granting locks | Upgrade to 6.2.7 or later"]
redis 6.2.7: ["Redis 6.2.7"]
redis 7.0.0: ["Redis 7.0.0"]
redis 7.2.1: ["Redis 7.2.1","warn: WAITAOF may time out where nothing else is written: `durable` locks are refused then | Upgrade to 7.2.2 or later","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.2: ["Redis 7.2.2","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.4: ["Redis 7.2.4","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.5: ["Redis 7.2.5"]
redis 8.0.1: ["Redis 8.0.1"]
