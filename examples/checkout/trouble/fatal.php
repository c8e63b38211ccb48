<?php
/* Takes the lock for ten minutes, and dies of a fatal error that no handler or destructor sees. */

declare(strict_types=1);

$locks = new RLock(ttl: 600.0);
if ($locks->getLock("checkout:$_GET[item]", wait: 5.0, metadata: 'is about to die')) {
    ini_set('memory_limit', '8M');
    for ($eaten = []; ; ) {
        $eaten[] = str_repeat('x', 100_000);
    }
}
