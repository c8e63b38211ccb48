--TEST--
Each spelling of session.save_path that phpredis reads means the same here, or is refused
--EXTENSIONS--
session
--SKIPIF--
<?php
if (!glob(ini_get('extension_dir') . '/redis.so')) {
    die('skip phpredis is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/session.inc';

$load = (glob(ini_get('extension_dir') . '/igbinary.so') ? ' -d extension=igbinary' : '') . ' -d extension=redis';
putenv('TEST_PHP_EXTRA_ARGS=' . getenv('TEST_PHP_EXTRA_ARGS') . $load);

$open = TestServer::start(tcp: true);
$closed = TestServer::start(['--requirepass', 'p&s s%,#', '--databases', '4'], tcp: true);
$ours = TestServer::start();
$client = $closed->client();
$client('AUTH', 'p&s s%,#');
$client('ACL', 'SETUSER', 'me', 'on', '>secret', '~*', '&*', '+@all');
$clients = ['open' => $open->client(), 'closed' => $client, 'rlock.servers' => $ours->client()];
$folder = dirname($open->socket);
symlink($open->socket, "$folder/with%20percent");
symlink($closed->socket, "$folder/with percent");
mkdir("$folder/folder");

$password = rawurlencode('p&s s%,#');
$tcp = 'tcp://127.0.0.1:OPEN';
$spellings = [
    $tcp, "$tcp/", "$tcp/3", "$tcp/3?database=2", "$tcp/3/?database=2", "$tcp?database=2", "$tcp?database=02", "$tcp?database=", "$tcp#2",
    "$tcp?prefix=", "$tcp?prefix", "$tcp?prefix=a:", "$tcp?prefix=a%20b+c:", "$tcp?prefix=a&prefix=b", "$tcp?prefix=a%2523", "$tcp?prefix=a#b:", "$tcp?PREFIX=a",
    "$tcp?weight=2&timeout=2.5&read_timeout=2.5", "$tcp?persistent=1&persistent_id=a&retry_interval=100", "$tcp?persistent=0&database=1",
    'tcp://localhost:OPEN', 'tcp://user:word@127.0.0.1:OPEN?database=1', 'tcp://:word@127.0.0.1:OPEN', '//127.0.0.1:OPEN?database=2', '//127.0.0.1:OPEN',
    " $tcp", ",$tcp", "$tcp,", "$tcp \t",
    "tcp://127.0.0.1:CLOSED?auth=$password&database=2", "tcp://127.0.0.1:CLOSED?auth[]=me&auth[]=secret", "tcp://127.0.0.1:CLOSED?auth[user]=me&auth[pass]=secret&database=1",
    "tcp://127.0.0.1:CLOSED?auth%5B%5D=$password", "tcp://127.0.0.1:CLOSED?auth[pass]=$password&database=3", "tcp://me:secret@127.0.0.1:CLOSED", 'tcp://127.0.0.1:CLOSED', 'tcp://127.0.0.1:CLOSED?auth=',
    'unix://SOCKET', 'unix:SOCKET', 'unix:///SOCKET', 'unix://SOCKET?database=2', 'unix:SOCKET?database=2', 'unix://SOCKET?timeout=2', 'unix://SOCKET?persistent=1', 'unix://SOCKET?weight=1&database=1',
    'unix://SOCKET?prefix=', 'unix://SOCKET?prefix=a:', 'unix:/SOCKET', 'unix:socket', 'unix://socket',
    'unix://FOLDER/with%20percent', 'unix://FOLDER/with%20percent?database=1', 'unix://FOLDER/with%20percent?timeout=2',
    'SOCKET', 'SOCKET?database=2', 'SOCKET?database=', 'SOCKET?prefix=', 'SOCKET?prefix=a:&database=1', ' SOCKET', 'SOCKET#x', '/SOCKET', 'FOLDER/with%20percent', 'FOLDER/nothing', 'FOLDER/folder?database=2',
    'tcp:127.0.0.1:OPEN', 'tcp:/127.0.0.1:OPEN', 'tcp:///127.0.0.1:OPEN', 'TCP://127.0.0.1:OPEN', 'localhost:OPEN?database=1', "$tcp;database=2", "$tcp&database=2",
    /* What phpredis guesses, or has several of, is refused. */
    "$tcp?database=-1", "$tcp?database=2x", "$tcp?database=+2", "$tcp?database=%202", "$tcp?database=2#x", "$tcp?database[]=2", "$tcp?database=1;prefix=x", "$tcp?database=1&amp;prefix=x",
    "$tcp?prefix[]=a", "$tcp?prefix=a%00b", "$tcp?auth[]=a&auth[]=b&auth[]=c", "$tcp?word=1", 'localhost:OPEN', 'file://SOCKET', 'SOCKET?database=2#x',
    "$tcp,$tcp?database=1", "$tcp\t$tcp", "$tcp?prefix=a,b", "$tcp?prefix=a b", 'unix://SOCKET, unix://SOCKET?database=1', 'SOCKET,SOCKET',
    /* What it refuses; and, last, an address of ours whose option it does not know. */
    "$tcp?timeout=0", 'FOLDER/folder', '5;FOLDER/folder', '5;0600;FOLDER/folder', '5;FOLDER/nothing', 'redis://127.0.0.1:OPEN/2', 'unix://SOCKET?db=2',
];
$paths = str_replace(['OPEN', 'CLOSED', 'SOCKET', 'FOLDER'], [$open->port, $closed->port, $open->socket, $folder], $spellings);

/* Where each has put its session. */
function places(array $clients, array $paths, array $settings): array
{
    page('ob_start();
        foreach ($args["paths"] as $i => $path) {
            ini_set("session.save_path", $path);
            session_id(sprintf("spelling%03d", $i));
            $_SESSION = [];
            try {
                if (@session_start()) {
                    $_SESSION["n"] = 1;
                    @session_write_close();
                }
            } catch (RedisException) {
            }
        }', ['paths' => $paths], $settings)->wait();
    $places = [];
    foreach ($clients as $name => $client) {
        foreach (range(0, 3) as $database) {
            $client('SELECT', $database);
            foreach (preg_grep('/^(?!rlock:).*spelling\d+$|^a$/s', $client('KEYS', '*')) as $key) {
                $places[(int) substr($key, -3)][] = "$name/$database " . substr($key, 0, -11);
            }
        }
        $client('FLUSHALL');
    }
    return $places;
}
$theirs = places($clients, $paths, ['session.save_handler' => 'redis']);
$mine = places($clients, $paths, ['rlock.servers' => $ours->url()]);
$found = [];
foreach ($spellings as $i => $spelling) {
    $what = ($mine[$i] ?? null) === ($theirs[$i] ?? null) ? (isset($mine[$i]) ? 'the same' : 'refused by both') : (!isset($mine[$i]) ? 'refused' : (isset($theirs[$i]) ? 'ANOTHER PLACE' : 'only ours'));
    $found[$what][] = $what === 'ANOTHER PLACE' || $what === 'only ours' ? "$spelling: " . implode(', ', $mine[$i]) : $spelling;
}
say('the same', count($found['the same']));
foreach (['refused by both', 'refused', 'only ours', 'ANOTHER PLACE'] as $what) {
    echo "$what:\n    ", str_replace("\t", '\t', implode("\n    ", $found[$what] ?? [])), "\n";
}
?>
--EXPECT--
the same: 54
refused by both:
    tcp://me:secret@127.0.0.1:CLOSED
    tcp://127.0.0.1:CLOSED
    tcp://127.0.0.1:CLOSED?auth=
    unix:/SOCKET
    unix:socket
    unix://socket
    /SOCKET
    FOLDER/nothing
    FOLDER/folder?database=2
    tcp:127.0.0.1:OPEN
    tcp:/127.0.0.1:OPEN
    tcp:///127.0.0.1:OPEN
    TCP://127.0.0.1:OPEN
    localhost:OPEN?database=1
    tcp://127.0.0.1:OPEN;database=2
    tcp://127.0.0.1:OPEN&database=2
refused:
    tcp://127.0.0.1:OPEN?PREFIX=a
    tcp://127.0.0.1:OPEN?database=-1
    tcp://127.0.0.1:OPEN?database=2x
    tcp://127.0.0.1:OPEN?database=+2
    tcp://127.0.0.1:OPEN?database=%202
    tcp://127.0.0.1:OPEN?database=2#x
    tcp://127.0.0.1:OPEN?database[]=2
    tcp://127.0.0.1:OPEN?database=1;prefix=x
    tcp://127.0.0.1:OPEN?database=1&amp;prefix=x
    tcp://127.0.0.1:OPEN?prefix[]=a
    tcp://127.0.0.1:OPEN?prefix=a%00b
    tcp://127.0.0.1:OPEN?auth[]=a&auth[]=b&auth[]=c
    tcp://127.0.0.1:OPEN?word=1
    localhost:OPEN
    file://SOCKET
    SOCKET?database=2#x
    tcp://127.0.0.1:OPEN,tcp://127.0.0.1:OPEN?database=1
    tcp://127.0.0.1:OPEN\ttcp://127.0.0.1:OPEN
    tcp://127.0.0.1:OPEN?prefix=a,b
    tcp://127.0.0.1:OPEN?prefix=a b
    unix://SOCKET, unix://SOCKET?database=1
    SOCKET,SOCKET
only ours:
    tcp://127.0.0.1:OPEN?timeout=0: open/0 PHPREDIS_SESSION:
    FOLDER/folder: rlock.servers/0 PHPREDIS_SESSION:
    5;FOLDER/folder: rlock.servers/0 PHPREDIS_SESSION:
    5;0600;FOLDER/folder: rlock.servers/0 PHPREDIS_SESSION:
    5;FOLDER/nothing: rlock.servers/0 PHPREDIS_SESSION:
    redis://127.0.0.1:OPEN/2: open/2 PHPREDIS_SESSION:
ANOTHER PLACE:
    unix://SOCKET?db=2: open/2 PHPREDIS_SESSION:
