--TEST--
C15: a daemon that has closed its standard streams: what it prints goes to no server
--FILE--
<?php
require __DIR__ . '/../server.inc';

const CLOSED = ['err' => [2], 'out, err' => [1, 2], 'in, out, err' => [0, 1, 2]];

$server = TestServer::start();
$client = $server->client();
foreach (CLOSED as $what => $closed) {
    $child = Child::start(<<<'PHP'
        ignore_user_abort(true); // of what it prints nobody hears
        set_exception_handler(fn ($e) => $parent->say((string) $e));
        $standard = [STDIN, STDOUT, STDERR];
        foreach ($args['closed'] as $number) {
            fclose($standard[$number]);
        }
        $key = unique_key();
        $lock = new RLock($args['url'], ttl: 3.0, autoRenew: true, maxHold: 60.0);
        $other = new RLock($args['url']);
        $taken = [$lock->getLock($key), $other->getLock($key, wait: 0.3)];
        await('renewed', fn () => $lock->stats()['renewals'] > 0);
        $open = array_filter($args['closed'], fn ($number) => @readlink("/proc/self/fd/$number"));
        echo "SET pwned yes\r\n";
        error_log("a line\r\nSET pwned yes\r\n");
        flush();
        $parent->say([$taken, $lock->isLocking($key), $lock->releaseLock($key), $lock->getLock($key),
            $lock->stats()['reconnects'], array_values($open)]);
        PHP, ['url' => $server->url(), 'closed' => $closed], '-d display_errors=0 -d log_errors=1');
    say("closed $what", $child->hear());
    $child->wait();
}
say('what it printed was run', $client('EXISTS', 'pwned') === 1);
?>
--EXPECT--
closed err: [[true,false],true,true,true,0,[]]
closed out, err: [[true,false],true,true,true,0,[]]
closed in, out, err: [[true,false],true,true,true,0,[]]
what it printed was run: false
