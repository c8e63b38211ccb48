--TEST--
Late, lost or unreachable at the end of life is one E_WARNING, not an exception
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
set_error_handler(function (int $level, string $message) {
    say('handler', [$level === E_WARNING, strlen($message) > 20]);
    return true;
});

$lock = new RLock($server->url());
take_briefly($lock->getLock(...), 'in time');
echo "in time:\n";
unset($lock);

$lock = new RLock($server->url());
take_briefly($lock->getLock(...), 'late', ttl: 0.6);
take_briefly($lock->getLock(...), 'later', ttl: 0.6);
await('expiry', fn () => !$client('EXISTS', 'lock@late') && !$client('EXISTS', 'lock@later'));
echo "late, two keys:\n";
unset($lock);

$lock = new RLock($server->url());
take_briefly($lock->getLock(...), 'lost');
$client('DEL', 'lock@lost');
echo "lost:\n";
unset($lock);

$lock = new RLock($server->url());
take_briefly($lock->getLock(...), 'told');
$client('DEL', 'lock@told');
outcome(fn () => $lock->releaseLock('told'));
echo "told before:\n";
unset($lock);

$lock = new RLock($server->url('timeout=0.3'));
for ($i = 0; $i < 20; $i++) {
    take_briefly($lock->getLock(...), "frozen$i");
}
$server->freeze();
echo "frozen, twenty keys:\n";
say_took('it took', seconds(function () use (&$lock) { $lock = null; }), 0, 1);
$server->thaw();

/* An exception on its way is not disturbed. */
try {
    $lock = new RLock($server->url());
    ignore($lock->getLock('exception'));
    $client('DEL', 'lock@exception');
    (function (RLock $lock) { throw new DomainException('on its way'); })($lock);
} catch (DomainException $e) {
    say('caught', $e->getMessage());
}
unset($e, $lock);
?>
--EXPECT--
in time:
late, two keys:
handler: [true,true]
lost:
handler: [true,true]
told before:
frozen, twenty keys:
handler: [true,true]
it took: in time
caught: on its way
handler: [true,true]
