--TEST--
open_basedir holds for the files of TLS, which are refused before it shows whether they are there
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

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
        foreach (["cafile=$path", "cert=$path", "cert=$args[folder]/inside&key=$path"] as $files) {
            $try("rediss://127.0.0.1:1?$files");
        }
    }
', ['folder' => temporary_folder()]);
$child->wait();
echo $child->output();
?>
--EXPECT--
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cafile
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cert
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the key
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cafile
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cert
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the key
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cafile
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the cert
RLock::__construct(): Argument #1 ($servers) is invalid: The ini setting open_basedir does not allow the path of the key
allowed
allowed
allowed
