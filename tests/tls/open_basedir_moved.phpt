--TEST--
open_basedir holds whenever a file of TLS is read, not only when it is named
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'), ['--tls-auth-clients', 'yes']);
$ours = $authority->sign('client', 'DNS:client');
$folder = temporary_folder() . '/site';
mkdir("$folder/real", recursive: true);
foreach (['ca' => $authority->file, 'cert' => "$ours.pem", 'key' => "$ours.key"] as $name => $file) {
    copy($file, "$folder/real/$name.pem");
    symlink($file, "$folder/outside-$name");
    symlink("real/$name.pem", "$folder/$name.pem");
}

$child = Child::start(<<<'PHP'
    $take = function (RLock $locks, string $key): bool|string {
        try {
            return $locks->getLock($key);
        } catch (RLock\RLockException $e) {
            return preg_replace('~^.*(, |: )(\w+)=\S+/site/~s', '$2 ', $e->getMessage());
        }
    };
    ini_set('open_basedir', $args['site']);
    $make = fn () => new RLock($args['url']);
    $unused = [$make(), $make(), $make()];
    $parent->say($take($make(), 'all inside'));
    foreach ($unused as $i => $locks) {
        $parent->hear();
        $parent->say($take($locks, "key$i"));
    }
    $parent->hear();
    $parent->say($take($unused[0], 'once more'));
    PHP, ['site' => $folder, 'url' => $tls->url("persistent=0&timeout=2&cafile=$folder/ca.pem&cert=$folder/cert.pem&key=$folder/key.pem")]);
say('all inside', $child->hear());
foreach (['ca', 'cert', 'key'] as $name) {
    rename("$folder/$name.pem", "$folder/before");
    rename("$folder/outside-$name", "$folder/$name.pem");
    $child->say('moved');
    say($name, $child->hear());
    rename("$folder/before", "$folder/$name.pem");
}
$child->say('moved');
say('inside again', $child->hear());
say('ended', $child->wait());
?>
--EXPECT--
all inside: true
ca: cafile ca.pem cannot be used: it is not there, or open_basedir does not allow it
cert: cert cert.pem cannot be used: it is not there, or open_basedir does not allow it
key: key key.pem cannot be used: it is not there, or open_basedir does not allow it
inside again: true
ended: 0
