<?php
/*
 * A web request that must not run twice at the same time: an order is paid once, however often the customer clicks.
 * pay() answers with a status of HTTP and a text. The lock keeps two requests from paying at once; the fence in the
 * statement refuses a request that was paused for so long that another has overtaken it.
 */

declare(strict_types=1);

use RLock\ConnectionException;
use RLock\ServerException;
use RLock\TimeoutException;

/** @return array{int, string} */
function pay(RLock\Locker $locks, PDO $db, int $order): array
{
    try {
        if (!$locks->getLock("order:$order", wait: 2.0, ttl: 10.0, metadata: 'pay')) {
            return [409, 'another request is paying this order'];   // the customer reloads the page
        }
    } catch (ConnectionException | ServerException $e) {
        error_log($e->getMessage());
        return [503, 'try again'];                          // with Retry-After: no lock, no payment
    }
    try {
        $fence = $locks->lease("order:$order")->fence;
        $statement = $db->prepare('UPDATE orders SET paid = paid + 1, fence = ? WHERE id = ? AND paid = 0 AND fence < ?');
        $statement->execute([$fence, $order, $fence]);
        return $statement->rowCount() === 1 ? [200, 'paid'] : [409, 'paid already'];
    } finally {
        release($locks, "order:$order");
    }
}

/* The statement has looked at the fence, so a lock that was late or lost has done no harm: a line in the log is enough. */
function release(RLock\Locker $locks, string $key): void
{
    try {
        $locks->releaseLock($key);
    } catch (TimeoutException | ConnectionException | ServerException $e) {     // LostLockException is a TimeoutException
        error_log($e->getMessage());                        // it is free by now, or will be when its lease ends
    }
}
