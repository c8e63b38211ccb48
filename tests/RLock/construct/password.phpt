--TEST--
The password is in no message, trace, dump or phpinfo()
--FILE--
<?php
require __DIR__ . '/../../server.inc';

function try_everything(): string
{
    $server = TestServer::start(['--requirepass', 'right']);
    ob_start();
    foreach ([$server->url('password=hunter2&user=default'), 'unix:///nonexistent?password=hunter2', 'redis://:hunter2@127.0.0.1:1/3'] as $address) {
        $lock = new RLock($address);
        var_dump($lock);
        print_r($lock);
        var_export($lock);
        var_dump((array) $lock);
        try {
            ignore($lock->getLock('key'));
        } catch (RLock\RLockException $e) {
            echo $e;
            print_r($e);
        }
    }
    try {
        new RLock('redis://:hunter2@host:bad');
    } catch (ValueError $e) {
        echo $e;
        print_r($e->getTrace());
    }
    ini_set('rlock.servers', 'redis://:hunter2@localhost');
    phpinfo(INFO_MODULES);
    return ob_get_clean();
}

$seen = try_everything();
say('it was tried', strlen($seen) > 1000 && str_contains($seen, 'ServerException') && str_contains($seen, 'ValueError'));
say('phpinfo shows the module', str_contains($seen, 'rlock.servers'));
say('found', str_contains($seen, 'hunter2'));
?>
--EXPECT--
it was tried: true
phpinfo shows the module: true
found: false
