--TEST--
Pages of PHP-FPM share a renewal thread that has done nothing; a page that was renewed ends it; a reload and the end wait for neither
--EXTENSIONS--
session
posix
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/site.inc';

$server = TestServer::start();
$client = $server->client();
$site = new Site('
    session_start();
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    if (isset($_GET["lock"])) {
        ($GLOBALS["lock"] = new RLock($_GET["lock"], autoRenew: true))->getLock("kept") || exit("busy");
    }
    echo json_encode([getmypid(), count(scandir("/proc/self/task")) - 2]);
    $_GET["end"] === "early" && fastcgi_finish_request();
    for ($end = microtime(true) + 10; RLock::totals()["renewals"] < $_GET["renewed"] && microtime(true) < $end; usleep(10_000));
    if ($_GET["end"] === "exit") {
        exit;
    }
    $_GET["end"] === "fatal" && eval("class Incomplete implements Iterator {}");
', ['ours' => ['session.save_path' => $server->url(), 'display_errors' => '0']], 1);
$id = new_id();
$renewals = 0;
/* The child that has served the page, and how many threads it had. */
$page = function (string $end = '', bool $lock = false) use ($site, $id, $server, &$renewals): array {
    $query = ['end' => $end, 'renewed' => $renewals] + ($lock ? ['lock' => $server->url()] : []);
    [, $body] = $site->answer($site->ask('/?' . http_build_query($query), $id));
    return json_decode($body) ?? [0, $body];
};
$tasks = fn (int $pid) => array_values(array_diff(scandir("/proc/$pid/task"), ['.', '..', (string) $pid]));
$connections = fn () => substr_count($client('CLIENT', 'LIST'), 'name=rlock:');
$locked = fn () => $client('EXISTS', data_key($id) . '_LOCK', lock_key('kept'));

[$pid, $threads] = $page();
$thread = $tasks($pid);
say('the first page', [$threads, count($thread)]);
foreach (['end', 'exit', 'fatal', 'early'] as $end) {
    foreach ([false, true] as $lock) {
        [$of, $threads] = $page($end, $lock);
        say($end, [$of === $pid, $threads, await('release', fn () => $locked() === 0), $tasks($pid) === $thread, $connections()]);
    }
}
foreach (['end', 'exit', 'fatal', 'early'] as $end) {
    $renewals++;
    [$of, $threads] = $page($end, $end === 'end');
    say("$end, renewed", [$of === $pid, $threads, await_threads(1, $pid), await('release', fn () => $locked() === 0), $connections()]);
}
$renewals = 0;
say('the next page', [$page()[1], threads($pid)]);

$master = (int) file_get_contents("$site->folder/fpm.pid");
say_took('a reload', seconds(function () use ($master, $pid) {
    send_signal($master, 'USR2');
    await('the end of the child', fn () => !file_exists("/proc/$pid"));
}), 0.0, 3.0);
[$next, $threads] = await('the next child', function () use ($page) {
    $answer = $page();
    return $answer[0] > 0 ? $answer : null;
});
say('after it', [$next !== $pid, $threads]);
say_took('the end', seconds(function () use ($master, $next) {
    send_signal($master, 'QUIT');
    await('the end of the child', fn () => !file_exists("/proc/$next"));
}), 0.0, 3.0);
say('counted', $client('GET', data_key($id)));
?>
--EXPECT--
the first page: [2,1]
end: [true,2,true,true,1]
end: [true,2,true,true,1]
exit: [true,2,true,true,1]
exit: [true,2,true,true,1]
fatal: [true,2,true,true,1]
fatal: [true,2,true,true,1]
early: [true,2,true,true,1]
early: [true,2,true,true,1]
end, renewed: [true,2,1,true,1]
exit, renewed: [true,2,1,true,1]
fatal, renewed: [true,2,1,true,1]
early, renewed: [true,2,1,true,1]
the next page: [2,2]
a reload: in time
after it: [true,2]
the end: in time
counted: n|i:15;
