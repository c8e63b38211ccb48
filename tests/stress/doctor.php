<?php
/*
 * Doctors the histories of a stress run: doctor.php FOLDER COPY
 *
 * Each way changes one fact in a COPY of them, and names the kind of violation that check.php
 * must find there and nothing like it in the original. It picks places where faults excuse
 * nothing: far from anything in the chaos log.
 */

final class Histories
{
    /** @var array<string, list<list<string>>> file => its lines' words */
    public array $files = [];
    /** @var list<array{int, int}> the times around a fault */
    private array $faults = [];

    public function __construct(string $folder)
    {
        foreach (glob("$folder/{worker-*,chaos,left}", GLOB_BRACE) as $path) {
            $this->files[basename($path)] = array_map(fn (string $line) => explode(' ', $line), file($path, FILE_IGNORE_NEW_LINES));
        }
        foreach ($this->files['chaos'] as [$from, $until, $what]) {
            if (!in_array($what, ['clock', 'flush', 'continue', 'end', 'stall'], true)) {
                $this->faults[] = [$from - 1_000_000_000, $until + 4_000_000_000];
            }
        }
    }

    public function write(string $folder): void
    {
        is_dir($folder) || mkdir($folder);
        array_map(unlink(...), glob("$folder/*"));
        foreach ($this->files as $name => $lines) {
            file_put_contents("$folder/$name", implode('', array_map(fn (array $words) => implode(' ', $words) . "\n", $lines)));
        }
    }

    public function isQuiet(int $time): bool
    {
        foreach ($this->faults as [$from, $until]) {
            if ($time >= $from && $time <= $until) {
                return false;
            }
        }
        return true;
    }

    /*
     * The calls of an operation with this result, those far from faults first: [file, line of its
     * end, its words, those of its beginning].
     */
    public function calls(string $operation, string $result): array
    {
        $quiet = $others = [];
        foreach ($this->files as $name => $lines) {
            foreach ($lines as $n => $words) {
                if ($words[0] !== 'E' || !isset($lines[$n - 1]) || $lines[$n - 1][0] !== 'B' || $lines[$n - 1][3] !== $operation
                    || explode('@', $words[2])[0] !== $result || str_contains($lines[$n - 1][4], ',')
                    || $lines[$n - 1][4] === 'broken') {
                    continue;
                }
                $call = [$name, $n, $words, $lines[$n - 1]];
                $this->isQuiet((int) $words[1]) ? $quiet[] = $call : $others[] = $call;
            }
        }
        return [...$quiet, ...$others] ?: throw new RuntimeException("The histories have no $operation that was $result");
    }
}

/* A release that was true well within the lease: [file, line of its end, key]. */
function timely(Histories $histories): array
{
    foreach ($histories->calls('release', 'true') as [$file, $line, $end, $begin]) {
        $take = $histories->files[$file][$line - 2] ?? null;
        $deadline = $take !== null && $take[0] === 'E' && $take[2] === 'true' ? (int) (explode('/', $take[3])[2] ?? 0) : 0;
        if ($histories->files[$file][$line - 3][4] === $begin[4] && $begin[6] === '1' && $end[3] === '-' && $end[1] < $deadline) {
            return [$file, $line, $begin[4]];
        }
    }
    throw new RuntimeException('Nobody gave anything back in time in these histories');
}

/* A release that was Lost, of a lease that another has had before it began: [file, line of its end]. */
function overtaken(Histories $histories): array
{
    $grants = $histories->calls('take', 'true');
    foreach ($histories->calls('release', 'Lost') as [$file, $line, $end, $begin]) {
        $before = $histories->files[$file][$line - 2] ?? ['', ''];
        $call = $histories->files[$file][$line - 3] ?? null;
        if ($before[0] !== 'E' || $call[4] !== $begin[4] || $before[3] === '-' || $end[3] !== '-') {
            continue; /* or the verdict may be one on an earlier release */
        }
        foreach ($grants as [$other, , $granted, $asked]) {
            if ($other !== $file && $asked[4] === $begin[4] && $granted[1] < $begin[1] - 2_000_000
                && fence_of($granted) > fence_of($before)) {
                return [$file, $line];
            }
        }
    }
    throw new RuntimeException('Nobody was overtaken in these histories');
}

/* The history of a worker that came to its end. */
function ended(Histories $histories): string
{
    foreach ($histories->files['chaos'] as [, , $what, $worker]) {
        if ($what === 'end' && end($histories->files["worker-$worker"])[0] === 'E') {
            return "worker-$worker";
        }
    }
    throw new RuntimeException('No worker came to its end in these histories');
}

function fence_of(array $end): int
{
    return (int) explode('/', $end[3])[0];
}

/* Two grants of one lock that followed each other, to different processes. */
function neighbours(Histories $histories): array
{
    $last = [];
    $grants = array_filter($histories->calls('take', 'true'), fn (array $call) => explode('/', $call[2][3])[1] === '1');
    usort($grants, fn (array $a, array $b) => $a[2][1] <=> $b[2][1]);
    foreach ($grants as $grant) {
        $before = $last[$grant[3][4]] ?? null;
        /* The second was waiting already when the first was granted. */
        if ($before !== null && $before[0] !== $grant[0] && $grant[3][1] < $before[2][1] && fence_of($before[2]) < fence_of($grant[2])) {
            return [$before, $grant];
        }
        $last[$grant[3][4]] = $grant;
    }
    throw new RuntimeException('Nobody waited for anybody in these histories');
}

