--TEST--
A4: PHP's error log is told of a server that may evict locks, once for each server and process, and phpinfo() shows it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$log = temporary_folder() . '/log';
touch($log);
ini_set('error_log', $log);
/* What was logged since the last look. */
$logged = function () use ($log): string {
    $text = file_get_contents($log);
    file_put_contents($log, '');
    return $text;
};
$start = fn (string $policy) => TestServer::start(['--maxmemory', '100mb', '--maxmemory-policy', $policy]);
$server = $start('allkeys-lru');
$lock = new RLock($server->url());
say('constructed', [$logged()]);
say('first use', $lock->getLock('key'));
$text = $logged();
say('lines', substr_count($text, "\n"));
say('it names', [str_contains($text, "RLock: Redis at $server->socket"), str_contains($text, 'noeviction'), str_contains($text, 'vanish')]);
say('others', [$lock->isLocking('key'), $lock->prolongate('key'), $lock->releaseLock('key'), $lock->getLock('key')]);
say('another object', (new RLock($server->url()))->getLock('other'));
say('other connections', (new RLock($server->url('persistent=0')))->getLock('other'));
say('other options', (new RLock($server->url('timeout=11')))->getLock('other'));
say('again', [$logged()]);

$second = $start('volatile-ttl');
say('another server', [(new RLock($second->url()))->holder('key'), str_contains($logged(), $second->socket)]);
say('noeviction', [(new RLock($start('noeviction')->url()))->getLock('key'), $logged()]);
say('no limit', [(new RLock(TestServer::start(['--maxmemory-policy', 'allkeys-lru'])->url()))->getLock('key'), $logged()]);

ob_start();
phpinfo(INFO_MODULES);
preg_match_all('/^Server that may evict locks => (.*)$/m', ob_get_clean(), $shown);
say('phpinfo', $shown[1] === [$server->socket, $second->socket]);
?>
--EXPECT--
constructed: [""]
first use: true
lines: 1
it names: [true,true,true]
others: [true,true,true,true]
another object: true
other connections: true
other options: true
again: [""]
another server: [null,true]
noeviction: [true,""]
no limit: [true,""]
phpinfo: true
