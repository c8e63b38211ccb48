--TEST--
rediss://: a relative cafile counts from the folder in which the address was read, and another folder's file of that name is another
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$ours = new Authority();
$another = new Authority();
$tls = new TlsServer($ours, $ours->sign('server', 'DNS:localhost'));
$url = $tls->url('cafile=ca.pem'); // both have one of that name
$cut = fn () => $tls->server->client()('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');

chdir(dirname($ours->file));
$locks = new RLock($url);
say('read where it is', [$locks->getLock('key'), $locks->releaseLock('key')]);
chdir(dirname($another->file));
say('another folder', complaint(fn () => (new RLock($url))->getLock('key')));
$cut();
say('read there, and used from here', [$locks->getLock('key'), $locks->releaseLock('key')]);
chdir('/');
say('no such file', complaint(fn () => (new RLock($url))->getLock('key')));
?>
--EXPECT--
read where it is: [true,true]
another folder: RLock\ConnectionException: Lock "key": Cannot connect to Redis at localhost: its certificate is not accepted: self-signed certificate in certificate chain; cafile= must name a file with the authority that signed it
read there, and used from here: [true,true]
no such file: RLock\ConnectionException: Lock "key": Cannot connect to Redis at localhost: cafile=/ca.pem cannot be used: No such file or directory
