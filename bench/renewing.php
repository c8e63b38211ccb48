<?php
/*
 * What a release costs while the renewal thread lives, beside one without: php bench/renewing.php [MODULE]
 *
 * Three processes take turns at getLock and releaseLock of one key: two that are the same, whose
 * difference is noise, and one whose object has autoRenew, and 20 more leases that are being
 * renewed. Only the release is timed. Ratios are taken round by round.
 */

declare(strict_types=1);

const ROUNDS = 400;
const RELEASES = 31;                                        // a round's; its median counts

$module = $argv[1] ?? trim((string) exec(__DIR__ . '/../dev/build'));
putenv("TEST_PHP_EXTRA_ARGS=-n -d extension=posix -d extension=$module");
if (!extension_loaded('posix') || !extension_loaded('rlock')) {
    passthru(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-d', 'extension=posix', '-d', "extension=$module", ...$argv])), $status);
    exit($status);
}
require __DIR__ . '/../tests/server.inc';

const WORKER = <<<'PHP'
    $lock = new RLock($args['url'], ttl: 1.0, autoRenew: $args['renew']);
    for ($i = 0; $i < 20; $i++) {
        $lock->getLock("{$args['key']}:$i", ttl: $args['renew'] ? 1.0 : 600.0);
    }
    while (true) {
        $count = $parent->hear();
        $times = [];
        for ($i = 0; $i < $count; $i++) {
            $lock->getLock($args['key']);
            $began = hrtime(true);
            $lock->releaseLock($args['key']);
            $times[] = hrtime(true) - $began;
        }
        sort($times);
        $parent->say($times[intdiv($count, 2)]);
    }
    PHP;

function quantile(array $values, float $which): float
{
    sort($values);
    return (float) $values[(int) round($which * (count($values) - 1))];
}

$server = TestServer::start();
$workers = [];
foreach (['without' => false, 'again' => false, 'with' => true] as $name => $renew) {
    $workers[$name] = Child::start(WORKER, ['url' => $server->url(), 'key' => "bench:$name", 'renew' => $renew]);
    $workers[$name]->say(RELEASES);
    $workers[$name]->hear();
}
say('threads', array_map(fn (Child $worker) => threads($worker->pid), $workers));

$medians = array_fill_keys(array_keys($workers), []);
$order = array_keys($workers);
for ($round = 0; $round < ROUNDS; $round++) {
    $order[] = array_shift($order);                         // nobody always follows the same one
    foreach ($order as $who) {
        $workers[$who]->say(RELEASES);
        $medians[$who][] = $workers[$who]->hear();
    }
}
$ratios = [];
foreach (['with' => 'with / without', 'again' => 'without / without'] as $who => $name) {
    $ratios[$who] = array_map(fn (int $one, int $other) => $one / $other, $medians[$who], $medians['without']);
    printf("%-18s  quartiles %.3f  %.3f  %.3f   median release %.1f us\n", $name, quantile($ratios[$who], 0.25),
        quantile($ratios[$who], 0.5), quantile($ratios[$who], 0.75), quantile($medians[$who], 0.5) / 1000);
}
$ratio = quantile($ratios['with'], 0.5);
printf("%s: a release with the renewal thread takes %.3f times one without, at most 1.05\n", $ratio <= 1.05 ? 'met' : 'MISSED', $ratio);
exit($ratio <= 1.05 ? 0 : 1);
