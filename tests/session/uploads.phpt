--TEST--
How far an upload has come is written where nobody has the session, and never waited for; session.auto_start waits
--EXTENSIONS--
session
posix
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/site.inc';

$server = TestServer::start(tcp: true);
$client = $server->client();
$code = '
    if (isset($_GET["holds"])) {
        session_start();
        for ($end = microtime(true) + 30; !file_exists($_GET["holds"]) && microtime(true) < $end; usleep(1000)) {
            clearstatcache();
        }
        exit("held");
    }
    if (ini_get("session.auto_start")) {
        $_SESSION["n"]++;
        exit(json_encode([session_id() === $_COOKIE["PHPSESSID"], $_SESSION["n"]]));
    }
    $size = $_FILES["file"]["size"] ?? 0;
    session_start(["read_and_close" => true]);
    echo $size, " ", json_encode(array_map(fn ($of) => is_array($of) ? $of["bytes_processed"] > 1000 : $of, $_SESSION));';
$site = new Site($code, ['site' => ['rlock.servers' => "redis://127.0.0.1:$server->port?timeout=10", 'session.upload_progress.enabled' => '1', 'session.upload_progress.cleanup' => '0',
    'session.upload_progress.freq' => '1', 'session.upload_progress.min_freq' => '0', 'rlock.session.wait' => '20'],
    'auto' => ['rlock.servers' => "redis://127.0.0.1:$server->port?timeout=10", 'session.auto_start' => '1', 'session.use_strict_mode' => '1']], 4);
$id = new_id();
$body = "--B\r\nContent-Disposition: form-data; name=\"PHP_SESSION_UPLOAD_PROGRESS\"\r\n\r\nx\r\n"
    . "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" . str_repeat('a', 300_000) . "\r\n--B--\r\n";
$header = "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: " . strlen($body) . "\r\n";
$client('SET', data_key($id), 'n|i:1;');
say('free', $site->answer($site->ask('/', $id, $header, $body)));
$client('SET', data_key($id), 'n|i:2;');
$holds = $site->ask("/?holds=$site->folder/go", $id);
await('it is held', fn () => !is_free($client, $id));
say_took('held, it takes', seconds(function () use ($site, $id, $header, $body) {
    say('held', $site->answer($site->ask('/', $id, $header, $body)));
}), 0.0, 3.0);
$auto = $site->ask('/auto/', $id);
await('one that session.auto_start has wait', fn () => preg_match('/^blocked_clients:1\r/m', $client('INFO', 'clients')));
touch("$site->folder/go");
say('the other', $site->answer($holds));
say('and the one that waited', $site->answer($auto));
say('its data', $client('GET', data_key($id)));
$log = $site->log();
say('no word of a busy session', substr_count($log, 'stayed busy'));
say('nor of one that cannot be read', substr_count($log, 'Failed to read'));
say('nor an id', substr_count($log, $id));
say('free at last', is_free($client, $id));

/* PHP has not loaded the serializer that is named. PHP 8.6.0RC3 itself crashes there, before a handler is asked. */
$serves = PHP_VERSION_ID < 80600;
$site = new Site($code, ['site' => ['rlock.servers' => "redis://127.0.0.1:$server->port?timeout=10"]], 1,
    "session.serialize_handler=nobodys\nsession.upload_progress.enabled=1\nsession.upload_progress.freq=1\nsession.upload_progress.min_freq=0\n");
foreach ([1, 2] as $_) {
    $client('SET', data_key($id), 'n|i:4;');
    say('without the serializer', $serves ? $site->answer($site->ask('/', $id, $header, $body))[0] : 200);
}
say('the child lives', [substr_count((string) file_get_contents("$site->folder/fpm.log"), 'exited'), is_free($client, $id)]);
?>
--EXPECT--
free: [200,"300000 {\"n\":1,\"upload_progress_x\":true}"]
held: [200,"300000 {\"n\":2}"]
held, it takes: in time
the other: [200,"held"]
and the one that waited: [200,"[true,3]"]
its data: n|i:3;
no word of a busy session: 0
nor of one that cannot be read: 0
nor an id: 0
free at last: true
without the serializer: 200
without the serializer: 200
the child lives: [0,true]
