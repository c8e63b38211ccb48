--TEST--
C5: a renewing holder is stopped longer than its lease: on waking nothing renews, check() throws, release tells
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$code = '
    $lock = new RLock($args["url"], ttl: 0.6, autoRenew: true, interrupt: $args["interrupt"]);
    $parent->say($lock->getLock($args["key"]));
    $told = "not told";
    try {
        while (($before ??= microtime(true)) > ($now = microtime(true)) - 0.5) {
            $before = $now;     // until we were stopped
            usleep(1000);
        }
        for ($end = microtime(true) + 1.0; microtime(true) < $end;) {
            usleep(1000);
        }
    } catch (RLock\TimeoutException $late) {
        $told = $late::class;
    }
    $parent->say([$told, outcome(fn () => $lock->check($args["key"])), outcome(fn () => $lock->releaseLock($args["key"])), await_threads(1)]);
    $parent->hear();
';
foreach (['nobody' => false, 'another' => true] as $who => $taken) {
    foreach ([false, true] as $interrupt) {
        $key = unique_key();
        $child = Child::start($code, ['url' => shared_url(), 'key' => $key, 'interrupt' => $interrupt]);
        say('child', $child->hear());
        usleep(700_000);
        say('renewed', $client('EXISTS', lock_key($key)));
        $child->freeze();
        await('expiry', fn () => !$client('EXISTS', lock_key($key)));
        $other = new RLock(shared_url());
        if ($taken) {
            ignore($other->getLock($key, ttl: 60.0));
        }
        usleep(500_000);
        $child->thaw();
        say("$who took it", $child->hear());
        if ($taken) {
            say("the other's is unharmed", $other->releaseLock($key));
        } else {
            say('nothing renewed it', $client('EXISTS', lock_key($key)));
        }
        $child->stop();
    }
}
?>
--EXPECTREGEX--
child: true
renewed: 1
nobody took it: \["not told","RLock\\\\TimeoutException, held false, late","false",1\]
nothing renewed it: 0
child: true
renewed: 1
nobody took it: \["RLock\\\\TimeoutException","RLock\\\\TimeoutException, held false, late","false",1\]
nothing renewed it: 0
child: true
renewed: 1
another took it: \["not told","RLock\\\\LostLockException, held false","false",1\]
the other's is unharmed: true
child: true
renewed: 1
another took it: \["RLock\\\\(TimeoutException|LostLockException)","RLock\\\\(TimeoutException, held false, late|LostLockException, held false)","false",1\]
the other's is unharmed: true
