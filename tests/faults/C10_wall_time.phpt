--TEST--
C10: on a thread-safe PHP max_execution_time is wall time: who waits is ended by it and leaves the queue, who holds gives back; sessions, too
--EXTENSIONS--
session
--SKIPIF--
<?php
ob_start();
phpinfo(INFO_GENERAL);
if (!str_contains(ob_get_clean(), 'Zend Max Execution Timers => enabled')) {
    die('skip max_execution_time is CPU time here');
}
?>
--FILE--
<?php
require __DIR__ . '/../session/session.inc';

$server = TestServer::start();
$client = $server->client();
/* How it ended, when it was to end after a second and its call could have lasted a minute. */
function ended(Child $child, float $began): array
{
    $status = $child->wait();
    $took = microtime(true) - $began;
    return [$status, str_contains($child->output(), 'Maximum execution time of 1 second'), $took > 0.9 && $took < 1.0 + LATE ? 'in time' : $took];
}
$holder = new RLock($server->url());
ignore($holder->getLock('busy', ttl: 300.0));
$calls = [
    'getLock' => '$lock->getLock("busy", wait: 60.0)',
    'getSharedLock' => '$lock->getSharedLock("busy", wait: 60.0)',
    'getLocks' => '$lock->getLocks(["free", "busy"], wait: 60.0)',
    'synchronized' => '$lock->synchronized("busy", fn () => true, wait: 60.0)',
    'in a closure that holds' => '$lock->synchronized("free", fn () => $lock->getLock("busy", wait: 60.0))',
    'a busy loop' => 'while (true)',
    'a system call' => 'sleep(60)',
];
foreach ($calls as $name => $call) {
    $child = Child::start('
        $lock = new RLock($args["url"], autoRenew: true);
        ignore($lock->getLock("held", ttl: 300.0));
        $parent->say(microtime(true));
        set_time_limit(1);
        ' . ($call === 'while (true)' ? "$call;" : "ignore($call);"), ['url' => $server->url()], '-d display_errors=1');
    $began = $child->hear();
    say($name, [...ended($child, $began), $client->info('blocked_clients'), $client('EXISTS', 'lock@held', 'lock@free')]);
}
say('unharmed', $holder->releaseLock('busy'));
say('free for the next', $holder->getLock('busy', wait: 0.0));

/* One holds the session and two wait for it, until their time is up; the fourth has time. */
$settings = ['rlock.servers' => $server->url(), 'rlock.session.ttl' => '30', 'rlock.session.wait' => '60', 'max_execution_time' => '0'];
$id = new_id();
$limited = fn (string $code) => page('$parent->say(microtime(true)); set_time_limit(1); ' . $code, ['id' => $id], $settings);
$first = $limited('session_start(); $_SESSION["by"] = "the first"; $parent->say("has it"); while (true);');
$pages = ['holds' => [$first, $first->hear()]];
$first->hear();
foreach (['waits', 'waits, too'] as $name) {
    $page = $limited('session_start(); $parent->say("has it"); while (true);');
    $pages[$name] = [$page, $page->hear()];
}
$fourth = page('session_start(); $parent->say(microtime(true)); echo $_SESSION["by"];', ['id' => $id], $settings);
foreach ($pages as $name => [$page, $began]) {
    $status = $page->wait();
    say($name, [$status, str_contains($page->output(), 'Maximum execution time of 1 second')]);
    $last = microtime(true);
}
say_took('the fourth has it', max(0.0, $fourth->hear() - $last), 0.0, 0.0);
say('as it was written', [$fourth->wait(), $fourth->output()]);
say('left', [$client->info('blocked_clients'), is_free($client, $id)]);
?>
--EXPECT--
getLock: [255,true,"in time",0,0]
getSharedLock: [255,true,"in time",0,0]
getLocks: [255,true,"in time",0,0]
synchronized: [255,true,"in time",0,0]
in a closure that holds: [255,true,"in time",0,0]
a busy loop: [255,true,"in time",0,0]
a system call: [255,true,"in time",0,0]
unharmed: true
free for the next: true
holds: [255,true]
waits: [255,true]
waits, too: [255,true]
the fourth has it: in time
as it was written: [0,"the first"]
left: [0,true]
