<?php
/*
 * The checkout without a lock: it oversells. This shows that the load is one that needs a lock.
 */

declare(strict_types=1);

require __DIR__ . '/../Shop.php';

$sale = (new Shop($_SERVER['SHOP']))->sell((string) $_GET['item'], (string) $_GET['customer'], 0);
http_response_code($sale === Sale::Sold ? 200 : 409);
echo $sale->value, "\n";
