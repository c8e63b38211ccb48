--TEST--
An id in the path of the request is not in the lock's metadata, however it is spelt and however long the path is
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$raw = $server->client();
/* What the lock's value and holder() say, of a page at this place. */
$ask = function (string $what, string $id, string $place) use ($server): void {
    $page = temporary_folder() . "/$place/page.php";
    is_dir(dirname($page)) || mkdir(dirname($page), recursive: true);
    file_put_contents($page, '<?php session_id($argv[1]); session_start(); $f = stream_socket_client("unix://$argv[2]");'
        . ' fwrite($f, "GET PHPREDIS_SESSION:$argv[1]_LOCK\r\n"); $length = (int) substr(fgets($f), 1); echo stream_get_contents($f, $length), "\n";'
        . ' echo (new RLock("unix://$argv[2]", prefix: ""))->holder("PHPREDIS_SESSION:$argv[1]_LOCK")->metadata;');
    $said = shell_exec(escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' ' . SESSION_SETTINGS
        . ' -d ' . escapeshellarg("rlock.servers=\"{$server->url()}\"") . ' ' . implode(' ', array_map(escapeshellarg(...), [$page, $id, $server->socket])));
    say($what, [str_contains($said, $id), str_contains($said, rawurlencode($id)), substr($id, 0, 16) !== '' && str_contains($said, substr($id, 0, 16)),
        preg_match_all('/#[0-9a-f]{8}/', $said)]);
};
$ask('as it is', $id = new_id(), "s/$id/report");
$ask('twice', $id = new_id(), "$id/$id");
$ask('with a comma, percent-encoded', 'aB3,' . substr(new_id(), 4), 's/aB3%2C');
$ask('percent-encoded', $id = 'aB3,' . substr(new_id(), 4), 's/' . rawurlencode($id));
$ask('where it is cut', $id = new_id(), str_repeat('x', max(1, 183 - strlen(temporary_folder()))) . "/$id");
$ask('none', new_id(), 's');
?>
--EXPECT--
as it is: [false,false,false,2]
twice: [false,false,false,4]
with a comma, percent-encoded: [false,false,false,0]
percent-encoded: [false,false,false,2]
where it is cut: [false,false,false,2]
none: [false,false,false,0]
