<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;
use Symfony\Component\Scheduler\Attribute\AsSchedule;
use Symfony\Component\Scheduler\RecurringMessage;
use Symfony\Component\Scheduler\Schedule;
use Symfony\Component\Scheduler\ScheduleProviderInterface;

/** Once a second, by one worker. */
#[AsSchedule]
final class ShopSchedule implements ScheduleProviderInterface
{
    private ?Schedule $schedule = null;

    public function __construct(private readonly LockFactory $locks)
    {
    }

    public function getSchedule(): Schedule
    {
        return $this->schedule ??= (new Schedule())
            ->with(RecurringMessage::every('1 second', new Tick()), RecurringMessage::every('1 day', new Tick()))
            ->lock($this->locks->createLock('schedule'));
    }
}

final class Tick
{
}

#[AsMessageHandler]
final class Ticking
{
    public function __invoke(Tick $tick): void
    {
        Shop::note('tick of ' . getmypid());
    }
}
