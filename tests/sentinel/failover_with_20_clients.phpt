--TEST--
A failover with 20 clients at work: every one goes on within 4 s of the new master, and no two ever hold one lock
--FILE--
<?php
require __DIR__ . '/../server.inc';

/*
 * Half of them wait for their lock for as long as it takes, half come back after each exception.
 * What each held, from the moment when it was told so until it began to give it back, is written
 * down with the fence. The new master may never have heard of the last release, and then the lock is held there until its
 * lease ends, which is why that is short.
 */
$group = new SentinelGroup();
$client = <<<'PHP'
    [$url, $key, $patient] = $args;
    $lock = new RLock($url, ttl: 3.0);
    $parent->say('ready');
    $parent->hear();
    $held = [];
    $failures = 0;
    stream_set_blocking(STDIN, false);
    /* Until it is to end, and has had the lock of the new master, which came at that time. */
    for ($switched = null; $switched === null || ((end($held)[1] ?? 0) < $switched && hrtime(true) < $switched + 20e9); ) {
        $switched ??= json_decode((string) fgets(STDIN));
        try {
            if ($lock->getLock($key, wait: $patient ? 30.0 : 0.2)) {
                $from = hrtime(true);
                $fence = $lock->lease($key)->fence;
                usleep(5000);
                $until = hrtime(true);
                $held[] = [$fence, $from, $until, $lock->releaseLock($key)];
            }
        } catch (RLock\RLockException $e) {
            $failures++;
            if ($patient && !$e instanceof RLock\TimeoutException && !str_contains($e->getTraceAsString(), 'releaseLock')) {
                $parent->say("a wait of 30 s ended with: {$e->getMessage()}");
            }
        }
    }
    $parent->say($held);
    $parent->say($failures);
    PHP;
$children = [];
for ($i = 0; $i < 20; $i++) {
    $children[$i] = Child::start($client, [$group->url(), 'key-' . $i % 4, $i % 2 === 0]);
}
foreach ($children as $child) {
    $child->hear();
}
foreach ($children as $child) {
    $child->say('go');
}
await('all at work', fn () => $group->master->client()->info('total_commands_processed') > 1000);
$group->expectDeath();
$group->master->kill();
/* There is a new one when it would take a write, which is before all sentinels say so. */
await('a new master', function () use ($group) {
    try {
        return $group->replica->client()('SET', 'probe', 1);
    } catch (RawError) {
        return false;
    }
});
$switched = hrtime(true);
await('its time to go on', fn () => hrtime(true) > $switched + 4_500_000_000);
foreach ($children as $child) {
    $child->say($switched);
}
$grants = [];
$late = [];
foreach ($children as $i => $child) {
    $held = $child->hear();
    if (!is_array($held)) {
        say("client $i", $held);
        $held = $child->hear();
    }
    $next = array_values(array_filter($held, fn (array $grant) => $grant[1] > $switched));
    $late[$i] = $next === [] ? PHP_INT_MAX : ($next[0][1] - $switched) / 1e9;
    $grants['key-' . $i % 4] = [...$grants['key-' . $i % 4] ?? [], ...$held];
    $child->hear();
    say_took("client $i goes on", $late[$i], 0.0, 4.0);
}
foreach ($grants as $key => $held) {
    usort($held, fn (array $a, array $b) => $a[1] <=> $b[1]);
    $bad = 0;
    for ($i = 1; $i < count($held); $i++) {
        $bad += $held[$i][1] < $held[$i - 1][2] || $held[$i][0] <= $held[$i - 1][0];
    }
    say("$key, held twice at once, or a fence that did not rise", $bad);
}
?>
--EXPECT--
client 0 goes on: in time
client 1 goes on: in time
client 2 goes on: in time
client 3 goes on: in time
client 4 goes on: in time
client 5 goes on: in time
client 6 goes on: in time
client 7 goes on: in time
client 8 goes on: in time
client 9 goes on: in time
client 10 goes on: in time
client 11 goes on: in time
client 12 goes on: in time
client 13 goes on: in time
client 14 goes on: in time
client 15 goes on: in time
client 16 goes on: in time
client 17 goes on: in time
client 18 goes on: in time
client 19 goes on: in time
key-0, held twice at once, or a fence that did not rise: 0
key-1, held twice at once, or a fence that did not rise: 0
key-2, held twice at once, or a fence that did not rise: 0
key-3, held twice at once, or a fence that did not rise: 0
