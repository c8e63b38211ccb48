<?php
/*
 * A proxy that harms what passes through it: php proxy.php LISTEN TARGET (two unix sockets).
 *
 * It stands between a client and a redis-server and is told on its standard input, one line
 * each, what to do next; it answers every line with one line on standard output, `done`
 * unless another answer is named here:
 *
 *   lose-request N [NAME,...]  the N-th request from now with such a name is not forwarded, and
 *                              its connection is cut
 *   lose-reply N [NAME,...]    it is forwarded, but its reply is thrown away and its connection
 *                              cut: the server has done it, the client cannot know.
 *                              NAME,... is EVAL,EVALSHA if not given
 *   stall N [NAME,...]         it and all that follows on its connection goes nowhere, and nothing tells
 *   forget                     nothing passes any more on the connections so far, either way, and nothing tells
 *   flow                       it goes on its way after all
 *   leave                      once that has happened the proxy ends: nobody listens any more
 *   lost                       waits until that has happened, and answers `lost NAME`
 *   late MILLISECONDS          every reply is forwarded so much later; 0 ends it
 *   drip MILLISECONDS          replies come one byte at a time, with such pauses; 0 ends it
 *   deaf                       nothing is read any more: a peer that is there but does nothing
 *   hear                       ends it
 *   cut                        closes all connections
 *   record                     keeps a copy of the requests that come from now on,
 *   enough                     until now
 *   deliver                    sends that copy on a connection of its own, and answers when the server has done it
 *   count                      answers `connections N requests N`, all since the start
 *
 * It understands as much of the protocol as it needs to know where a request and a reply end:
 * RESP 2, and requests as arrays of bulk strings. It ends when its standard input does.
 */

/* The length of the whole reply at the start of $bytes, or null if it is not complete. */
function reply_length(string $bytes, int $at = 0): ?int
{
    $end = strpos($bytes, "\r\n", $at);
    if ($end === false) {
        return null;
    }
    $next = $end + 2;
    $number = (int) substr($bytes, $at + 1, $end - $at - 1);
    switch ($bytes[$at]) {
        case '$':
            $next += $number < 0 ? 0 : $number + 2;
            return strlen($bytes) < $next ? null : $next;
        case '*':
            for ($i = 0; $i < $number; $i++) {
                $next = reply_length($bytes, $next);
                if ($next === null) {
                    return null;
                }
            }
            return $next;
        default:
            return $next;
    }
}

/* The name of the complete request $bytes. */
function request_name(string $bytes): string
{
    return strtoupper(explode("\r\n", $bytes, 4)[2] ?? '');
}

final class Connection
{
    public string $fromClient = '';
    public string $fromServer = '';
    /** @var list<array{name: string, lose: bool}> requests whose reply has not come yet */
    public array $pending = [];
    /** @var list<array{due: float, bytes: string}> */
    public array $replies = [];
    public bool $closing = false;
    public bool $stalled = false;
    public bool $forgotten = false;

    public function __construct(public readonly mixed $client, public readonly mixed $server)
    {
        stream_set_blocking($client, false);
        stream_set_blocking($server, false);
    }
}

final class Proxy
{
    /** @var array<int, Connection> */
    private array $connections = [];
    private bool $deaf = false;
    private float $late = 0.0;
    private float $drip = 0.0;
    /** @var ?array{kind: string, left: int, names: list<string>} */
    private ?array $trap = null;
    private ?string $lost = null;
    private bool $asked = false;
    private bool $leaving = false;
    private int $accepted = 0;
    private int $requests = 0;
    private bool $recording = false;
    private string $copy = '';

    public function __construct(private mixed $listener, private string $target)
    {
    }

