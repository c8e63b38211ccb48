--TEST--
C8: a child uses the lock it inherited: RLockException for good; other keys work; the parent is unharmed
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$free = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key, ttl: 60.0));
$token = $client('GET', lock_key($key));

function dumped(mixed $value): string
{
    ob_start();
    var_dump($value);
    return ob_get_clean();
}

say('the parent shows it', substr_count(dumped($lock), "[\"$key\"]=>"));
$pid = pcntl_fork();
if ($pid === 0) {
    foreach (['getLock', 'releaseLock', 'prolongate', 'isLocking', 'ttl', 'check', 'lease', 'releaseLock', 'getLock'] as $method) {
        say("child, $method", outcome(fn () => $lock->$method($key)));
    }
    say('child, with a wait', outcome(fn () => $lock->getLock($key, wait: 0.2)));
    say('child, another key', [$lock->getLock($free), $lock->isLocking($free), $lock->lease($free)->depth, $lock->releaseLock($free)]);
    ignore($lock->getLock($free, ttl: 60.0));
    say('child, its own alone is shown', preg_match_all('/\["(?:' . preg_quote($key) . '|' . preg_quote($free) . ')"\]=>/', dumped($lock), $shown) === 1 && str_contains($shown[0][0], $free));
    say('child, close', outcome(fn () => $lock->close()));
    say('child, its own is given back', shared_client()('EXISTS', lock_key($free)));
    exit(0);
}
pcntl_waitpid($pid, $status);
say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
say('the lock is unharmed', $client('GET', lock_key($key)) === $token);
say('the parent', [$lock->isLocking($key), $lock->getLock($key), $lock->releaseLock($key), $lock->releaseLock($key)]);
?>
--EXPECT--
the parent shows it: 1
child, getLock: RLock\RLockException
child, releaseLock: RLock\RLockException
child, prolongate: RLock\RLockException
child, isLocking: RLock\RLockException
child, ttl: RLock\RLockException
child, check: RLock\RLockException
child, lease: RLock\RLockException
child, releaseLock: RLock\RLockException
child, getLock: RLock\RLockException
child, with a wait: RLock\RLockException
child, another key: [true,true,1,true]
child, its own alone is shown: true
child, close: null
child, its own is given back: 0
child ended with: 0
the lock is unharmed: true
the parent: [true,true,true,true]
