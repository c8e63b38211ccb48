--TEST--
A session's lock says which page has it: neither the query nor a fragment, where secrets are, is stored or told
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
$port = free_port();
$page = temporary_folder() . '/page.php';
file_put_contents($page, '<?php
    session_id($_GET["id"]);
    session_start();
    $key = "PHPREDIS_SESSION:" . session_id() . "_LOCK";
    echo json_encode((new RLock(prefix: ""))->holder($key)?->metadata), "\n";
');
$output = ['file', temporary_folder() . '/server.log', 'a'];
$site = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' ' . SESSION_SETTINGS
    . ' -d rlock.session.wait=0 -d ' . escapeshellarg('rlock.servers="' . $server->url() . '"') . " -S 127.0.0.1:$port " . escapeshellarg($page)],
    [['file', '/dev/null', 'r'], $output, $output]);
await('the site', fn () => @stream_socket_client("tcp://127.0.0.1:$port"));
$get = fn (string $path) => file_get_contents("http://127.0.0.1:$port$path", context: stream_context_create(['http' => ['timeout' => 60.0]]));

foreach (['/report?token=geheim&id=', '/report/geheim2?id=', '/?id='] as $path) {
    echo "$path: ", $get($path . new_id());
}
/* Also where the query has the id of another. */
$id = new_id();
echo "an id in the path: ", preg_replace('/#[0-9a-f]{8}/', '#HASH', $get("/$id?id=$id"));

/* And what another page is told of one that has it. */
$page = holder($id = new_id(), '', ['rlock.servers' => $server->url()]);
$lock = new RLock($server->url(), prefix: '');
say('a script', preg_replace('~^/\S+/child-\w+\.php$~', 'PATH', $lock->holder(session_lock($id))->metadata));
$page->kill();
?>
--EXPECT--
/report?token=geheim&id=: "GET \/report"
/report/geheim2?id=: "GET \/report\/geheim2"
/?id=: "GET \/"
an id in the path: "GET \/#HASH"
a script: PATH
