<?php
/*
 * Takes a lock that is free, one that another process gives back after 0.4 s, and one that stays busy; prints what the
 * logger and the tracer were told. The server: ini rlock.servers.
 */

declare(strict_types=1);

use OpenTelemetry\SDK\Trace\SpanExporter\InMemoryExporter;
use OpenTelemetry\SDK\Trace\SpanProcessor\SimpleSpanProcessor;
use OpenTelemetry\SDK\Trace\TracerProvider;
use Psr\Log\AbstractLogger;

require 'vendor/autoload.php';
require __DIR__ . '/logged.php';
require __DIR__ . '/traced.php';

final class Printer extends AbstractLogger
{
    public function log($level, $message, array $context = []): void
    {
        $values = array_combine(array_map(fn (string $name) => '{' . $name . '}', array_keys($context)), $context);
        echo "    $level: ", strtr((string) $message, array_map(strval(...), $values)), "\n";
    }
}

/** Another process, which holds the key for so long, and has it when this returns. */
function hold(string $key, float $seconds): mixed
{
    $code = '$locks = new RLock(); $locks->getLock($argv[1], metadata: "newsletter") || exit(1);'
        . 'echo "held\n"; usleep((int) ($argv[2] * 1e6)); $locks->releaseLock($argv[1]);';
    $process = proc_open([PHP_BINARY, '-r', $code, '--', $key, (string) $seconds], [1 => ['pipe', 'w']], $pipes);
    fgets($pipes[1]) === "held\n" || throw new RuntimeException('nobody holds it');
    return $process;
}

function tell(string $what, bool $acquired): void
{
    echo "    $what: ", json_encode($acquired), "\n";
}

/** @param callable(RLock, string, float): bool $getLock */
function play(callable $getLock): void
{
    $locks = new RLock();
    tell('free', $getLock($locks, 'mail', 5.0));
    $locks->releaseLock('mail');
    $holder = hold('mail', 0.4);
    tell('given back after 0.4 s', $getLock($locks, 'mail', 20.0));
    proc_close($holder);
    $locks->releaseLock('mail');
    $holder = hold('mail', 1.0);
    tell('held for longer', $getLock($locks, 'mail', 0.1));
    proc_close($holder);
}

echo "With a logger:\n";
play(fn (RLock $locks, string $key, float $wait) => getLockLogged($locks, new Printer(), $key, $wait));

echo "With a tracer:\n";
$spans = new InMemoryExporter();
$tracer = (new TracerProvider(new SimpleSpanProcessor($spans)))->getTracer('example');
play(fn (RLock $locks, string $key, float $wait) => getLockTraced($locks, $tracer, $key, $wait));
foreach ($spans->getSpans() as $span) {
    printf(
        "    %s, %.1f s, %s\n",
        $span->getName(),
        ($span->getEndEpochNanos() - $span->getStartEpochNanos()) / 1e9,
        json_encode($span->getAttributes()->toArray()),
    );
}
