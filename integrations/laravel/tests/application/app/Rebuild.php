<?php

declare(strict_types=1);

namespace App;

use Illuminate\Console\Command;
use Illuminate\Contracts\Console\Isolatable;

/** Not twice at once, with `--isolated`. */
final class Rebuild extends Command implements Isolatable
{
    protected $signature = 'rebuild';

    public function handle(): void
    {
        work(getenv('REBUILD') ?: 'rebuild');
    }
}
