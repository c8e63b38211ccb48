<?php

/*
 * Runs the example for ReactPHP against a server of its own: react.php AUTOLOAD
 */

declare(strict_types=1);

require __DIR__ . '/../../../tests/server.inc';

$server = TestServer::start();
$command = [PHP_BINARY, '-d', 'extension=' . getenv('RLOCK_SO'), __DIR__ . '/../../../examples/event-loop/react.php', $argv[1], $server->url()];
$printed = shell_exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1');
echo $printed;
$good = $printed === "ours: true\nThe request was cancelled\nthe loop went on\n";
echo $good ? "1 passed, 0 failed, 0 skipped\n" : "0 passed, 1 failed, 0 skipped\n";
exit($good ? 0 : 1);
