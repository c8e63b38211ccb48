<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Contracts\Foundation\Application;
use RLock\Holder;

/**
 * Says in the application's log why something was not done: who has its lock.
 *
 * @internal
 */
final class Skips
{
    /** A fence that is a clock counts microseconds since 1970; one that counts grants is far below this. */
    private const FIRST_CLOCK = 1e15;

    public function __construct(private readonly Application $app)
    {
    }

    public function tell(string $what, ?Holder $holder, string $outcome = 'skipped'): void
    {
        $this->log('info', "$what $outcome: " . self::words($holder));
    }

    public function tellOfLate(string $what): void
    {
        $this->log('warning', "$what was late: another may have worked beside it");
    }

    private function log(string $level, string $line): void
    {
        if ($this->app->bound('log')) {
            $this->app->make('log')->log($level, $line);
        }
    }

    public static function words(?Holder $holder): string
    {
        if ($holder === null) {
            return 'its lock was held, and is free by now';
        }
        $words = 'held by ' . ($holder->owner === '' ? 'a client that does not say who it is' : $holder->owner);
        $since = $holder->fence > self::FIRST_CLOCK ? max(0.0, microtime(true) - $holder->fence / 1e6) : null;
        return $words . ($since === null ? '' : sprintf(' for %.0f s', $since))
            . ($holder->ttl === null ? '' : sprintf(', %.0f s left', $holder->ttl));
    }
}
