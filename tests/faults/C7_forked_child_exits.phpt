--TEST--
C7: a child after fork exits: the parent's lock and connection are unharmed
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

function in_child(callable $do): void
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        $do();
        exit(0);
    }
    pcntl_waitpid($pid, $status);
    say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
}

$client = shared_client();
foreach ([0, 1] as $persistent) {
    $key = unique_key();
    $lock = new RLock(shared_url("persistent=$persistent"));
    ignore($lock->getLock($key, ttl: 60.0));
    $token = $client('GET', lock_key($key));
    $ends = [
        'exits' => fn () => exit(0),
        'destroys' => function () use (&$lock) { $lock = null; },
        'ends by an exception' => function () {
            set_exception_handler(fn () => exit(0));
            throw new DomainException();
        },
        'uses an object of its own' => function () use ($persistent) {
            $own = new RLock(shared_url("persistent=$persistent"));
            $key = unique_key('child');
            $own->getLock($key) && $own->isLocking($key) && $own->releaseLock($key) || exit(3);
        },
        'dies' => fn () => send_signal(getmypid(), SIGKILL),
    ];
    foreach ($ends as $name => $end) {
        in_child($end);
        say("$name, the lock is unharmed", $client('GET', lock_key($key)) === $token);
        say('and works', [$lock->isLocking($key), $lock->prolongate($key, 60.0)]);
    }
    say('release', $lock->releaseLock($key));
}

/* Both talk at the same time: no answer goes astray. */
$key = unique_key();
ignore($lock->getLock($key, ttl: 60.0));
$pid = pcntl_fork();
$mine = unique_key($pid === 0 ? 'child' : 'parent');
$own = new RLock(shared_url());
$wrong = 0;
for ($i = 0; $i < 300; $i++) {
    $right = $own->getLock($mine, metadata: $mine) && $own->holder($mine)->metadata === $mine
        && $own->releaseLock($mine) && $own->holder($mine) === null;
    $wrong += $right ? 0 : 1;
}
if ($pid === 0) {
    exit($wrong > 0 ? 4 : 0);
}
pcntl_waitpid($pid, $status);
say('wrong in the parent', $wrong);
say('child ended with', pcntl_wexitstatus($status));
say('still ours', $lock->isLocking($key));
?>
--EXPECT--
child ended with: 0
exits, the lock is unharmed: true
and works: [true,true]
child ended with: 0
destroys, the lock is unharmed: true
and works: [true,true]
child ended with: 0
ends by an exception, the lock is unharmed: true
and works: [true,true]
child ended with: 0
uses an object of its own, the lock is unharmed: true
and works: [true,true]
child ended with: signal 9
dies, the lock is unharmed: true
and works: [true,true]
release: true
child ended with: 0
exits, the lock is unharmed: true
and works: [true,true]
child ended with: 0
destroys, the lock is unharmed: true
and works: [true,true]
child ended with: 0
ends by an exception, the lock is unharmed: true
and works: [true,true]
child ended with: 0
uses an object of its own, the lock is unharmed: true
and works: [true,true]
child ended with: signal 9
dies, the lock is unharmed: true
and works: [true,true]
release: true
wrong in the parent: 0
child ended with: 0
still ours: true
