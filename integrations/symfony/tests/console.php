<?php

declare(strict_types=1);

use RLock\Symfony\Tests\Shop;
use Symfony\Bundle\FrameworkBundle\Console\Application;

require getenv('AUTOLOAD');
require __DIR__ . '/Shop.php';

(new Application(new Shop()))->run();
