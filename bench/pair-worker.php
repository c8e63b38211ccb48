<?php
/* Reads a number N a line, does N pairs, answers the median time of one in ns and the requests that all took. */

declare(strict_types=1);

[, $server, $key] = $argv;
$locks = new RLock($server);

while (($line = fgets(STDIN)) !== false) {
    $times = [];
    $requests = $locks->stats()['requests'];
    for ($left = (int) $line; $left > 0; $left--) {
        $start = hrtime(true);
        $locks->getLock($key);
        $locks->releaseLock($key);
        $times[] = hrtime(true) - $start;
    }
    sort($times);
    echo $times[intdiv(count($times), 2)], ' ', $locks->stats()['requests'] - $requests, "\n";
}
