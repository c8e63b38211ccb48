<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\TraceableCommand;
use Symfony\Component\Console\ConsoleEvents;
use Symfony\Component\Console\Event\ConsoleCommandEvent;
use Symfony\Component\Console\Event\ConsoleTerminateEvent;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;

/**
 * #[Locked] on console commands.
 *
 * @internal
 */
final class LockedCommands implements EventSubscriberInterface
{
    /** @var \WeakMap<InputInterface, LockedCall|false> of runs; false: it is skipped */
    private \WeakMap $runs;

    /** @param \Closure(): LockedCalls $calls */
    public function __construct(private readonly \Closure $calls)
    {
        $this->runs = new \WeakMap();
    }

    public static function getSubscribedEvents(): array
    {
        return [
            ConsoleEvents::COMMAND => ['begin', -10_000],
            ConsoleEvents::TERMINATE => ['end', -10_000],
        ];
    }

    public function begin(ConsoleCommandEvent $event): void
    {
        $command = $event->getCommand();
        $command = $command instanceof TraceableCommand ? $command->command : $command;
        $code = $command->getCode();
        $function = $code === null ? new \ReflectionMethod($command, 'execute') : new \ReflectionFunction($code(...));
        $class = $code === null ? $command::class : Locked::classOf($function);
        $locked = Locked::of($function, $class);
        if ($locked === null || !$event->commandShouldRun()) {
            return;
        }
        $input = $event->getInput();
        $input->validate(); // what is missing cannot be asked for later
        $call = ($this->calls)()->begin($locked, $input->getArguments() + $input->getOptions(), $class);
        $this->runs[$input] = $call ?? false;
        if ($call === null) {
            $event->disableCommand();
        } elseif ($locked->fence !== null) {
            $definition = $command->getDefinition(); // the command reads its input anew, by this
            $of = $definition->hasArgument($locked->fence) ? $definition->getArgument(...) : $definition->getOption(...);
            $of($locked->fence)->setDefault($call->fence);
        }
    }

    public function end(ConsoleTerminateEvent $event): void
    {
        $call = $this->runs[$event->getInput()] ?? null;
        unset($this->runs[$event->getInput()]);
        if ($call instanceof LockedCall) {
            $call->end();
        } elseif ($call === false) {
            $event->setExitCode(Command::SUCCESS);
        }
    }
}
