--TEST--
open_basedir holds for sockets, which are refused before it shows whether they are there
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$child = Child::start('
    ini_set("open_basedir", $args["folder"]);
    $try = function (string|array|null $servers): void {
        try {
            new RLock($servers);
            echo "allowed\n";
        } catch (ValueError $e) {
            echo $e->getMessage(), "\n";
        }
    };
    foreach (["/etc/passwd", "/etc/missing", "$args[folder]/../elsewhere", "$args[folder]/inside"] as $path) {
        $try("unix://$path");
        $try(["redis://127.0.0.1:1", "redis://127.0.0.1:2", "unix://$path"]);
    }
    ini_set("rlock.servers", "unix:///etc/passwd");
    $try(null);
', ['folder' => temporary_folder()]);
$child->wait();
echo $child->output();
?>
--EXPECT--
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the socket
allowed
allowed
The ini setting rlock.servers is invalid: The ini setting open_basedir does not allow the path of the socket
