<?php
/*
 * The nightly report, as cron starts it on every web server at the same minute.
 * Any number of copies may run; one makes the report, the others wait or leave.
 *
 *     php report.php [--wait=SECONDS] [--ttl=SECONDS] [--policy=wait|fail-fast]
 *
 * What is only there for the demonstration (say, work, mayFreeze) is in stage.php.
 */

declare(strict_types=1);

use RLock\LostLockException;
use RLock\TimeoutException;

require __DIR__ . '/stage.php';
require __DIR__ . '/ReportStore.php';

const STEPS = ['read the orders', 'add up the sums', 'draw the charts', 'lay out the pages'];

$options = getopt('', ['wait:', 'ttl:', 'policy:']);
$wait = (float) ($options['wait'] ?? 0);
$ttl = (float) ($options['ttl'] ?? 30);
$policy = $options['policy'] ?? 'wait';

$day = getenv('REPORT_DAY') ?: date('Y-m-d');
$store = new ReportStore(getenv('REPORT_STORE') ?: __DIR__ . '/reports.sqlite');
$locks = new RLock(ttl: $ttl);                              // the server: ini rlock.servers
$key = "nightly-report:$day";

say("asks for the lock (wait $wait s, policy $policy)");
$policy = $policy === 'fail-fast' ? RLock::POLICY_FAIL_FAST : RLock::POLICY_WAIT;
if (!$locks->getLock($key, wait: $wait, policy: $policy, metadata: role())) {
    $holder = $locks->holder($key);
    say('gives up: ' . ($holder === null ? 'it was busy until a moment ago' : describe($holder)));
    exit(0);                                                // somebody is at it: nothing went wrong
}

try {
    $fence = $locks->lease($key)->fence;
    say("has the lock for $ttl s, fence $fence");

    if ($store->isDone($day)) {                             // look again: what was true before the wait may not be
        say('finds the report already made, nothing to do');
    } else {
        $store->begin($day, $fence);                        // from here on the store refuses older fences
        foreach (STEPS as $number => $step) {
            $locks->prolongate($key);                       // a whole lease for every step
            work($number + 1, $step);
        }
        $locks->check($key);                                // throws if we are late; usually without a request
        mayFreeze();                                        // a process can be stopped here, and no lock can know
        if ($store->save($day, $fence, 'report of ' . role())) {
            say("stores the report under fence $fence");
        } else {
            say("is refused by the store: it has seen a higher fence than $fence");
        }
    }

    if ($locks->releaseLock($key)) {
        say('gives the lock back in time: nobody else was in here');
    }
} catch (LostLockException $lost) {
    say('LostLockException: ' . ($lost->holder === null ? 'another has had the lock' : describe($lost->holder)));
    exit(1);                                                // cron mails it
} catch (TimeoutException $late) {
    say(sprintf('TimeoutException: %.1f s late, but nobody has had the lock since', $late->lateBy));
    exit(1);
}
// Any other exception ends the script, and the end of the script gives the lock back.

function describe(RLock\Holder $holder): string
{
    return sprintf('%s (%s) holds it, fence %s, %.1f s left',
        $holder->metadata ?? 'a foreign client', $holder->owner, $holder->fence ?? 'unknown', $holder->ttl ?? INF);
}
