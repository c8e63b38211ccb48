<?php
/*
 * A job that runs once a night on one of many servers, as cron starts it on all of them at the
 * same time: php mailing.php RECIPIENTS
 *
 * When the work is done, the lock is not given back at once, but after REST: so a server whose
 * clock is behind, or the next try of the same night, finds it taken. If the work fails, the end of
 * the script gives it back at once, and the next try of any server may do better.
 *
 * The rest lives in Redis and is as durable as that. Where a second run would do real harm, write
 * down what is done where the work is, as examples/nightly-report does.
 */

declare(strict_types=1);

const KEY = 'cron:mailing';
const REST = 12 * 3600.0;                                   // longer than all tries of a night, shorter than a day

$locks = new RLock(ttl: 60.0);                              // the server: ini rlock.servers
if (!$locks->getLock(KEY, metadata: 'mailing')) {           // asks once
    exit(0);                                                // somebody is at it, or has done it
}

$recipients = @file($argv[1], FILE_IGNORE_NEW_LINES);
if ($recipients === false) {
    throw new RuntimeException("cannot read $argv[1]");
}
foreach ($recipients as $recipient) {
    if ($locks->lease(KEY)->ttl < 30.0) {
        $locks->prolongate(KEY);                            // throws if we are late
    }
    write($recipient);
}

$locks->releaseLock(KEY, delayAfter: REST);                 // throws if we were late: cron mails it
echo date('H:i:s '), gethostname(), ': wrote to ', count($recipients), " people\n";

function write(string $recipient): void
{
    usleep(100_000);                                        // here the mail goes out
}
