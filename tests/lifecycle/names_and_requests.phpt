--TEST--
A process of many requests: none of them is led to where another has found its servers, by a look-up under way or a kept connection, and none waits for the look-ups of another
--SKIPIF--
<?php
exec('unshare --map-root-user --net --mount ip link set lo up 2>/dev/null', result_code: $status);
$status === 0 || die('skip no network of its own can be had here');
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

/*
 * In a network of its own, with a name server that knows "redis" and "other.test", and never answers for "silent.test".
 * A request that sets HOSTALIASES reaches one of these by the name "redis". The site's code is run in one process.
 */
$folder = temporary_folder();
file_put_contents("$folder/resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:3\n");
file_put_contents("$folder/silent", 'redis x.silent.test');
file_put_contents("$folder/other", 'redis other.test');
file_put_contents("$folder/index.php", <<<'PHP'
    <?php
    for ($i = 0; $i < $_GET['unknown']; $i++) {
        try {
            (new RLock("redis://$i.silent.test?connect_timeout=0.001&timeout=0.001"))->getLock('x');
        } catch (RLock\ConnectionException) {
        }
    }
    if ($_GET['aliases'] && !$_GET['late']) {
        putenv('HOSTALIASES=' . __DIR__ . "/$_GET[aliases]");
    }
    $locks = new RLock("redis://redis:$_GET[port]?$_GET[options]");
    if ($_GET['aliases'] && $_GET['late']) {
        putenv('HOSTALIASES=' . __DIR__ . "/$_GET[aliases]");
    }
    try {
        echo json_encode($locks->getLock($_GET['key']));
    } catch (RLock\ConnectionException $e) {
        echo json_encode(strstr($e->getMessage(), 'its name'));
    }
    PHP);
$code = <<<'PHP'
    $names = Child::start('
        $socket = stream_socket_server("udp://127.0.0.1:53", flags: STREAM_SERVER_BIND);
        $parent->say("ready");
        while (true) {
            $query = stream_socket_recvfrom($socket, 512, 0, $peer);
            $at = 12;
            for ($name = []; $length = ord($query[$at]); $at += 1 + $length) {
                $name[] = substr($query, $at + 1, $length);
            }
            $address = ["redis" => "127.0.0.1", "other.test" => "127.0.0.66"][implode(".", $name)] ?? null;
            $is_v4 = ord($query[$at + 2]) === 1;
            if ($address || end($name) !== "test") {
                stream_socket_sendto($socket, substr($query, 0, 2) . ($address ? "\x81\x80" : "\x81\x83") . pack("nnnn", 1, $address && $is_v4 ? 1 : 0, 0, 0)
                    . substr($query, 12, $at - 7) . ($address && $is_v4 ? "\xc0\x0c" . pack("nnNn", 1, 1, 0, 4) . inet_pton($address) : ""), 0, $peer);
            }
        }
    ');
    $names->hear();
    $ours = TestServer::start([], tcp: true);
    $other = TestServer::start(['--bind', '127.0.0.66'], port: $ours->port);
    $port = free_port();
    $site = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
        . " -d display_errors=0 -d log_errors=0 -S 127.0.0.1:$port -t " . escapeshellarg($args['folder'])],
        [['file', '/dev/null', 'r'], ['file', '/dev/null', 'a'], ['file', '/dev/null', 'a']]);
    await('answer of the site', fn () => @fsockopen('127.0.0.1', $port) !== false);
    $ask = fn (string $key, string $aliases = '', string $options = 'timeout=9', bool $late = false, int $unknown = 0) => json_decode(file_get_contents(
        "http://127.0.0.1:$port/?" . http_build_query(['port' => $ours->port, 'late' => (int) $late] + compact('key', 'aliases', 'options', 'unknown'))));
    $counts = function () use ($ours, $other): array {
        $counts = [$ours->client()('DBSIZE'), $other->client()('DBSIZE')];
        $ours->client()('FLUSHALL');
        $other->client()('FLUSHALL');
        return array_map(fn (int $keys) => $keys > 0, $counts);
    };
    foreach ([
        ['one that asks where nobody answers', 'silent', 'connect_timeout=0.05&timeout=0.05', false],
        ['one without aliases, meanwhile', '', 'timeout=9', false],
        ['one with aliases', 'other', 'timeout=9', false],
        ['one without', '', 'timeout=9', false],
        ['one that sets them when it has its RLock', 'other', 'timeout=9', true],
        ['one without', '', 'timeout=9', false],
        ['one that sets them late, without a kept connection', 'other', 'timeout=9', true],
        ['one without', '', 'timeout=9', false],
        ['one with 40 names that nobody knows', '', 'connect_timeout=0.05&timeout=0.05', false, 40],
        ['one whose name is known, meanwhile', '', 'timeout=9', false],
    ] as $i => $request) {
        [$what, $aliases, $options, $late] = $request;
        if (in_array($i, [6, 8, 9])) {
            $ours->client()('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        }
        $parent->say([$what, $ask("key$i", $aliases, $options, $late, $request[4] ?? 0), $counts()]);
    }
    $parent->say(null);
    $site->signal('INT');
    $site->wait();
    $names->kill();
    PHP;
$child = Child::start($code, ['folder' => $folder], within: ['unshare', '--map-root-user', '--net', '--mount', 'sh', '-c',
    'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"', "$folder/resolv.conf"]);
while ($told = $child->hear()) {
    say($told[0], ['said' => $told[1], 'on ours' => $told[2][0], 'on the other' => $told[2][1]]);
}
say('ended', $child->wait());
?>
--EXPECT--
one that asks where nobody answers: {"said":"its name was not resolved within the timeout; does the name server answer?","on ours":false,"on the other":false}
one without aliases, meanwhile: {"said":true,"on ours":true,"on the other":false}
one with aliases: {"said":true,"on ours":false,"on the other":true}
one without: {"said":true,"on ours":true,"on the other":false}
one that sets them when it has its RLock: {"said":true,"on ours":true,"on the other":false}
one without: {"said":true,"on ours":true,"on the other":false}
one that sets them late, without a kept connection: {"said":true,"on ours":false,"on the other":true}
one without: {"said":true,"on ours":true,"on the other":false}
one with 40 names that nobody knows: {"said":"its name was not resolved within the timeout; does the name server answer?","on ours":false,"on the other":false}
one whose name is known, meanwhile: {"said":true,"on ours":true,"on the other":false}
ended: 0
