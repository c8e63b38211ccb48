<?php
/*
 * A crowd of customers: php client.php PORT PAGE ITEMS REQUESTS AT_ONCE NAME
 *
 * Sends that many requests for the items in turn, so many at once, and prints what was answered
 * how often, as JSON.
 */

declare(strict_types=1);

[, $port, $page, $items, $requests, $at_once, $name] = $argv;
$items = explode(',', $items);
$open = $answers = $count = [];

for ($sent = 0; $sent < $requests || $open; ) {
    while ($sent < $requests && count($open) < $at_once) {
        $item = $items[$sent % count($items)];
        $stream = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
        fwrite($stream, "GET /$page?item=$item&customer=$name-$sent HTTP/1.0\r\nHost: shop\r\n\r\n");
        stream_set_blocking($stream, false);
        $open[++$sent] = $stream;
        $answers[$sent] = '';
    }
    $ready = $open;
    $none = null;
    if (!stream_select($ready, $none, $none, 30)) {
        exit("no answer within 30 s\n");
    }
    foreach ($ready as $number => $stream) {
        $answers[$number] .= stream_get_contents($stream);
        if (feof($stream)) {
            preg_match('~^HTTP/\S+ (\d+).*\r\n\r\n(.*)~s', $answers[$number], $match);
            $answer = isset($match[1]) ? "$match[1] " . trim($match[2]) : 'nothing';
            $count[$answer] = ($count[$answer] ?? 0) + 1;
            unset($open[$number], $answers[$number]);
        }
    }
}
echo json_encode($count), "\n";
