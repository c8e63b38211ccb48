<?php
/*
 * What a section in PHP is made of. A section is a program that prints rows to standard output,
 * each a line of columns with tabs between:
 *
 *     SECTION CASE WHO MEASURE UNIT AGAINST ROUNDS LOW MEDIAN HIGH
 *
 * LOW and HIGH are the quartiles over ROUNDS rounds. With AGAINST other than `-` the row is a
 * ratio, taken round by round, of WHO's measure to that of AGAINST. A line `# ...` is a note.
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    return error_reporting() & $level ? throw new ErrorException($message, 0, $level, $file, $line) : false;
});

require __DIR__ . '/server.php';
require __DIR__ . '/worker.php';
require __DIR__ . '/contenders.php';

/** In a quick run only whether it works counts. */
function rounds(int $full, int $quick = 2): int
{
    return getenv('RLOCK_BENCH_QUICK') ? $quick : $full;
}

function quick(): bool
{
    return (bool) getenv('RLOCK_BENCH_QUICK');
}

/** What keeps the CPUs awake (bench/run) stands still, or goes on. */
function keep_awake(bool $awake): void
{
    foreach (array_filter(explode(' ', (string) getenv('RLOCK_BENCH_AWAKE'))) as $pid) {
        posix_kill((int) $pid, $awake ? SIGCONT : SIGSTOP);
    }
}

/** @param array<int|float> $values */
function quantile(array $values, float $which): float
{
    sort($values);
    $place = $which * (count($values) - 1);
    $low = (int) $place;
    $high = min($low + 1, count($values) - 1);
    return $values[$low] + ($place - $low) * ($values[$high] - $values[$low]);
}

/** @param array<int|float> $values one for each round */
function row(string $case, string $who, string $measure, string $unit, array $values, string $against = '-'): void
{
    $numbers = array_map(fn (float $which) => sprintf('%.6g', quantile($values, $which)), [0.25, 0.5, 0.75]);
    echo implode("\t", [basename($_SERVER['argv'][0]), $case, $who, $measure, $unit, $against, count($values), ...$numbers]), "\n";
}

function note(string $text): void
{
    echo "# $text\n";
}

/** Rows of ratios, for the rounds that both have. */
function ratio_row(string $case, string $who, string $measure, array $values, string $against, array $base): void
{
    $values = array_intersect_key($values, $base);
    row($case, $who, $measure, 'x', array_map(fn ($round) => $values[$round] / $base[$round], array_keys($values)), $against);
}

/**
 * Plays rounds in which all take part one after the other, nobody always behind the same one.
 *
 * @param list<string> $who
 * @param list<string> $seldom those of them that take part in every seventh round only
 * @param callable(string): array<string, int|float> $play
 * @return array<string, array<string, array<int, int|float>>> by contender, measure, and round
 */
function interleave(array $who, int $rounds, callable $play, array $seldom = []): array
{
    $seen = [];
    for ($round = 0; $round < $rounds; $round++) {
        array_push($who, array_shift($who));
        foreach ($who as $name) {
            if ($round % 7 !== 0 && in_array($name, $seldom, true)) {
                continue;
            }
            foreach ($play($name) as $measure => $value) {
                $seen[$name][$measure][$round] = $value;
            }
        }
    }
    return $seen;
}
