<?php
/*
 * Random sequences of calls, several at once: fuzz.php MODULE FOLDER SECONDS SEED [only]
 *
 * Each is a process of its own (sequence.php) with the next seed. It fails if it crashes, does not end in time, prints
 * what only a fault prints, complains itself, or leaves more than fences, and what tells late shares their verdict, on its servers. What failed stays in FOLDER.
 */
declare(strict_types=1);

putenv('RLOCK_TEST_SOCKET=none'); // no shared server: each place has its own
require __DIR__ . '/../server.inc';

const JOBS = 8; // they mostly wait
const SERVERS = 3;
/* In seconds; sanitizers on a busy machine take their time. */
const LONGEST = 60.0;
/* What a killed child held, a hand-over: all of that ends by itself. */
const LONGEST_LEFT = 8.0;
/* So does the flag of waiters, after their turns to look. docs/operations.md has its longest life. */
const LONGEST_FLAG_MS = 9_700;
const FAILURES_SHOWN = 3;

/* A place for one sequence after another. */
final class Place
{
    /* What may be thrown anywhere, and so where nothing catches it. */
    private const UNCAUGHT = 'Uncaught (Thrown|RLock\\\\(Timeout|LostLock)Exception)';
    /** @var list<TestServer> */
    private array $servers = [];
    private mixed $process = null;
    private int $seed = 0;
    private string $folder = '';
    private float $deadline = 0.0;
    /** @var list<string> */
    private array $faults = [];

    public function __construct(private string $module, private string $results)
    {
        for ($i = 0; $i < SERVERS; $i++) {
            $this->servers[] = TestServer::start();
        }
    }

