--TEST--
C5: the holder is stopped longer than its lease: on waking check() throws, nothing renews, release tells
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$code = '
    $lock = new RLock($args["url"]);
    take_briefly($lock->getLock(...), $args["key"], ttl: 0.5);
    $parent->say(true);
    $parent->hear();
    $parent->say([outcome(fn () => $lock->check($args["key"])), outcome(fn () => $lock->{$args["then"]}($args["key"]))]);
    $parent->hear();
';
foreach (['nobody' => false, 'another' => true] as $who => $taken) {
    foreach (['releaseLock', 'prolongate', 'getLock'] as $then) {
        $key = unique_key();
        $child = Child::start($code, ['url' => shared_url(), 'key' => $key, 'then' => $then]);
        say('child', $child->hear());
        $child->freeze();
        await('expiry', fn () => !$client('EXISTS', lock_key($key)));
        $other = new RLock(shared_url());
        if ($taken) {
            ignore($other->getLock($key, ttl: 60.0));
        }
        $child->say('go on');
        $child->thaw();
        say("$who took it, $then", $child->hear());
        if ($taken) {
            say("the other's is unharmed", $other->releaseLock($key));
        }
        $child->stop();
    }
}
?>
--EXPECT--
child: true
nobody took it, releaseLock: ["RLock\\TimeoutException, held false, late","false"]
child: true
nobody took it, prolongate: ["RLock\\TimeoutException, held false, late","false"]
child: true
nobody took it, getLock: ["RLock\\TimeoutException, held false, late","true"]
child: true
another took it, releaseLock: ["RLock\\LostLockException, held false","false"]
the other's is unharmed: true
child: true
another took it, prolongate: ["RLock\\LostLockException, held false","false"]
the other's is unharmed: true
child: true
another took it, getLock: ["RLock\\LostLockException, held false","false"]
the other's is unharmed: true
