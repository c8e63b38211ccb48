--TEST--
C10: memory_limit reached just before a wait or holders(): the script ends there, and what is held is released
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('busy', ttl: 600.0));
$calls = [
    'getLock("busy", wait: 0.5)',
    'getSharedLock("busy", wait: 0.5)',
    'getLocks(["busy", "free"], wait: 0.5)',
    'detached("busy", "a name")->getLock(wait: 0.5)',
    'holders()',
];
/* Some builds of PHP go on until the VM's next interrupt, which the call finds pending. */
foreach ($calls as $call) {
    $child = Child::start('
        $lock = new RLock($args[0]);
        ignore($lock->getLock("held", ttl: 600.0));
        $half = str_repeat("x", 14000000);
        $all = "$half$half";
        ignore($lock->' . $call . ');
        echo "went on";
    ', [$server->url()], '-d memory_limit=32M');
    $status = $child->wait();
    preg_match('/went on|Allowed memory size/', $child->output(), $first);
    say($call, [$status, $first[0] ?? $child->output(), $client('EXISTS', 'lock@held')]);
}
?>
--EXPECT--
getLock("busy", wait: 0.5): [255,"Allowed memory size",0]
getSharedLock("busy", wait: 0.5): [255,"Allowed memory size",0]
getLocks(["busy", "free"], wait: 0.5): [255,"Allowed memory size",0]
detached("busy", "a name")->getLock(wait: 0.5): [255,"Allowed memory size",0]
holders(): [255,"Allowed memory size",0]
