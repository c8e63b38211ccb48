<?php

declare(strict_types=1);

namespace App;

use Illuminate\Contracts\Queue\ShouldBeUniqueUntilProcessing;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Queue\Middleware\WithoutOverlapping;

/** At most one of a page waits, at most one is at work, and one that failed is tried again. */
final class Refresh implements ShouldQueue, ShouldBeUniqueUntilProcessing
{
    use Queueable;

    public int $tries = 10;

    public function __construct(public string $page, public string $name, public bool $fails = false, public int $expiresAfter = 60)
    {
    }

    public function uniqueId(): string
    {
        return $this->page;
    }

    /** @return list<object> */
    public function middleware(): array
    {
        return [(new WithoutOverlapping($this->page))->expireAfter($this->expiresAfter)->releaseAfter(0)];
    }

    public function handle(): void
    {
        work($this->name);
        if ($this->fails && $this->attempts() === 1) {
            throw new \RuntimeException('the first try fails');
        }
    }
}
