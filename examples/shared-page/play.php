<?php
/*
 * Six visitors look at the page while its source changes: with shared locks, and without. The server: ini rlock.servers.
 */

declare(strict_types=1);

const VISITORS = 6;
const LOOKS = 100;

function change(string $folder, int $version): void
{
    file_put_contents("$folder/source.new", "version $version");
    rename("$folder/source.new", "$folder/source");
}

/**
 * @param list<string> $lock
 * @return array{int, list<string>, int} pages whose parts did not fit together, what was rebuilt, the most readers at once
 */
function visit(string $folder, array $lock): array
{
    mkdir($folder);
    change($folder, 0);
    $visitors = [];
    for ($i = 0; $i < VISITORS; $i++) {
        $command = [PHP_BINARY, __DIR__ . '/visitor.php', $folder, (string) LOOKS, ...$lock];
        $visitors[] = [proc_open($command, [1 => ['pipe', 'w']], $pipes), $pipes[1]];
    }
    $locks = new RLock();
    $most = 0;
    for ($version = 1; array_filter($visitors, fn (array $visitor) => proc_get_status($visitor[0])['running']); $version++) {
        change($folder, $version);
        for ($look = 0; $look < 20; $look++) {
            $most = max($most, count($locks->sharers('page')));
            usleep(1000);
        }
    }
    $torn = array_sum(array_map(fn (array $visitor) => (int) stream_get_contents($visitor[1]), $visitors));
    return [$torn, file("$folder/rebuilt", FILE_IGNORE_NEW_LINES), $most];
}

function tell(string $what, mixed $value): void
{
    echo "    $what: ", json_encode($value), "\n";
}

[, $folder] = $argv;
echo "With shared locks:\n";
[$torn, $rebuilt, $most] = visit("$folder/locked", ['locked']);
tell('pages that did not fit together', $torn);
tell('several readers at once', $most > 1);
tell('rebuilt more than once', count($rebuilt) > 1);
tell('the same version twice', count($rebuilt) - count(array_unique($rebuilt)));

echo "Without:\n";
[$torn, $rebuilt] = visit("$folder/unlocked", []);
tell('some pages did not fit together', $torn > 0);
