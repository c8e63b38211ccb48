--TEST--
autoRenew: a detached lock outlives calls that block for longer than its lease, and costs what an attached one costs; killed or stopped, its process holds it for a lease
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* One thread for both, and one request for each renewal of each. */
$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url(), ttl: 3.0, autoRenew: true);
$plain = new RLock($server->url());
$detached = $plain->detached('detached', 'name');
$scripts = fn () => preg_match_all('/^cmdstat_eval(?:sha)?:calls=(\d+)/m', $client('INFO', 'commandstats'), $matches) ? array_sum($matches[1]) : 0;
ignore($lock->getLock('attached'));
take_briefly($detached->getLock(...), ttl: 3.0, autoRenew: true);
$fence = $detached->fence();
await('a renewal of each', fn () => $lock->stats()['renewals'] > 0 && $lock->stats()['renewals'] === $plain->stats()['renewals']); // the server knows the script
$counts = fn () => [$lock->stats()['renewals'], $plain->stats()['renewals'], $scripts()];
$before = $counts();
sleep(4);
await('as often, and a request each', function () use ($counts, $before) { // what is under way is not counted everywhere
    [$attached, $detached, $sent] = array_map(fn ($after, $before) => $after - $before, $counts(), $before);
    return $attached === $detached && $detached > 0 && $sent === $attached + $detached;
});
say('threads', threads());
say('the same grant', [outcome(fn () => $plain->check('detached')), $detached->fence() === $fence, $detached->ttl() > 1.0]);
$other = new RLock($server->url());
say('another', $other->getLock('detached'));
say('released', [$lock->releaseLock('attached'), $detached->releaseLock(), $client('EXISTS', 'lock@detached')]);
say('threads', await_threads(1));
say('another', $other->getLock('detached'));

/* kill -9 at any moment costs others one lease; a process that was stopped for longer renews nothing that others have. */
$code = '
    $lock = new RLock($args["url"], interrupt: true);
    $detached = $lock->detached($args["key"], "name");
    take_briefly($detached->getLock(...), ttl: 3.0, autoRenew: true, metadata: "a note");
    $parent->say(true);
    while (true) {
        try {
            while (true) {
                usleep(1000);
            }
        } catch (RLock\TimeoutException $lost) {
            $parent->say([$lost instanceof RLock\LostLockException, $lost->key === $args["key"], $detached->prolongate(), await_threads(1)]);
        }
    }
';
$child = Child::start($code, ['url' => shared_url(), 'key' => $key = unique_key()]);
say('child', $child->hear());
$other = new RLock(shared_url());
say('renewed', [$other->getLock($key, wait: 4.0), $other->holder($key)->metadata]);
$child->kill();
say_took('after its death', seconds(fn () => say('another', $other->getLock($key, wait: 10.0, ttl: 60.0))), 0.0, 3.0 + 0.5);

$child = Child::start($code, ['url' => shared_url(), 'key' => $key = unique_key()]);
say('child', $child->hear());
usleep(1_000_000);
$child->freeze();
say('another', $other->getLock($key, wait: 10.0, ttl: 60.0));
$child->thaw();
say('told', $child->hear());
say('the other has it', $other->ttl($key) <= 60.0 && $other->isLocking($key));

$child = Child::start($code, ['url' => shared_url(), 'key' => $key = unique_key()]);
say('child', $child->hear());
$child->freeze();
$client = shared_client();
await('its end', fn () => !$client('EXISTS', lock_key($key)));
$child->thaw();
say('told', $child->hear());
say('not taken anew', $client('EXISTS', lock_key($key)));
?>
--EXPECT--
threads: 2
the same grant: ["null",true,true]
another: false
released: [true,true,0]
threads: 1
another: true
child: true
renewed: [false,"a note"]
another: true
after its death: in time
child: true
another: true
told: [true,true,false,1]
the other has it: true
child: true
told: [false,true,false,1]
not taken anew: 0
