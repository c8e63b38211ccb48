--TEST--
rlock doctor: a server's clock that is before or behind ours by more than 2 s is told, and no other; 90 % of the memory
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

$server = TestServer::start();
foreach ([0.0, -30.0, 30.0] as $ahead) {
    $disguise = new Disguise($server, ahead: $ahead);
    $found = findings($disguise->url())[1];
    $told = preg_replace_callback('/is (-?\d+) s from/', fn (array $match) => abs($match[1] - $ahead) <= 20 && $match[1] * $ahead > 0 ? 'is so far from' : $match[0],
        told_of('clock', $found));
    say("ahead by $ahead s", [told_of('take', $found), $told]);
    $disguise->end();
    $server->client()('FLUSHALL'); // its fences
}

/* So much that what a connection takes is little. */
$client = $server->client();
$client('SETRANGE', 'much', 64 * 1024 * 1024, 'x');
foreach ([85, 95] as $percent) {
    $client('CONFIG', 'SET', 'maxmemory', intdiv($client->info('used_memory') * 100, $percent));
    say("$percent % are used", array_map(fn (string $line) => preg_replace('/\d+\.\d+/', 'N', $line), told_of('memory', findings($server->url())[1])));
}
?>
--EXPECT--
ahead by 0 s: [["ok: One has it, and another finds it busy"],["ok: The server's clock is ours, within 2 s"]]
ahead by -30 s: [["ok: One has it, and another finds it busy"],["warn: The server's clock is so far from ours | Set both by NTP"]]
ahead by 30 s: [["ok: One has it, and another finds it busy"],["warn: The server's clock is so far from ours | Set both by NTP"]]
85 % are used: []
95 % are used: ["warn: N of N MiB are used: no lock is granted when it is full | Raise maxmemory, or see what fills it"]
