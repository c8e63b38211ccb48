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

// The lease is short, for a server that dies, and renews itself for as long as the mailing can take. The Redis server:
// ini rlock.servers.
$locks = new RLock(ttl: 30.0, autoRenew: true, maxHold: 4 * 3600.0);
if (!$locks->getLock(KEY, metadata: 'mailing')) {           // asks once
    exit(0);                                                // somebody is at it, or has done it
}

$recipients = @file($argv[1], FILE_IGNORE_NEW_LINES);
if ($recipients === false) {
    throw new RuntimeException("cannot read $argv[1]");
}
foreach ($recipients as $recipient) {
    $locks->check(KEY);                                     // throws if we are late; usually without a request
    write($recipient);
}

$locks->releaseLock(KEY, delayAfter: REST);                 // throws if we were late: cron mails it
echo date('H:i:s '), gethostname(), ': wrote to ', count($recipients), " people\n";

function write(string $recipient): void
{
    usleep(100_000);                                        // here the mail goes out
}
