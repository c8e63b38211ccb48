--TEST--
interrupt: a lost lock throws in a busy loop, once; check, lease and release agree afterwards
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$deleter = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    while (true) {
        [$after, $command] = $parent->hear();
        usleep((int) ($after * 1e6));
        $redis(...$command);
        $parent->say(microtime(true));
    }
', ['socket' => shared_socket()]);
$other = new RLock(shared_url());

foreach (['deleted' => fn ($key) => ['DEL', lock_key($key)], 'overwritten' => fn ($key) => ['SET', lock_key($key), 'mine', 'PX', 60000]] as $how => $command) {
    $key = unique_key();
    $lock = new RLock(shared_url(), ttl: 2.0, autoRenew: true, interrupt: true);
    take_briefly($lock->getLock(...), $key);
    $deleter->say([0.3, $command($key)]);
    $turns = 0;
    $finally = false;
    try {
        try {
            while (true) {
                $turns++;
            }
        } finally {
            $finally = true;
        }
    } catch (RLock\LostLockException $lost) {
        $told = microtime(true);
    }
    say_took("$how, told after", $told - $deleter->hear(), 0.0, 0.67 + 0.05 + 0.5);
    say('finally ran', $finally);
    say('it is', [describe($lost), $lost->key === $key, $lost->lateBy, $lost->holder, str_contains($lost->getMessage(), $key)]);
    say('turns', $turns > 1000);
    say('check', [outcome(fn () => $lock->check($key)), outcome(fn () => $lock->check($key))]);
    say('lease', $lock->lease($key));
    say('release', [outcome(fn () => $lock->releaseLock($key)), outcome(fn () => $lock->prolongate($key))]);
    say('is it ours', [$lock->isLocking($key), $lock->ttl($key)]);
    say('counted', $lock->stats()['lost']);
    for ($end = microtime(true) + 0.8; microtime(true) < $end;) {
    }
    say('once', true);
    $client('DEL', lock_key($key));
    say('and again', [$lock->getLock($key), outcome(fn () => $lock->check($key)), $lock->releaseLock($key)]);
}
?>
--EXPECT--
deleted, told after: in time
finally ran: true
it is: ["RLock\\LostLockException, held false",true,0.0,null,true]
turns: true
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
lease: null
release: ["false","false"]
is it ours: [false,0.0]
counted: 1
once: true
and again: [true,"null",true]
overwritten, told after: in time
finally ran: true
it is: ["RLock\\LostLockException, held false",true,0.0,null,true]
turns: true
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
lease: null
release: ["false","false"]
is it ours: [false,0.0]
counted: 1
once: true
and again: [true,"null",true]
