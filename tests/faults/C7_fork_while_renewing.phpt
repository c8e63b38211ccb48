--TEST--
C7, C8: fork with a live renewal thread: the parent's goes on; the child has none, and can have its own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
foreach ([false, true] as $interrupt) {
    $lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true, interrupt: $interrupt);
    take_briefly($lock->getLock(...), $key = unique_key());
    $token = $client('GET', lock_key($key));
    $children = [
        'does nothing, for long' => fn () => threads() === 1 && usleep(3_500_000) === null && threads() === 1,
        'uses what it inherited' => fn () => outcome(fn () => $lock->check($key)) === 'RLock\RLockException'
            && outcome(fn () => $lock->releaseLock($key)) === 'RLock\RLockException' && threads() === 1,
        'closes what it inherited' => fn () => outcome(fn () => $lock->close()) === 'null' && threads() === 1,
        'has a lock of its own' => function () use ($interrupt) {
            $own = new RLock(shared_url(), ttl: 3.0, autoRenew: true, interrupt: $interrupt);
            $own->getLock($mine = unique_key('child')) || exit(11);
            threads() === 2 || exit(12);
            usleep(3_500_000);
            $own->isLocking($mine) || exit(13);
            $own->releaseLock($mine) || exit(14);
            return await_threads(1) === 1;
        },
        'has a lock of its own in the same object' => function () use ($lock) {
            $lock->getLock($mine = unique_key('child')) || exit(11);
            usleep(3_500_000);
            $lock->isLocking($mine) || exit(13);
            $lock->releaseLock($mine) || exit(14);
            return await_threads(1) === 1;
        },
        'forks while it renews' => function () {
            $own = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
            $own->getLock($mine = unique_key('child')) || exit(11);
            $pid = pcntl_fork();
            if ($pid === 0) {
                exit(threads() === 1 ? 0 : 1);
            }
            pcntl_waitpid($pid, $status);
            pcntl_wexitstatus($status) === 0 || exit(12);
            usleep(3_200_000);
            return $own->releaseLock($mine);
        },
        'is told of a lost lock' => function () {
            $own = new RLock(shared_url(), ttl: 3.0, autoRenew: true, interrupt: true);
            $own->getLock($mine = unique_key('child')) || exit(11);
            shared_client()('DEL', lock_key($mine));
            try {
                while (true) {
                }
            } catch (RLock\LostLockException) {
                return true;
            }
        },
        'is killed' => fn () => send_signal(getmypid(), SIGKILL),
    ];
    $pids = [];
    foreach ($children as $name => $child) { /* side by side: they mostly wait */
        $pids[$name] = pcntl_fork();
        if ($pids[$name] === 0) {
            exit($child() ? 0 : 1);
        }
    }
    foreach ($pids as $name => $pid) {
        pcntl_waitpid($pid, $status);
        say($name, [
            pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status),
            outcome(fn () => $lock->check($key)),
            $client('GET', lock_key($key)) === $token,
            threads(),
        ]);
    }

    /* Forks in a row, while the thread is at work: none of it may be held for ever in a child. */
    $pids = [];
    for ($i = 0; $i < 50; $i++) {
        $pid = pcntl_fork();
        if ($pid === 0) {
            $own = new RLock(shared_url(), ttl: 5.0, autoRenew: true);
            $own->getLock($mine = unique_key('child')) || exit(21);
            exit($own->releaseLock($mine) ? 0 : 22);
        }
        $pids[] = $pid;
        if (count($pids) >= 5) {
            pcntl_waitpid(array_shift($pids), $status);
            $status === 0 || say('a child ended with', $status);
        }
        usleep(5_000);
    }
    foreach ($pids as $pid) {
        pcntl_waitpid($pid, $status);
        $status === 0 || say('a child ended with', $status);
    }
    say('after many', [outcome(fn () => $lock->check($key)), $lock->releaseLock($key), await_threads(1)]);
}
?>
--EXPECT--
does nothing, for long: [0,"null",true,2]
uses what it inherited: [0,"null",true,2]
closes what it inherited: [0,"null",true,2]
has a lock of its own: [0,"null",true,2]
has a lock of its own in the same object: [0,"null",true,2]
forks while it renews: [0,"null",true,2]
is told of a lost lock: [0,"null",true,2]
is killed: ["signal 9","null",true,2]
after many: ["null",true,1]
does nothing, for long: [0,"null",true,2]
uses what it inherited: [0,"null",true,2]
closes what it inherited: [0,"null",true,2]
has a lock of its own: [0,"null",true,2]
has a lock of its own in the same object: [0,"null",true,2]
forks while it renews: [0,"null",true,2]
is told of a lost lock: [0,"null",true,2]
is killed: ["signal 9","null",true,2]
after many: ["null",true,1]
