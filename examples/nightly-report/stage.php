<?php
/*
 * What report.php needs only because it is on a stage: a name, a clock for its output, and
 * work whose length play.php decides. Started by hand, report.php works for 0.3 s a step.
 */

declare(strict_types=1);

/** Who we are in the story; on its own, the host. */
function role(): string
{
    return getenv('ROLE') ?: (string) gethostname();
}

/** One line of what happens, with the time since the curtain rose. */
function say(string $text): void
{
    static $start = null;
    $start ??= (int) (getenv('CURTAIN') ?: hrtime(true));
    printf("%7.3f  %-5s %s\n", (hrtime(true) - $start) / 1e9, role(), $text);
}

/** A step of work: lasts until play.php sends a line. */
function work(int $number, string $what): void
{
    say("step $number: $what");
    if (getenv('CURTAIN')) {
        fgets(STDIN);
    } else {
        usleep(300_000);
    }
}

/** The unlucky moment: play.php stops the process (SIGSTOP) and lets it go on much later. */
function mayFreeze(): void
{
    if (getenv('UNLUCKY')) {
        say('check() says that the lock is ours; about to write ...');
        fgets(STDIN);
        say('... is awake again, knows nothing, and writes');
    }
}
