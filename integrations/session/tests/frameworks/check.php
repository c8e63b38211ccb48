<?php

/*
 * The extension's session module under code that others wrote: check.php APP. APP is a folder in which composer has installed
 * symfony/http-foundation and symfony/cache. Its last line is `N passed, N failed, 0 skipped`.
 *
 * The servers are PHP's own, each a process that answers one request at a time, so that what a page leaves behind meets
 * the next.
 */

declare(strict_types=1);

require __DIR__ . '/../../../../tests/server.inc';

const CROWD = 12;
const KINDS = ['symfony', 'symfony, marshalled', 'encrypted', 'failing'];

/** Keeps its cookie. */
final class Visitor
{
    private int $asked = 0;

    /** @param list<int> $ports asked in turn */
    public function __construct(private readonly array $ports, private ?string $id = null)
    {
    }

    /** @return resource the answer will come */
    public function ask(array $query): mixed
    {
        $socket = stream_socket_client('tcp://127.0.0.1:' . $this->ports[$this->asked++ % count($this->ports)]);
        $cookie = $this->id === null ? '' : "Cookie: PHPSESSID=$this->id\r\n";
        fwrite($socket, 'GET /?' . http_build_query($query) . " HTTP/1.0\r\n$cookie\r\n");
        return $socket;
    }

    /** @return string what the page has printed, or its status */
    public function hear(mixed $socket): string
    {
        [$head, $body] = explode("\r\n\r\n", stream_get_contents($socket), 2);
        if (preg_match_all('/^Set-Cookie: PHPSESSID=(\w+)/mi', $head, $matches)) {
            $this->id = end($matches[1]);
        }
        return str_contains($head, ' 200 ') ? $body : substr($head, 9, 3);
    }

    /** @return list<string> */
    public function visit(string $how, array ...$queries): array
    {
        return array_map(fn (array $query) => $this->hear($this->ask(['how' => $how] + $query)), $queries);
    }
}

/** @return array{list<int>, list<Process>} */
function serve(TestServer $redis, string $app, int $servers): array
{
    $settings = ['extension=' . getenv('RLOCK_SO'), 'session.save_handler=rlock', "rlock.servers=unix://$redis->socket",
        'display_errors=0', 'log_errors=1', 'error_log=' . temporary_folder() . '/php.log'];
    $options = array_merge(...array_map(fn (string $setting) => ['-d', $setting], $settings));
    $nothing = [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']];
    $ports = $processes = [];
    for ($i = 0; $i < $servers; $i++) {
        $ports[] = $port = free_port();
        $processes[] = new Process([PHP_BINARY, ...$options, '-S', "127.0.0.1:$port", __DIR__ . '/page.php'], $nothing, ['APP' => $app] + getenv());
        await('the site', fn () => @stream_socket_client("tcp://127.0.0.1:$port"));
    }
    return [$ports, $processes];
}

$results = ['passed' => 0, 'failed' => 0];

function check(string $what, mixed $expected, mixed $seen): void
{
    global $results;
    $results[$expected === $seen ? 'passed' : 'failed']++;
    echo $expected === $seen ? 'ok      ' : 'FAILED  ', $what, $expected === $seen ? '' : ': ' . json_encode($seen), "\n";
}

/* Of a crowd's lock a baton is left for a moment, which nobody holds. */
function held(RawClient $client): array
{
    return array_filter($client('KEYS', 'PHPREDIS_SESSION:*_LOCK'), fn (string $key) => str_starts_with((string) $client('GET', $key), 'rlock1'));
}

$redis = TestServer::start();
[$many, $processes] = serve($redis, $argv[1], 6);
$single = [$many[0]];

foreach (KINDS as $how) {
    check("$how: a new visitor", ['1', '2', '3'], (new Visitor($single))->visit($how, [], [], []));
    check("$how: the cookie has expired", ['1', '2', '3'], (new Visitor($single, bin2hex(random_bytes(13))))->visit($how, [], [], []));
    check("$how: a new id, and the old one's end", ['1', '2', '3'],
        (new Visitor($single))->visit($how, [], ['do' => 'migrate'], []));
    check("$how: a new id", ['1', '2', '3'], (new Visitor($single))->visit($how, [], ['do' => 'keep'], []));
    check("$how: a page that fails", ['1', '500', '3'], (new Visitor($single))->visit($how, [], ['do' => 'throw'], []));

    $visitor = new Visitor($many);
    $visitor->visit($how, []);
    $sockets = array_map(fn () => $visitor->ask(['how' => $how, 'work' => 3000]), range(1, CROWD));
    $counts = array_map($visitor->hear(...), $sockets);
    sort($counts, SORT_NUMERIC);
    check("$how: " . CROWD . ' visits at once', array_map(strval(...), range(2, CROWD + 1)), $counts);
}
check('symfony: invalidated', ['1', '2', '1', '2'],
    (new Visitor($single))->visit('symfony', [], ['do' => 'invalidate'], [], []));

foreach (['open', 'close', 'read', 'write'] as $function) {
    foreach (['before', 'after'] as $when) {
        $visitor = new Visitor($single);
        $visitor->visit('failing', [], ['fail' => "$when $function"]);
        check("a handler that throws $when $function(): the next session of the process is read and written", ['1', '2', '3'],
            (new Visitor($single))->visit('failing', [], [], []));
        check('and its lock is free', [], held($redis->client()));
    }
}

echo "$results[passed] passed, $results[failed] failed, 0 skipped\n";
exit($results['failed'] > 0 ? 1 : 0);
