<?php
/*
 * Has a short lease renewed in the background, `times` times, while it does something else, and
 * ends without giving the lock back.
 */

declare(strict_types=1);

final class Kept
{
    public static RLock $locks;
}

Kept::$locks = new RLock(ttl: 1.5, autoRenew: true, interrupt: true);
if (Kept::$locks->getLock("checkout:$_GET[item]", wait: 5.0, metadata: 'is renewed')) {
    header('X-Accel-Buffering: no');
    echo "holding it\n";
    ob_get_level() && ob_flush();
    flush();
    while (Kept::$locks->stats()['renewals'] < (int) ($_GET['times'] ?? 1)) {
        usleep(20_000);
    }
    echo json_encode(['worker' => getmypid(), 'threads' => count(scandir('/proc/self/task')) - 2]);
}
