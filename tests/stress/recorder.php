<?php
/*
 * Notes when the servers wrote what: recorder.php FOLDER
 *
 * A server's append-only file has all that it did, in order, but not when. So this looks about every millisecond
 * how long each of them is, and writes to FOLDER/samples, where one has grown,
 *
 *   AFTER BEFORE WALL FILE SIZE
 *
 * what is new in FILE up to SIZE was written between AFTER and BEFORE (CLOCK_MONOTONIC, ns), when the time of day
 * was WALL (us). Where it did not get to look for long, nobody else may have had a CPU, and where a server or its proxy
 * wanted one for long and had none, as the kernel counts, their clients had no answer; nor where a server had so much to do
 * that one round took long, after which it writes a lot at once. Each is a `stall` in FOLDER/faults-0. It ends with its
 * standard input.
 */

const STALL = 40_000_000;
const LOOK = 20_000_000;
const MUCH = 64_000;
const AT_ONCE = 200_000;

/* Of a server or a proxy; those that are restarted have another number. */
final class Scheduled
{
    private int $pid = 0, $delay = 0;

    public function __construct(private string $file)
    {
    }

    /* For how long it has wanted a CPU since the last look and had none. */
    public function delayed(): int
    {
        $pid = (int) file_get_contents($this->file);
        $delay = (int) (explode(' ', @file_get_contents("/proc/$pid/schedstat") ?: '0 0')[1]);
        $delayed = $pid === $this->pid ? $delay - $this->delay : 0;
        [$this->pid, $this->delay] = [$pid, $delay];
        return $delayed;
    }
}

/* What both clocks say at one moment: ns, us. Between reading one and the other, others may have had the CPU. */
function clocks(): array
{
    for ($tries = 0; $tries < 100; $tries++) {
        $monotonic = hrtime(true);
        $wall = (int) (microtime(true) * 1e6);
        if (hrtime(true) - $monotonic < AT_ONCE) {
            break;
        }
    }
    return [$monotonic, $wall];
}

$folder = $argv[1];
$samples = fopen("$folder/samples", 'a');
$stalls = fopen("$folder/faults-0", 'a');
stream_set_blocking(STDIN, false);
$files = $sizes = $known = $grown = $scheduled = [];
$looked = $after = hrtime(true);
while (!feof(STDIN)) {
    fread(STDIN, 1);
    if ($files === [] || hrtime(true) - $looked > LOOK) {
        $before = $looked;
        $looked = hrtime(true);
        foreach (glob("$folder/node-*/aof-*/*.incr.aof") as $path) {
            $name = substr($path, strlen($folder) + 1);
            $files[$name] ??= fopen($path, 'r');
            $sizes[$name] ??= -1;
            $known[$name] ??= $before;
        }
        foreach (glob("$folder/node-*/pid-*") as $path) {
            $scheduled[$path] ??= new Scheduled($path);
            if (($delayed = $scheduled[$path]->delayed()) > STALL) {
                fwrite($stalls, min($before, $looked - $delayed) . " $looked stall\n");
            }
        }
    }
    $from = hrtime(true);
    foreach ($files as $name => $file) {
        $size = fstat($file)['size'];
        if ($size !== $sizes[$name]) {
            $now = hrtime(true);
            if ($sizes[$name] >= 0 && $size - $sizes[$name] > MUCH && $now - $grown[$name] > STALL) {
                fwrite($stalls, "$grown[$name] $now stall\n");
            }
            $grown[$name] = $now;
            [$since, $sizes[$name]] = [$sizes[$name] < 0 ? $known[$name] : $after, $size];
            [$read, $wall] = clocks();
            fwrite($samples, "$since $read $wall $name $size\n");
        }
    }
    $after = $from;
    usleep(800);
    if (hrtime(true) - $from > STALL) {
        fwrite($stalls, "$from " . hrtime(true) . " stall\n");
    }
}
