--TEST--
S6: the address leads to another server, and the old master lives on as a replica: a process that was connected follows
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* A socket's path that leads to one server and then to another, as a managed server's name does. */
[$old, $new] = [TestServer::start(), TestServer::start()];
$name = temporary_folder() . '/name.sock';
symlink($old->socket, $name);
$fail_over = function () use ($old, $new, $name): void {
    symlink($new->socket, "$name.new");
    rename("$name.new", $name);
    $old->client()('REPLICAOF', '127.0.0.1', '1');
};

$idle = new RLock("unix://$name" . patiently('timeout=2'));
take_briefly($idle->getLock(...), 'idle', ttl: 60.0);
$old->client()('SET', lock_key('key'), 'foreign', 'PX', 60_000);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say(outcome(fn () => $lock->getLock("key", wait: 30.0)));
', ['url' => "unix://$name" . patiently('')]);
$old->client()->awaitBlocked(1);

$fail_over();
say('a waiter', $child->hear());
say('a call', outcome(fn () => $idle->getLock('other')));
say('a lock that the new one has not heard of', outcome(fn () => $idle->releaseLock('idle')));
say('where', [$new->client()('EXISTS', lock_key('other')), $new->client()('EXISTS', lock_key('key'))]);

/* No other server in time: the advice is not the address that was given. */
unlink($name);
symlink($old->socket, $name);
$away = new RLock("unix://$name" . patiently('timeout=0.5&persistent=0'));
try {
    ignore($away->getLock('key'));
} catch (RLock\ServerException $e) {
    say('advice', [$e->error, strstr($e->getMessage(), '; it is')]);
}
$old->client()('REPLICAOF', 'NO', 'ONE'); // so that what had no answer in time can be undone
?>
--EXPECT--
a waiter: true
a call: true
a lock that the new one has not heard of: RLock\LostLockException, held false
where: [1,0]
advice: ["READONLY","; it is a replica, and for the whole call its address led to no master: if a failover is under way, that passes; if not, give an address that leads to the master, or sentinels (sentinel://), which know it"]
