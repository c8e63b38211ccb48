<?php

declare(strict_types=1);

namespace App;

/** Adds a line to what the test reads. */
function note(string $line): void
{
    file_put_contents(getenv('NOTES'), "$line\n", FILE_APPEND);
}

/** Notes that it begins, waits until the test lets it go on, and notes that it ends. */
function work(string $name): void
{
    note("$name begins");
    for ($end = time() + 60; !file_exists(dirname(getenv('NOTES')) . "/$name.go") && time() < $end; clearstatcache()) {
        usleep(5000);
    }
    note("$name ends");
}
