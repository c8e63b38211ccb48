--TEST--
The module is loaded by dl() and unloaded at the request's end, which a renewal thread does not survive
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* The module that this test was given, in a process that has not loaded it at its start. */
preg_match('/\S*rlock\.so/', file_get_contents('/proc/self/maps'), $match);
$folder = temporary_folder();
copy($match[0], "$folder/loaded.so");
file_put_contents("$folder/run.php", '<?php
    dl("loaded.so") || exit(1);
    $lock = new RLock($argv[1], ttl: 3.0, autoRenew: true, interrupt: true);
    $lock->getLock($argv[2]) || exit(2);
    usleep(3_200_000);
    echo json_encode([count(scandir("/proc/self/task")) - 2, $lock->isLocking($argv[2])]), "\n";
    $GLOBALS["kept"] = $lock;
    if ($argv[3] === "exit") {
        exit(5);
    }
');
$client = shared_client();
foreach (['end', 'exit'] as $end) {
    $key = unique_key();
    exec(escapeshellarg(PHP_BINARY) . " -n -d enable_dl=1 -d extension_dir=" . escapeshellarg($folder) . ' ' . escapeshellarg("$folder/run.php")
        . ' ' . escapeshellarg(shared_url()) . " $key $end 2>&1", $output, $status);
    say($end, [$output, $status, $client('EXISTS', lock_key($key))]);
    $output = [];
}
?>
--EXPECT--
end: [["[2,true]"],0,0]
exit: [["[2,true]"],5,0]
