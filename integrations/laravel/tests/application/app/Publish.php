<?php

declare(strict_types=1);

namespace App;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Support\Facades\Cache;

/** Ends what another process began under a lock. */
final class Publish implements ShouldQueue
{
    use Queueable;

    public function __construct(public string $owner)
    {
    }

    public function handle(): void
    {
        $lock = Cache::restoreLock('publish', $this->owner);
        note('publish: ' . json_encode([$lock->isOwnedByCurrentProcess(), $lock->refresh(100), $lock->release()]));
    }
}
