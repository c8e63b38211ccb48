<?php

declare(strict_types=1);

namespace App;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use RLock\Laravel\Busy;
use RLock\Laravel\Locked;

/** Not twice at once for one customer. */
#[Locked('bill:{customer}', busy: Busy::Release)]
final class Bill implements ShouldQueue
{
    use Queueable;

    public int $tries = 100;

    public function __construct(private int $customer)
    {
    }

    public function handle(): void
    {
        Locked::assertHeld();
        work('bill');
    }
}
