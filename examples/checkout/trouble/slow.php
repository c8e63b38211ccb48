<?php
/*
 * Takes the lock for ten minutes and prints a line now and then, for `seconds` (default: half a
 * minute). When the client hangs up, PHP ends the script at the next line.
 */

declare(strict_types=1);

$locks = new RLock(ttl: 600.0);
if ($locks->getLock("checkout:$_GET[item]", wait: 5.0, metadata: 'takes its time')) {
    header('X-Accel-Buffering: no');
    for ($end = microtime(true) + (float) ($_GET['seconds'] ?? 30); microtime(true) < $end; usleep(50_000)) {
        echo "holding it\n";
        ob_get_level() && ob_flush();
        flush();
    }
    echo $locks->releaseLock("checkout:$_GET[item]") ? "gave it back\n" : "lost it\n";
}
