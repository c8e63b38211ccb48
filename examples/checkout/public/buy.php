<?php
/*
 * The checkout: /buy.php?item=lamp&customer=ada. The page to copy from.
 *
 * An RLock a request: making one costs next to nothing, and the connection to Redis outlives the
 * request (ini rlock.persistent). Whatever becomes of the request, a fatal error included, its end gives back
 * what it holds.
 */

declare(strict_types=1);

use RLock\ConnectionException;
use RLock\LostLockException;
use RLock\ServerException;
use RLock\TimeoutException;

require __DIR__ . '/../Shop.php';

$item = (string) ($_GET['item'] ?? '');
$customer = (string) ($_GET['customer'] ?? '');
$shop = new Shop($_SERVER['SHOP']);
if (!array_key_exists($item, $shop->stock())) {
    answer(404, 'no such item');
}

$locks = new RLock(ttl: 10.0);                              // the server: ini rlock.servers
$key = "checkout:$item";
try {
    if (!$locks->getLock($key, wait: 5.0, metadata: "sells to $customer")) {
        header('Retry-After: 1');
        answer(503, 'busy');
    }
} catch (ConnectionException | ServerException $e) {        // no lock, no sale
    error_log($e->getMessage());
    answer(503, 'out of order');
}

$sale = $shop->sell($item, $customer, $locks->lease($key)->fence);

try {
    $locks->releaseLock($key);                              // now, so that nobody waits for our answer to be sent
} catch (LostLockException | TimeoutException $late) {      // no harm is done: the stock has looked at the fence
    error_log($late->getMessage());
} catch (ConnectionException | ServerException $e) {        // the lease will end
    error_log($e->getMessage());
}
answer($sale === Sale::Sold ? 200 : 409, $sale->value);

function answer(int $status, string $text): never
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    exit("$text\n");
}
