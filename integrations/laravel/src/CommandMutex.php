<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Carbon\CarbonInterval;
use Illuminate\Console\CacheCommandMutex;
use Illuminate\Console\Command;
use Illuminate\Contracts\Cache\Factory;

/**
 * Commands with --isolated: the lock is renewed while the command runs.
 *
 * @internal
 */
final class CommandMutex extends CacheCommandMutex
{
    /** @var array<string, RLockLock> of commands that run now */
    private array $held = [];

    public function __construct(Factory $cache, private readonly Skips $skips)
    {
        parent::__construct($cache);
    }

    /**
     * @param Command $command
     * @return bool
     */
    public function create($command)
    {
        $store = $this->cache->store($this->store)->getStore();
        if (!$store instanceof RLockStore) {
            return parent::create($command);
        }
        $name = $this->commandMutexName($command);
        $expiresAt = method_exists($command, 'isolationLockExpiresAt') ? $command->isolationLockExpiresAt() : CarbonInterval::hour();
        $lock = $store->lock($name, $this->secondsUntil($expiresAt));
        if ($lock->acquireWhileAlive()) {
            $this->held[$name] = $lock;
            return true;
        }
        $this->skips->tell("Command [{$command->getName()}]", $store->holder($name));
        return false;
    }

    /**
     * @param Command $command
     * @return mixed
     */
    public function forget($command)
    {
        $name = $this->commandMutexName($command);
        $lock = $this->held[$name] ?? null;
        unset($this->held[$name]);
        return $lock === null ? parent::forget($command) : $lock->release();
    }
}
