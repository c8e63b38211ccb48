--TEST--
The rights that docs/operations.md names for shared locks: all works, nothing is denied; and what a user without them can do
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* As in docs/operations.md and acl_least_rights.phpt. */
const LEAST = 'ACL SETUSER shop reset on >secret ~lock@* ~rlock:* +evalsha +eval +set +mget +setrange +del +exists +pexpire +pttl +getrange +time +lpop +rpush +lindex +blpop +client|setname +client|id +client|unblock +info';
const SHARED = ' +hset +hget +hdel +hmget +zadd +zrem +zrange +zcard +zscore +zremrangebyscore +pexpireat';

$server = TestServer::start();
$client = $server->client();
$url = $server->url('user=shop&password=secret&persistent=0');
$give = function (string $line) use ($client): void {
    foreach (['FLUSHALL', 'SCRIPT FLUSH', $line, 'ACL LOG RESET'] as $command) {
        $client(...explode(' ', $command));
    }
};
$denied = fn () => count($client('ACL', 'LOG'));

/* Behind a share: a writer, a reader, and one that is let in by the limit. Each is told when it may enter. */
function queue(TestServer $server, string $url): bool
{
    $lock = new RLock($url);
    ignore($lock->getSharedLock('queue', ttl: 60.0));
    $children = [];
    foreach (['getLock' => [], 'getSharedLock' => [], 'getSharedLock ' => ['limit' => 1]] as $method => $options) {
        $children[] = Child::start('
            $lock = new RLock($args["url"]);
            $got = $lock->{$args["method"]}("queue", ...$args["options"], wait: 60.0);
            $parent->say($got && $lock->releaseLock("queue"));
        ', ['url' => $url, 'method' => trim($method), 'options' => $options]);
        $server->client()->awaitBlocked(count($children));
    }
    ignore($lock->releaseLock('queue'));
    return [true, true, true] === array_map(fn ($child) => $child->hear(), $children);
}

/* One after the other, each true. */
function all(string $url, RawClient $client, ?Closure $then = null): array
{
    [$one, $two] = [new RLock($url), new RLock($url)];
    [$mine, $there] = [$one->detached('key', 'me'), $two->detached('key', 'me')];
    $end = fn (string $key, RLock $lock) => $client('ZADD', $client('KEYS', "rlock:s:*lock@$key")[0], 1, 'rlock1:' . secret($lock->lease($key)->token) . ':');
    $results = array_map('outcome', [
        'take' => fn () => $one->getSharedLock('key', limit: 2) && $one->getSharedLock('key', limit: 2) && $one->releaseLock('key'),
        'again' => fn () => $one->getSharedLock('again') && $one->releaseLock('again') && $one->getSharedLock('again')
            && $one->releaseLock('again'),
        'beside' => fn () => $two->getSharedLock('key', limit: 2) && !$one->getLock('key') && count($one->sharers('key')) === 2,
        'ask' => fn () => $one->isLocking('key') && $two->holder('key')->shared && $two->prolongate('key', 40.0),
        'busy' => fn () => !(new RLock($url))->getLock('key', wait: 0.05),
        'give back' => fn () => $two->releaseLock('key') && !$two->isLocking('key'),
        'upgrade' => fn () => $one->getLock('key') && $one->downgrade('key') && $one->releaseLock('key') && $one->releaseLock('key'),
        'several' => fn () => $one->getSharedLock('a') && $two->getLock('b') && !$one->getLocks(['a', 'b']) && $one->lease('a')->shared,
        'releaseAll' => fn () => $one->releaseAll() && $two->releaseAll(),
        'delay' => fn () => $one->getSharedLock('delayed') && $two->getSharedLock('delayed')
            && $one->releaseLock('delayed', delayAfter: 0.05) && $two->releaseLock('delayed'),
        'after it' => fn () => $two->getSharedLock('delayed', wait: 20.0) && $two->releaseLock('delayed'),
        'unconfirmed' => fn () => $one->getSharedLock('key') && $one->releaseLock('key', confirm: false) && !$one->isLocking('key'),
        'detached' => fn () => $mine->getSharedLock() && $there->prolongate(40.0) && $mine->getLock() && $there->downgrade()
            && $mine->releaseLock(),
        'break one' => fn () => $one->getSharedLock('key') && $two->getSharedLock('key')
            && $one->breakLock('key', $two->lease('key')->fence),
        'break all' => fn () => $one->breakLock('key') && $one->holder('key') === null,
        'they learn it' => fn () => [outcome(fn () => $one->releaseLock('key')), outcome(fn () => $two->releaseLock('key'))],
        'late' => function () use ($one, $two, $end) {
            take_briefly($one->getSharedLock(...), 'late', ttl: 0.05);
            ignore($two->getSharedLock('late'));
            $end('late', $one);
            usleep(60_000);
            return $one->prolongate('late');
        },
    ]);
    $then && $then();
    return $results;
}

$give(LEAST . SHARED);
foreach (all($url, $client) as $what => $result) {
    say($what, $result);
}
say('queue', queue($server, $url));
say('denied', $denied());

$needless = [];
foreach (explode(' ', trim(SHARED)) as $right) {
    $give(implode(' ', array_diff(explode(' ', LEAST . SHARED), [$right])));
    @all($url, $client, fn () => $client('ACL', 'SETUSER', 'shop', '+@all')); // or the objects' end would ask for as long as it may
    if ($denied() === 0) {
        $needless[] = $right;
    }
}
say('needless', $needless);

echo "without them:\n";
$give(LEAST);
[$admin, $shop] = [new RLock($server->url()), new RLock($url)];
ignore($admin->getSharedLock('key', ttl: 60.0));
say('a share', outcome(fn () => $shop->getSharedLock('other')));
say('an exclusive lock that others share', outcome(fn () => $shop->getLock('key')));
say('and a wait for it', outcome(fn () => $shop->getLock('key', wait: 1.0)));
say('that one is free', [$admin->releaseLock('key'), $shop->getLock('key', wait: 10.0), $shop->releaseLock('key')]);
ignore($admin->getLock('handed over', ttl: 60.0));
$child = Child::start('
    $parent->say(outcome(fn () => (new RLock($args["url"]))->getSharedLock("handed over", wait: 60.0)));
', ['url' => $url]);
$client->awaitBlocked(1);
say('a share that is handed over', [$admin->releaseLock('handed over'), $child->hear()]);
say('left', $client('EXISTS', 'lock@other', 'lock@handed over'));
?>
--EXPECT--
take: true
again: true
beside: true
ask: true
busy: true
give back: true
upgrade: true
several: true
releaseAll: true
delay: true
after it: true
unconfirmed: true
detached: true
break one: true
break all: true
they learn it: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
late: RLock\TimeoutException, held true, late
queue: true
denied: 0
needless: []
without them:
a share: RLock\ServerException, NOPERM
an exclusive lock that others share: false
and a wait for it: RLock\ServerException, NOPERM
that one is free: [true,true,true]
a share that is handed over: [true,"RLock\\ServerException, NOPERM"]
left: 0
