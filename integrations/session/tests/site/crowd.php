<?php
/* Requests at a time, over plain sockets. */

declare(strict_types=1);

final class Answer
{
    public function __construct(public readonly int $status, public readonly string $body, public readonly float $seconds)
    {
    }

    public function __get(string $name): mixed
    {
        return json_decode($this->body, true)[$name] ?? null;
    }
}

final class Request
{
    private string $answer = '';
    private readonly float $began;

    /** @var resource */
    public readonly mixed $stream;

    public function __construct(int $port, string $path, string $session)
    {
        $this->began = microtime(true);
        $this->stream = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
        fwrite($this->stream, "GET $path HTTP/1.0\r\nHost: site\r\nCookie: PHPSESSID=$session\r\n\r\n");
        stream_set_blocking($this->stream, false);
    }

    /** Null until all of it has come. */
    public function read(): ?Answer
    {
        $this->answer .= stream_get_contents($this->stream);
        if (!feof($this->stream)) {
            return null;
        }
        preg_match('~^HTTP/\S+ (\d+).*?\r\n\r\n(.*)~s', $this->answer, $match);
        return new Answer((int) ($match[1] ?? 0), $match[2] ?? '', microtime(true) - $this->began);
    }
}

/**
 * Does not wait for one answer before it asks for the next; the answers, in the order of the paths.
 *
 * @param list<string> $paths
 * @param float $pause between two, in seconds
 * @return list<Answer>
 */
function ask(int $port, string $session, array $paths, float $pause = 0.0): array
{
    $requests = array_map(function (string $path) use ($port, $session, $pause): Request {
        usleep((int) (1e6 * $pause));
        return new Request($port, $path, $session);
    }, $paths);
    $open = array_map(fn (Request $request): mixed => $request->stream, $requests);
    $answers = [];
    while ($open) {
        $ready = $open;
        $none = null;
        if (!stream_select($ready, $none, $none, 60)) {
            exit("no answer within 60 s\n");
        }
        foreach (array_keys($ready) as $i) {
            $answers[$i] = $requests[$i]->read();
            if ($answers[$i] !== null) {
                unset($open[$i]);
            }
        }
    }
    ksort($answers);
    return $answers;
}
