--TEST--
Waiting on a majority: the release is noticed, strategies, signals and the end of the wait count as ever
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock();
$child = Child::start('
    $lock = new RLock($args);
    while ($parent->hear() === "take") {
        ignore($lock->getLock("key", ttl: 60.0));
        $parent->say("taken");
        $seconds = $parent->hear();
        usleep((int) ($seconds * 1e6));
        $lock->releaseLock("key");
        $parent->say("released");
    }
', $nodes->urls());
$child->say('take');
$child->hear();

say_took('in vain', seconds(fn () => say('it', $lock->getLock('key', wait: 0.3))), 0.3, 1.0);
say_took('fail fast', seconds(fn () => say('it', $lock->getLock('key', wait: 5.0, policy: RLock::POLICY_FAIL_FAST))), 0.0, 1.0);
$nodes->awaitHolding(3, 'key');

$strict = $nodes->lock('', retry: RLock\Retry::linear(0.01)->limit(5));
say_took('a strategy', seconds(fn () => say('it', $strict->getLock('key', wait: 10.0))), 0.05, 1.0);

pcntl_async_signals(true);
/* What comes outside of a wait means nothing. */
pcntl_signal(SIGALRM, fn () => in_array('RLock', array_column(debug_backtrace(), 'class'), true) && throw new LogicException('enough'));
$signaller = Child::start('while (true) { usleep(200000); send_signal($args[0], SIGALRM); }', [getmypid()]);
say_took('a signal', seconds(fn () => say('it', outcome(fn () => $lock->getLock('key', wait: 10.0)))), 0.0, 5.0);
pcntl_signal(SIGALRM, SIG_IGN);
$signaller->kill();
$nodes->awaitHolding(3, 'key');

$child->say(0.2);
say_took('released', seconds(fn () => say('it', $lock->getLock('key', wait: 10.0))), 0.0, 1.0);
$child->hear();
say('given back', $lock->releaseLock('key'));
$nodes->awaitHolding(0, 'key');
?>
--EXPECT--
it: false
in vain: in time
it: false
fail fast: in time
it: false
a strategy: in time
it: LogicException
a signal: in time
it: true
released: in time
given back: true