    public function run(): void
    {
        stream_set_blocking(STDIN, false);
        while (true) {
            $read = [STDIN];
            if (!$this->deaf) {
                $read[] = $this->listener;
                foreach ($this->connections as $connection) {
                    if (!$connection->closing) {
                        $read[] = $connection->client;
                        $read[] = $connection->server;
                    }
                }
            }
            $none = null;
            $seconds = $this->untilNextReply();
            stream_select($read, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1e6));
            foreach ($read as $stream) {
                if ($stream === STDIN) {
                    if (!$this->obey()) {
                        return;
                    }
                } elseif ($stream === $this->listener) {
                    $this->accept();
                } else {
                    $this->receive($stream);
                }
            }
            $this->deliver();
            if ($this->leaving && $this->lost !== null) {
                return;
            }
            if ($this->asked && $this->lost !== null) {
                $this->answer("lost $this->lost");
                $this->asked = false;
                $this->lost = null;
            }
        }
    }

    private function answer(string $line): void
    {
        fwrite(STDOUT, "$line\n");
    }

    private function obey(): bool
    {
        $line = fgets(STDIN);
        if ($line === false) {
            return !feof(STDIN);
        }
        $words = explode(' ', trim($line));
        $reply = 'done';
        switch ($words[0]) {
            case 'lose-request':
            case 'lose-reply':
            case 'stall':
                $this->trap = [
                    'kind' => $words[0],
                    'left' => (int) $words[1],
                    'names' => explode(',', $words[2] ?? 'EVAL,EVALSHA'),
                ];
                $this->lost = null;
                break;
            case 'forget':
                foreach ($this->connections as $connection) {
                    $connection->stalled = $connection->forgotten = true;
                }
                break;
            case 'flow':
                foreach ($this->connections as $connection) {
                    $connection->stalled = false;
                    $this->forwardRequests($connection);
                }
                break;
            case 'lost':
                $this->asked = true;
                return true;
            case 'leave':
                $this->leaving = true;
                break;
            case 'late':
                $this->late = (float) $words[1] / 1000;
                break;
            case 'drip':
                $this->drip = (float) $words[1] / 1000;
                break;
            case 'deaf':
                $this->deaf = true;
                break;
            case 'hear':
                $this->deaf = false;
                break;
            case 'cut':
                while ($this->connections !== []) {
                    $this->close(reset($this->connections));
                }
                break;
            case 'record':
                $this->recording = true;
                break;
            case 'enough':
                $this->recording = false;
                break;
            case 'deliver':
                $this->deliverCopy();
                break;
            case 'count':
                $reply = "connections $this->accepted requests $this->requests";
                break;
            default:
                $reply = 'what?';
        }
        $this->answer($reply);
        return true;
    }

    private function accept(): void
    {
        $client = @stream_socket_accept($this->listener, 0);
        if ($client === false) {
            return;
        }
        $server = @stream_socket_client("unix://$this->target", timeout: 5);
        if ($server === false) {
            fclose($client);
            return;
        }
        $this->accepted++;
        $connection = new Connection($client, $server);
        $this->connections[(int) $client] = $connection;
        $this->connections[(int) $server] = $connection;
    }

    private function receive(mixed $stream): void
    {
        $connection = $this->connections[(int) $stream] ?? null;
        if ($connection === null) {
            return;
        }
        $bytes = fread($stream, 65536);
        if ($bytes === '' || $bytes === false) {
            if (!feof($stream)) {
                return;
            }
            if ($stream === $connection->server && $connection->replies !== []) {
                $connection->closing = true;
            } else {
                $this->close($connection);
            }
        } elseif ($stream === $connection->client) {
            $connection->fromClient .= $bytes;
            $this->forwardRequests($connection);
        } elseif (!$connection->forgotten) {
            $connection->fromServer .= $bytes;
            $this->takeReplies($connection);
        }
    }

    private function forwardRequests(Connection $connection): void
    {
        while (!$connection->stalled && $connection->fromClient !== '' && ($length = reply_length($connection->fromClient)) !== null) {
            $request = substr($connection->fromClient, 0, $length);
            $name = request_name($request);
            $this->requests++;
            $this->copy .= $this->recording ? $request : '';
            $caught = $this->trap !== null && in_array($name, $this->trap['names'], true)
                && --$this->trap['left'] === 0;
            $kind = $caught ? $this->trap['kind'] : '';
            if ($caught) {
                $this->trap = null;
            }
            if ($kind === 'lose-request') {
                $this->lost = $name;
                $this->close($connection);
                return;
            }
            if ($kind === 'stall') {
                $this->lost = $name;
                $connection->stalled = true;
                return;
            }
            $connection->fromClient = substr($connection->fromClient, $length);
            $connection->pending[] = ['name' => $name, 'lose' => $caught];
            $this->write($connection->server, $request);
        }
    }

    private function takeReplies(Connection $connection): void
    {
        while ($connection->fromServer !== '' && ($length = reply_length($connection->fromServer)) !== null) {
            $reply = substr($connection->fromServer, 0, $length);
            $connection->fromServer = substr($connection->fromServer, $length);
            $request = array_shift($connection->pending);
            if ($request['lose'] ?? false) {
                $this->lost = $request['name'];
                $this->close($connection);
                return;
            }
            $due = microtime(true) + $this->late;
            if ($this->drip > 0.0) {
                foreach (str_split($reply) as $i => $byte) {
                    $connection->replies[] = ['due' => $due + $i * $this->drip, 'bytes' => $byte];
                }
            } else {
                $connection->replies[] = ['due' => $due, 'bytes' => $reply];
            }
        }
    }

    private function deliverCopy(): void
    {
        $server = stream_socket_client("unix://$this->target", timeout: 5);
        $end = bin2hex(random_bytes(16));
        fwrite($server, $this->copy . "*2\r\n$4\r\nECHO\r\n$32\r\n$end\r\n");
        while (($line = fgets($server)) !== false && !str_contains($line, $end)) {
        }
        fclose($server);
    }

    private function untilNextReply(): float
    {
        $next = microtime(true) + 3600;
        foreach ($this->connections as $connection) {
            $next = min($next, $connection->replies[0]['due'] ?? $next);
        }
        return max(0.0, $next - microtime(true));
    }

    private function deliver(): void
    {
        foreach ($this->connections as $id => $connection) {
            if (!isset($this->connections[$id])) {
                continue; // closed on the way: it is listed twice, once for each side
            }
            while ($connection->replies !== [] && $connection->replies[0]['due'] <= microtime(true)) {
                $this->write($connection->client, array_shift($connection->replies)['bytes']);
            }
            if ($connection->closing && $connection->replies === []) {
                $this->close($connection);
            }
        }
    }

    private function write(mixed $stream, string $bytes): void
    {
        stream_set_blocking($stream, true);
        @fwrite($stream, $bytes);
        stream_set_blocking($stream, false);
    }

    private function close(Connection $connection): void
    {
        unset($this->connections[(int) $connection->client], $this->connections[(int) $connection->server]);
        fclose($connection->client);
        fclose($connection->server);
    }
}

[, $listen, $target] = $argv;
$listener = stream_socket_server("unix://$listen") or exit(1);
fwrite(STDOUT, "ready\n");
(new Proxy($listener, $target))->run();
