<?php
/*
 * Holds the history of a stress run against the promises: check.php FOLDER
 *
 * README.md says what is in FOLDER, what is proven, and what is excused. A violation names its kind, the worker's history and
 * the line. Exit status 1 if there is any, or if more was excused than may be.
 */

require __DIR__ . '/proofs.php';

/*
 * What may be excused of each kind: a share of what was judged, given by its count, which is a few times what was seen; and
 * a few more, since one server that forgets, or one clock that steps, concerns all workers. Where both happen together, each
 * fence is lower until the clock has caught up.
 */
const EXCUSED = [
    'exclusive' => ['exclusive: judged', 0.005], 'deadline' => ['deadline: judged', 0.008], 'granted' => ['exclusive: judged', 0.0005],
    'verdict' => ['exclusive: judged', 0.0005], 'true' => ['verdict: true', 0.002], 'Timeout' => ['verdict: Timeout', 0.02],
    'Lost' => ['verdict: Lost', 0.1], 'fence' => ['fence: judged', 0.1], 'busy' => ['busy: another had it', 0.01],
    'look' => ['look: judged', 0.05], 'limit' => ['limit: judged', 0.005], 'kept' => ['kept: judged', 0.001],
    'cooldown' => ['cooldown: judged', 0.02], 'undone' => ['undone: judged', 0.1], 'renewal' => ['renewal: judged', 0.05],
    'wake' => ['wake: judged', 0.01],
];
const FEW = 25;
const FENCE_KEPT = 3_600_000;
const LONGEST_LEASE = 10_000;

function check_left(string $folder, Report $report): void
{
    foreach (file("$folder/left", FILE_IGNORE_NEW_LINES) as $number => $line) {
        [$key, $ttl] = explode(' ', $line);
        $where = 'left:' . $number + 1;
        $report->count('left: judged');
        if (!preg_match('/^rlock:[fh]:/', $key)) {
            $report->violation('left', $where, "$key, for $ttl ms");
        } elseif ($ttl < 0 || $ttl > FENCE_KEPT + LONGEST_LEASE) {
            $report->violation('left', $where, "$key lives for $ttl ms");
        }
    }
}

function check_excused(Report $report): void
{
    $excused = [];
    foreach ($report->counts as $what => $count) {
        if (preg_match('/^excused: (\w+),/', $what, $match)) {
            $excused[$match[1]] = ($excused[$match[1]] ?? 0) + $count;
        }
    }
    foreach ($excused as $kind => $count) {
        [$judged, $share] = EXCUSED[$kind];
        if ($count > FEW + $share * ($report->counts[$judged] ?? 0)) {
            $report->violation('excused', $kind, "$count times, of " . ($report->counts[$judged] ?? 0) . ', which is more than may be');
        }
    }
}

/* A history that is read wrongly proves nothing. */
set_error_handler(fn (int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));
gc_disable(); /* what is read stays until the end, and looking through it for garbage takes a third of the time */
$folder = $argv[1];
$began = microtime(true);
$report = new Report;
$faults = new FaultLog($folder, $report);
$workers = new Workers($folder, $report, $faults);
$nodes = count(glob("$folder/node-*", GLOB_ONLYDIR));
$majority = trim(file_get_contents("$folder/deployment")) === 'majority';
$servers = new Servers($folder, $faults, $majority ? intdiv($nodes, 2) + 1 : 1);
foreach ($workers->locks as $name => $history) {
    (new Proof($report, $faults, $name, $history, $servers->lock($name), $majority))->run();
}
check_left($folder, $report);
check_excused($report);

$counts = $report->counts;
ksort($counts);
foreach ($counts as $what => $count) {
    printf("%-75s %9d\n", $what, $count);
}
foreach ($workers->longest as $operation => $longest) {
    printf("%-75s %9.3f s\n", "longest beyond what was asked: $operation", $longest / S);
}
printf("%d sections, %d contended, in %.0f s; %d writes of servers; %d violations; checked in %.1f s\n", $counts['sections'] ?? 0,
    $counts['contended'] ?? 0, ($faults->until - $faults->from) / S, $servers->writes, array_sum($report->violations), microtime(true) - $began);
foreach ($report->violations as $kind => $count) {
    echo "$count $kind\n";
}
exit($report->violations === [] ? 0 : 1);