$ways = [
    'a grant while another holds' => ['overlap', function (Histories $h) {
        [$first, $second] = neighbours($h);
        $h->files[$second[0]][$second[1]][1] = (string) ($first[2][1] + 1000);
    }],
    'two fences changed for each other' => ['fence', function (Histories $h) {
        [$first, $second] = neighbours($h);
        [$a, $b] = [fence_of($first[2]), fence_of($second[2])];
        foreach ([[$first, $a, $b], [$second, $b, $a]] as [$grant, $from, $to]) {
            foreach ($h->files[$grant[0]] as &$words) {
                $words = str_replace("$from/", "$to/", $words);
            }
            unset($words);
        }
    }],
    'one fence twice' => ['fence', function (Histories $h) {
        [$first, $second] = neighbours($h);
        foreach ($h->files[$second[0]] as &$words) {
            $words = str_replace(fence_of($second[2]) . '/', fence_of($first[2]) . '/', $words);
        }
    }],
    'a Timeout that was Lost' => ['alone', function (Histories $h) {
        [$file, $line] = overtaken($h);
        $h->files[$file][$line][2] = str_replace('Lost', 'Timeout', $h->files[$file][$line][2]);
    }],
    'a Lost that was Timeout' => ['Lost', function (Histories $h) {
        /* The whole section, as one of a lock that nobody else ever asks for. */
        [$file, $line, $end, $begin] = $h->calls('release', 'Timeout')[0];
        $lines = &$h->files[$file];
        $lines[$line][2] = 'Lost@nobodys@' . explode('@', $end[2])[2];
        for ($n = $line - 1; !($lines[$n][0] === 'B' && $lines[$n][3] === 'take' && $lines[$n + 1][2] === 'true'
            && explode('/', $lines[$n + 1][3])[1] === '1'); $n--) {
            $lines[$n] = str_replace($begin[4], 'nobodys', $lines[$n]);
        }
        $lines[$n] = str_replace($begin[4], 'nobodys', $lines[$n]);
    }],
    'a Lost within the lease' => ['Lost', function (Histories $h) {
        [$file, $line, $key] = timely($h);
        $h->files[$file][$line][2] = "Lost@$key@0";
    }],
    'a Timeout within the lease' => ['Timeout', function (Histories $h) {
        [$file, $line, $key] = timely($h);
        $h->files[$file][$line][2] = "Timeout@$key@1000";
    }],
    'a release that was Lost and says true' => ['alone', function (Histories $h) {
        [$file, $line] = overtaken($h);
        $h->files[$file][$line][2] = 'true';
    }],
    'a refusal while nobody has it' => ['busy', function (Histories $h) {
        $file = ended($h);
        $time = (int) end($h->files[$file])[1] + 10_000_000_000; /* long after all faults */
        $h->files[$file][] = ['B', $time + 1, '0', 'take', 'nobodys', '0', '1000', '1'];
        $h->files[$file][] = ['E', $time + 2, 'false', '-'];
    }],
    'a wait that was too long' => ['wait', function (Histories $h) {
        [$file, $line] = $h->calls('take', 'false')[0];
        for (; isset($h->files[$file][$line]); $line++) {
            $h->files[$file][$line][1] += 60_000_000_000; /* longer than all faults together excuse */
        }
    }],
    'a failure without a cause' => ['failure', function (Histories $h) {
        [$file, $line, , $begin] = $h->calls('take', 'false')[0];
        $h->files[$file][$line][2] = "Connection@$begin[4]@0";
    }],
    'a release that is false' => ['state', function (Histories $h) {
        [$file, $line] = timely($h);
        $h->files[$file][$line][2] = 'false';
    }],
    'an end in the midst of a call' => ['process', function (Histories $h) {
        $h->files[ended($h)][] = ['B', '9000000000000000000', '0', 'take', 'hot-1', '0', '1000', '1'];
    }],
    'a lock left on the server' => ['left', function (Histories $h) {
        $h->files['left'][] = ['lock@hot-1', '250'];
    }],
    'a fence that never expires' => ['left', function (Histories $h) {
        $h->files['left'][] = ['rlock:f:{lock@hot-1}:lock@hot-1', '-1'];
    }],
];

/** @return array{int, string} */
function check(string $folder): array
{
    exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-d', 'memory_limit=-1', __DIR__ . '/check.php', $folder]))
        . ' 2>&1', $output, $status);
    return [$status, implode("\n", $output)];
}

[, $original, $copy] = $argv;
[$status, $output] = check($original);
if ($status !== 0) {
    echo "$output\nThe histories as they were do not pass\n";
    exit(1);
}
$failed = 0;
foreach ($ways as $name => [$kind, $doctor]) {
    $histories = new Histories($original);
    $doctor($histories);
    $histories->write($copy);
    [$status, $output] = check($copy);
    $found = $status === 1 && preg_match("/^VIOLATION $kind /m", $output);
    $failed += !$found;
    echo $found ? 'found   ' : 'MISSED  ', $name, "\n", $found ? '' : preg_replace('/^/m', '        ', $output) . "\n";
}
exit($failed === 0 ? 0 : 1);
