--TEST--
adopt() and others that need the renewal thread change nothing where the system refuses it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$other = new RLock($server->url());
foreach (['renewed', 'interrupted'] as $key) {
    ignore($other->getLock($key, ttl: 60.0));
    $tokens[$key] = $other->handOver($key);
}
$child = Child::start('
    $renewed = new RLock($args["url"], autoRenew: true);
    $interrupted = new RLock($args["url"], interrupt: true);
    ignore([$renewed->holder("k"), $interrupted->holder("k")]); // both have connected
    $parent->say("connected");
    $parent->hear();
    $calls = [
        fn () => $renewed->adopt("renewed", $args["tokens"]["renewed"]),
        fn () => $interrupted->adopt("interrupted", $args["tokens"]["interrupted"]),
        fn () => $renewed->getLock("new"),
        fn () => $interrupted->getSharedLock("new", wait: 1.0),
        fn () => $renewed->getLocks(["new", "newer"]),
        fn () => $renewed->synchronized("new", fn () => 1),
        fn () => $renewed->detached("new", "a name")->getLock(), // which needs none
    ];
    foreach ($calls as $call) {
        try {
            $said[] = $call();
        } catch (RLock\RLockException $e) {
            $said[] = str_contains($e->getMessage(), "The system refuses the thread");
        }
    }
    $parent->say($said);
', ['url' => $server->url(), 'tokens' => $tokens]);
$child->hear();
shell_exec("prlimit --pid $child->pid --nofile=3:");
$child->say('go on');
say('refused, or got', $child->hear());
say('adopted by another', array_map(fn ($key) => $other->adopt($key, $tokens[$key]), array_keys($tokens)));
?>
--EXPECT--
refused, or got: [true,true,true,true,true,true,true]
adopted by another: [true,true]
