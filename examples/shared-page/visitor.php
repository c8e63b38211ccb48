<?php
/*
 * Looks at the page so many times, and prints how often its parts did not fit together: visitor.php FOLDER COUNT [locked]
 */

declare(strict_types=1);

require __DIR__ . '/Page.php';

[, $folder, $count] = $argv;
$page = new Page(isset($argv[3]) ? new RLock() : null, $folder);
for ($torn = $i = 0; $i < $count; $i++) {
    $torn += (int) (count(array_unique($page->show())) !== 1);
    usleep(1000);
}
echo $torn;
