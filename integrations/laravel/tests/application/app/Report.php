<?php

declare(strict_types=1);

namespace App;

use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Queue\Middleware\WithoutOverlapping;

/** At most one of a name in the queue, at most one at work. */
final class Report implements ShouldQueue, ShouldBeUnique
{
    use Queueable;

    public function __construct(public string $name, public int $uniqueFor = 0, public int $expiresAfter = 0)
    {
    }

    public function uniqueId(): string
    {
        return $this->name;
    }

    /** @return list<object> */
    public function middleware(): array
    {
        return [(new WithoutOverlapping($this->name))->expireAfter($this->expiresAfter)->dontRelease()];
    }

    public function handle(): void
    {
        work($this->name);
    }
}
