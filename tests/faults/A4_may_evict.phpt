--TEST--
A4: a server that may evict locks is told of by an E_WARNING, once for each server and process: before the next take, or when the object ends
--FILE--
<?php
require __DIR__ . '/../server.inc';

$start = function (string $policy): TestServer {
    return TestServer::start(['--maxmemory', '100mb', '--maxmemory-policy', $policy]);
};
$server = $start('allkeys-lru');
$texts = [];
set_error_handler(function (int $level, string $message) use (&$texts) {
    if (!str_starts_with($message, 'RLock:')) {
        return false;
    }
    say('handler', $level === E_WARNING);
    $texts[] = $message;
    return true;
});
$lock = new RLock($server->url());
echo "constructed\n";
say('first use', $lock->getLock('key'));
say('others', [$lock->isLocking('key'), $lock->prolongate('key'), $lock->releaseLock('key')]);
say('the next', $lock->getLock('key'));
say('it names', [str_contains($texts[0], $server->socket), str_contains($texts[0], 'noeviction'), str_contains($texts[0], 'vanish')]);
say('again', [$lock->releaseLock('key'), $lock->getLock('key'), $lock->releaseLock('key')]);
say('another object', (new RLock($server->url()))->getLock('other'));
say('other connections', (new RLock($server->url('persistent=0')))->getLock('other'));
say('other options', (new RLock($server->url('timeout=11')))->getLock('other'));
$second = $start('volatile-ttl');
say('another server', (new RLock($second->url()))->holder('key'));
say('noeviction', (new RLock($start('noeviction')->url()))->getLock('key'));
say('no limit', (new RLock(TestServer::start(['--maxmemory-policy', 'allkeys-lru'])->url()))->getLock('key'));

echo "the handler throws:\n";
set_error_handler(fn ($level, $message) => str_starts_with($message, 'RLock:') ? throw new ErrorException($message) : false);
$takes = [
    'getLock' => fn (RLock $lock) => $lock->getLock('key', ttl: 60.0),
    'getLocks' => fn (RLock $lock) => $lock->getLocks(['key', 'b', 'key'], ttl: 60.0),
    'synchronized' => fn (RLock $lock) => $lock->synchronized('key', fn () => say('ran', true), ttl: 60.0),
    'adopt' => fn (RLock $lock) => $lock->adopt('key', 'rlock1:h:1:' . str_repeat('0', 32)),
];
foreach ($takes as $name => $take) {
    $server = $start('allkeys-lfu');
    $client = $server->client();
    $lock = new RLock($server->url());
    $lock->holder('key');
    if ($name === 'adopt') {
        $client('SET', 'lock@key', 'rlock1:h:1:' . str_repeat('0', 32), 'PX', 60000);
    }
    say($name, [outcome(fn () => $take($lock)), count($client('KEYS', 'lock@*')), $lock->lease('key')]);
    say('once', [outcome(fn () => $take($lock)), $lock->releaseAll()]);
    unset($lock);
}
?>
--EXPECT--
constructed
first use: true
others: [true,true,true]
handler: true
the next: true
it names: [true,true,true]
again: [true,true,true]
another object: true
other connections: true
other options: true
handler: true
another server: null
noeviction: true
no limit: true
the handler throws:
getLock: ["ErrorException",0,null]
once: ["true",true]
getLocks: ["ErrorException",0,null]
once: ["true",true]
synchronized: ["ErrorException",0,null]
ran: true
once: ["null",true]
adopt: ["ErrorException",1,null]
once: ["true",true]