    public function begin(int $seed): void
    {
        $this->seed = $seed;
        $this->folder = "$this->results/$seed";
        $this->faults = [];
        shell_exec('rm -rf ' . escapeshellarg($this->folder));
        mkdir($this->folder, recursive: true);
        $command = ['setpriv', '--pdeathsig', 'KILL', PHP_BINARY, '-n', '-d', "extension=$this->module", '-d', 'display_errors=1',
            '-d', 'html_errors=0', '-d', 'log_errors=0', __DIR__ . '/sequence.php', (string) $seed, $this->folder,
            ...array_map(fn ($server) => $server->socket, $this->servers)];
        $output = ['file', "$this->folder/output", 'a'];
        $pipes = [];
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], $output, $output], $pipes, null, $this->environment());
        $this->deadline = microtime(true) + LONGEST;
    }

    /* In a debug build PHP's own memory manager tells what was not freed. AddressSanitizer sees every piece of memory without
       it, in those sequences in which the engine leaks by itself (Sequence::is_calm()). */
    private function environment(): array
    {
        $environment = getenv();
        foreach (['ASAN_OPTIONS', 'UBSAN_OPTIONS'] as $name) {
            $environment[$name] = ltrim(($environment[$name] ?? '') . ":log_path=$this->folder/report", ':');
        }
        $without = ['USE_ZEND_ALLOC' => '0', 'USE_TRACKED_ALLOC' => '1'];
        return PHP_DEBUG && $this->seed % 2 ? $environment + $without : $environment;
    }

    /* Null: not yet. */
    public function faults(): ?array
    {
        if ($this->process && !$this->has_ended()) {
            return null;
        }
        $left = $this->left();
        if ($left !== [] && microtime(true) < $this->deadline) {
            return null;
        }
        if ($left !== []) {
            $this->faults[] = 'left on the server: ' . implode(', ', $left);
            array_map(fn ($server) => $server->client()('FLUSHALL'), $this->servers);
        }
        if ($this->faults === []) {
            shell_exec('rm -rf ' . escapeshellarg($this->folder));
        }
        return $this->faults;
    }

    private function has_ended(): bool
    {
        $status = proc_get_status($this->process);
        if ($status['running']) {
            if (microtime(true) < $this->deadline) {
                return false;
            }
            $this->faults[] = 'did not end within ' . LONGEST . ' s';
            send_signal($status['pid'], 'KILL');
        } elseif ($status['signaled']) {
            $this->faults[] = "ended by signal {$status['termsig']}";
        } elseif (!in_array($status['exitcode'], [0, 255], true)) {
            $this->faults[] = "exit status {$status['exitcode']}";
        }
        proc_close($this->process);
        $this->process = null;
        $this->deadline = microtime(true) + LONGEST_LEFT;
        $this->read_results();
        return true;
    }

    private function read_results(): void
    {
        $this->faults = [...$this->faults, ...array_slice(@file("$this->folder/complaints") ?: [], 0, 1)];
        foreach (glob("$this->folder/report*") as $report) {
            if (preg_match('/(runtime error|ERROR): .*/', file_get_contents($report), $match)) { // or just a remark
                $this->faults[] = $match[0];
            }
        }
        $output = file_get_contents("$this->folder/output");
        if (!file_exists("$this->folder/end") && !preg_match('/' . self::UNCAUGHT . '/', $output)) {
            $this->faults[] = 'ended before its end';
        }
        $this->faults = [...$this->faults, ...self::faults_in($output)];
    }

    private static function faults_in(string $output): array
    {
        $expected = implode('|', [self::UNCAUGHT, 'Class Incomplete contains', 'Allowed memory size', 'RLock: ',
            'PHP Request Shutdown: Cannot call session save handler']); // it has thrown
        preg_match_all("/^.*(runtime error:|Sanitizer|Assertion|leaks? detected|heap corrupted|Segmentation"
            . "|(error|Warning|Notice|Deprecated): (?!$expected)).*/m", $output, $match);
        return array_slice($match[0], 0, 2);
    }

    public function show(): void
    {
        echo "FAILED  seed $this->seed\n        ", implode("\n        ", array_map(rtrim(...), $this->faults)), "\n";
        foreach (['output', 'trace'] as $file) {
            echo "  the last of $this->folder/$file:\n", shell_exec('tail -n 40 ' . escapeshellarg("$this->folder/$file")), "\n";
        }
    }

    public function seed(): int
    {
        return $this->seed;
    }

    private function left(): array
    {
        $left = [];
        foreach ($this->servers as $i => $server) {
            $client = $server->client();
            foreach (preg_grep('/^rlock:[fhs]:/', $client('KEYS', '*'), PREG_GREP_INVERT) as $key) {
                $ttl = $client('PTTL', $key);
                if (!str_starts_with($key, 'rlock:w:') || $ttl === -1 || $ttl > LONGEST_FLAG_MS) {
                    $left[] = "$i: $key, $ttl ms: " . ($client('TYPE', $key) === 'string' ? $client('GET', $key) : 'no string');
                }
            }
        }
        return $left;
    }
}

[, $module, $results, $seconds, $seed] = $argv;
$first = $next = (int) $seed;
$count = isset($argv[5]) ? 1 : PHP_INT_MAX;
$end = microtime(true) + (float) $seconds;
$done = $failed = 0;
$idle = array_map(fn () => new Place($module, $results), range(1, min(JOBS, $count)));
$busy = [];
do {
    $more = $next - $first < $count && $failed < FAILURES_SHOWN && microtime(true) < $end;
    while ($more && $idle !== [] && $next - $first < $count) {
        $place = array_pop($idle);
        $place->begin($next++);
        $busy[] = $place;
    }
    foreach ($busy as $i => $place) {
        $faults = $place->faults();
        if ($faults !== null) {
            unset($busy[$i]);
            $idle[] = $place;
            $done++;
            if ($faults !== []) {
                $failed++;
                $place->show();
            }
        }
    }
    usleep(20_000);
} while ($more || $busy !== []);
echo "$done random sequences, the seeds from $first: $failed failed\n";
exit($failed > 0 ? 1 : 0);
