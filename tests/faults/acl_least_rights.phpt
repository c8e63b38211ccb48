--TEST--
The least rights that docs/operations.md names: all works, nothing is denied; and what each of them is for
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* The line of docs/operations.md, to the letter: dev/check-docs compares. */
const LINE = 'ACL SETUSER shop reset on >secret ~lock@* ~rlock:* +evalsha +eval +set +mget +setrange +del +exists +pexpire +pttl +getrange +time +lpop +rpush +lindex +blpop +client|setname +client|id +client|unblock +info';

$server = TestServer::start();
$client = $server->client();
$url = $server->url('user=shop&password=secret&persistent=0');
$client(...explode(' ', LINE));

/* A waiter has the lock by hand-over. */
function hand_over(RLock $lock, TestServer $server, string $url): bool
{
    ignore($lock->getLock('key', ttl: 60.0));
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("key", wait: 20.0));
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $url]);
    $server->client()->awaitBlocked(1);
    $lock->releaseLock('key');
    $passed_on = str_contains($server->client()('INFO', 'commandstats'), 'cmdstat_rpush:');
    return $passed_on && $child->hear() && $child->hear() && $child->wait() === 0;
}

/* One after the other, each true. */
function all(TestServer $server, string $url): array
{
    $lock = new RLock($url);
    $other = new RLock($url);
    return array_map('outcome', [
        'take' => fn () => $lock->getLock('key') && $lock->getLock('key') && $lock->releaseLock('key'),
        'ask' => fn () => $lock->isLocking('key') && $lock->ttl('key') > 0.0 && $other->holder('key') !== null,
        'busy' => fn () => !$other->getLock('key', wait: 0.2),
        'prolong' => fn () => $lock->prolongate('key'),
        /* To who waited a moment ago and has left: unclaimed, it is seen to be free, and taken. */
        'give back' => fn () => $lock->releaseLock('key') && $other->holder('key') === null && $lock->getLock('key')
            && $lock->releaseLock('key'),
        'delay' => fn () => $lock->getLock('delayed') && $lock->releaseLock('delayed', delayAfter: 0.05),
        'unconfirmed' => fn () => $lock->getLock('key') && $lock->releaseLock('key', confirm: false),
        'many' => fn () => $lock->getLocks(['b', 'a']) && $lock->releaseAll(),
        'adopt' => fn () => $lock->getLock('key') && $other->adopt('key', $lock->handOver('key')) && $other->releaseLock('key'),
        'detached' => fn () => $lock->detached('named', 'name')->getLock() && $other->detached('named', 'name')->getLock()
            && $other->detached('named', 'name')->releaseLock(),
        'break' => fn () => $lock->getLock('broken') && $other->breakLock('broken') && $other->holder('broken') === null,
        'learn' => fn () => $lock->releaseLock('broken'),
    ]);
}

foreach (all($server, $url) as $what => $result) {
    say($what, $result);
}
say('hand over', hand_over(new RLock($url), $server, $url));
say('denied', count($client('ACL', 'LOG')));

$rights = ['+evalsha', '+eval', '+set', '+mget', '+setrange', '+del', '+exists', '+pexpire', '+pttl', '+getrange', '+time',
    '+lpop', '+rpush', '+lindex', '+blpop', '+client|setname', '+client|id', '+client|unblock', '+info'];
say('these are all', implode(' ', $rights) === strstr(LINE, '+'));
$denied = $needed = [];
foreach (['~lock@*', '~rlock:*', ...$rights] as $right) {
    foreach (['FLUSHALL', 'SCRIPT FLUSH', implode(' ', array_diff(explode(' ', LINE), [$right])), 'ACL LOG RESET'] as $command) {
        $client(...explode(' ', $command));
    }
    $results = @all($server, $url);
    if ($client('ACL', 'LOG') !== []) {
        $denied[] = $right;
    }
    if (preg_grep('/ServerException/', $results) !== []) {
        $needed[] = $right;
    }
}
say('none too many', array_diff(['~lock@*', '~rlock:*', ...$rights], $denied));
say('needed', $needed);
?>
--EXPECT--
take: true
ask: true
busy: true
prolong: true
give back: true
delay: true
unconfirmed: true
many: true
adopt: true
detached: true
break: true
learn: RLock\LostLockException, held false
hand over: true
denied: 0
these are all: true
none too many: []
needed: ["~lock@*","~rlock:*","+evalsha","+eval","+set","+mget","+setrange","+del","+exists","+pexpire","+pttl","+getrange"]
