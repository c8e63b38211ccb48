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
 * was WALL (us). Where it did not get to look for long, nobody else may have had a CPU: that is a `stall` in
 * FOLDER/faults-0. It ends with its standard input.
 */

const STALL = 40_000_000;

$folder = $argv[1];
$samples = fopen("$folder/samples", 'a');
$stalls = fopen("$folder/faults-0", 'a');
stream_set_blocking(STDIN, false);
$files = $sizes = $known = [];
$looked = $after = hrtime(true);
while (!feof(STDIN)) {
    fread(STDIN, 1);
    if ($files === [] || hrtime(true) - $looked > 20_000_000) {
        $before = $looked;
        $looked = hrtime(true);
        foreach (glob("$folder/node-*/aof-*/*.incr.aof") as $path) {
            $name = substr($path, strlen($folder) + 1);
            $files[$name] ??= fopen($path, 'r');
            $sizes[$name] ??= -1;
            $known[$name] ??= $before;
        }
    }
    $from = hrtime(true);
    foreach ($files as $name => $file) {
        $size = fstat($file)['size'];
        if ($size !== $sizes[$name]) {
            [$since, $sizes[$name]] = [$sizes[$name] < 0 ? $known[$name] : $after, $size];
            fwrite($samples, "$since " . hrtime(true) . ' ' . (int) (microtime(true) * 1e6) . " $name $size\n");
        }
    }
    $after = $from;
    usleep(800);
    if (hrtime(true) - $from > STALL) {
        fwrite($stalls, "$from " . hrtime(true) . " stall\n");
    }
}
