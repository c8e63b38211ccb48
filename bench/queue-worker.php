<?php
/*
 * Says "ready", reads a number N, takes N turns, and answers a line for each: when it asked, when
 * it was granted, when it began to give back (ns, one clock for all processes); then the requests
 * that all took.
 */

declare(strict_types=1);

[, $server, $key, $hold] = $argv;
$locks = new RLock($server);
$locks->getLock("$key:" . getmypid());                      // connected, scripts loaded
$locks->releaseLock("$key:" . getmypid());
echo "ready\n";

$turns = [];
$requests = $locks->stats()['requests'];
for ($left = (int) fgets(STDIN); $left > 0; $left--) {
    $asked = hrtime(true);
    $locks->getLock($key, wait: INF);
    $granted = hrtime(true);
    usleep((int) $hold);
    $turns[] = [$asked, $granted, hrtime(true)];
    $locks->releaseLock($key);
}
foreach ($turns as $turn) {
    echo implode(' ', $turn), "\n";
}
echo $locks->stats()['requests'] - $requests, "\n";
