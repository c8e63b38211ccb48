<?php
/*
 * A server that is no Redis: it hands each request over to a test, which says what is answered.
 *
 * What a client may do in an order of its own is answered here: the greeting of a connection, and EVALSHA of a script
 * that was not sent yet. A script is known by its text, so a request reads as its name and arguments, without its keys,
 * which are held against the rules in names.php.
 */

require_once __DIR__ . '/names.php';

/* One connection of the client's. */
final class Line
{
    public string $received = '';

    public function __construct(public readonly int $number, public readonly mixed $stream)
    {
        stream_set_blocking($stream, false);
    }

    public function answer(string $bytes): void
    {
        is_resource($this->stream) && @fwrite($this->stream, $bytes);
    }
}

/* One request, and where it came. */
final class Request
{
    /** @param list<string> $words a script's are its name and its arguments */
    public function __construct(public readonly Line $line, public readonly array $words, public readonly array $keys, public readonly int $time)
    {
    }

    public function text(): string
    {
        return implode(' ', array_map(fn (string $word) => strlen($word) < 80 ? $word : substr($word, 0, 80) . '...', $this->words));
    }
}

final class ScriptedServer
{
    private const WHO = ['acquire', 'release', 'inspect', 'extend', 'enter', 'leave', 'extend_shared', 'upgrade', 'downgrade', 'sharers'];
    /* How many of the companions each script is given: of L, fence, waiting, wake; and those with shares, eight. */
    private const KEYS = ['acquire' => 4, 'release' => 4, 'inspect' => 4, 'extend' => 2];

    /** @var array<string, string> text without comments and indentation => name */
    private static array $scripts = [];
    /** @var array<string, string> SHA-1 => name, of the texts that clients have sent */
    private static array $known = [];

    private mixed $listener;
    public readonly int $port;
    /** @var array<int, Line> */
    private array $lines = [];
    private int $accepted = 0;
    /** @var list<Request> */
    private array $requests = [];
    /* Scripts are asked for by the test, too. */
    public bool $forgetsScripts = false;
    public ?string $password = null;
    /** @var list<string> what the connections said before anything else */
    public array $greetings = [];

    public function __construct()
    {
        $this->listen('127.0.0.1:0');
        $this->port = (int) substr(strrchr(stream_socket_get_name($this->listener, false), ':'), 1);
    }

    private function listen(string $address): void
    {
        $this->listener = stream_socket_server("tcp://$address", context: stream_context_create(['socket' => ['so_reuseport' => false]]))
            ?: throw new RuntimeException("cannot listen on $address");
        stream_set_blocking($this->listener, false);
    }

    /* Nobody is there any more; and is there again. */
    public function leave(): void
    {
        fclose($this->listener);
        array_map($this->cut(...), $this->lines);
    }

    public function comeBack(): void
    {
        $this->listen("127.0.0.1:$this->port");
    }

    public function cut(Line $line): void
    {
        @fclose($line->stream);
        unset($this->lines[$line->number]);
    }

    /* The clock that it tells, in microseconds. */
    public static function clock(): int
    {
        return (int) (microtime(true) * 1e6);
    }

    public function next(): ?Request
    {
        return array_shift($this->requests);
    }

    public function putBack(Request $request): void
    {
        array_unshift($this->requests, $request);
    }

    /* Reads what has come to any of them, or comes within so many seconds; until something else can be read, too. */
    public static function serve(array $servers, float $seconds, mixed $besides = null): void
    {
        $read = [...array_merge(...array_map(fn (self $server) => $server->streams(), $servers)), ...$besides ? [$besides] : []];
        $none = [];
        if ($read !== [] && @stream_select($read, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1e6)) > 0) {
            array_map(fn (self $server) => $server->readAll($read), $servers);
        }
    }

    private function streams(): array
    {
        return [...array_column($this->lines, 'stream'), ...is_resource($this->listener) ? [$this->listener] : []];
    }

    private function readAll(array $readable): void
    {
        if (in_array($this->listener, $readable, true) && ($stream = @stream_socket_accept($this->listener, 0))) {
            $number = ++$this->accepted;
            $this->lines[$number] = new Line($number, $stream);
        }
        foreach ($this->lines as $line) {
            in_array($line->stream, $readable, true) && $this->read($line);
        }
    }

    private function read(Line $line): void
    {
        $bytes = @fread($line->stream, 1 << 20);
        if ($bytes === '' || $bytes === false) {
            $this->cut($line);
            return;
        }
        $line->received .= $bytes;
        while (($words = self::parse($line->received)) !== null) {
            $this->request($line, $words);
        }
    }

    /** @return ?list<string> the first whole request, which is taken off. Only an array of bulk strings is one */
    private static function parse(string &$bytes): ?array
    {
        if ($bytes === '') {
            return null;
        }
        $at = 0;
        $number = function (string $kind) use ($bytes, &$at): ?int {
            $end = strpos($bytes, "\r\n", $at);
            if ($end === false) {
                return null;
            }
            $line = substr($bytes, $at, $end - $at);
            preg_match('/^' . preg_quote($kind) . '(0|[1-9]\d*)$/D', $line, $match)
                || throw new Broken('send1: bytes that are no request of RESP 2: ' . json_encode(substr($line, 0, 60), JSON_INVALID_UTF8_SUBSTITUTE));
            $at = $end + 2;
            return (int) $match[1];
        };
        $words = [];
        for ($count = $number('*'); $count === null || count($words) < $count;) {
            $length = $count === null ? null : $number('$');
            if ($length === null || strlen($bytes) < $at + $length + 2) {
                return null;
            }
            $words[] = substr($bytes, $at, $length);
            $at += $length + 2;
        }
        $bytes = substr($bytes, $at);
        return $words;
    }

    private function request(Line $line, array $words): void
    {
        $command = strtoupper($words[0]);
        if (in_array($command, ['AUTH', 'SELECT', 'INFO', 'PING', 'HELLO'], true) || ($command === 'CLIENT' && strtoupper($words[1]) !== 'UNBLOCK')) {
            $this->greetings[] = implode(' ', $words);
            $line->answer($this->greeted($line, $command, $words));
        } elseif ($command === 'EVAL' || $command === 'EVALSHA') {
            $this->script($line, $command, $words);
        } else {
            $this->requests[] = new Request($line, [$command, ...array_slice($words, 1)], [], hrtime(true));
        }
    }

    private function greeted(Line $line, string $command, array $words): string
    {
        $clock = self::clock();
        $info = "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nserver_time_usec:$clock\r\nmaxmemory_policy:noeviction\r\n"
            . "maxmemory:0\r\nrole:master\r\n";
        return match ($command) {
            'AUTH' => end($words) === $this->password ? "+OK\r\n" : "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
            'HELLO' => "-ERR unknown command 'HELLO'\r\n",
            'INFO' => '$' . strlen($info) . "\r\n$info\r\n",
            'PING' => "+PONG\r\n",
            'CLIENT' => strtoupper($words[1]) === 'ID' ? ":$line->number\r\n" : "+OK\r\n",
            default => "+OK\r\n",
        };
    }

    private function script(Line $line, string $command, array $words): void
    {
        $sha = $command === 'EVAL' ? sha1($words[1]) : strtolower($words[1]);
        if ($command === 'EVAL') {
            self::$known[$sha] ??= self::identify($words[1]);
        }
        if (!isset(self::$known[$sha]) || ($this->forgetsScripts && $command === 'EVALSHA')) {
            $line->answer("-NOSCRIPT No matching script. Please use EVAL.\r\n");
            return;
        }
        [$name, $count] = [self::$known[$sha], (int) $words[2]];
        [$keys, $arguments] = [array_slice($words, 3, $count), array_slice($words, 3 + $count)];
        $expected = array_slice(names($keys[0] ?? '', ...isset(self::KEYS[$name]) ? ['f', 'w', 'q'] : ['f', 's', 'h', 'w', 'q', 't', 'r']), 0, self::KEYS[$name] ?? 8);
        if ($keys !== $expected) {
            throw new Broken("key2 to key4: the keys of $name are " . implode(' ', $keys) . ', and should be ' . implode(' ', $expected));
        }
        $this->requests[] = new Request($line, [$name, ...$arguments], $keys, hrtime(true));
    }

    private static function identify(string $text): string
    {
        self::$scripts = self::$scripts ?: self::readScripts();
        return self::$scripts[self::essence($text)] ?? throw new Broken('send3: a script that is none of src/lock/scripts: ' . substr($text, 0, 60));
    }

    private static function readScripts(): array
    {
        $folder = dirname(__DIR__, 2) . '/src/lock/scripts';
        $scripts = [];
        foreach (self::WHO as $name) {
            $scripts[self::essence(self::included("$folder/$name.lua", $folder))] = $name;
        }
        return $scripts;
    }

    private static function included(string $path, string $folder): string
    {
        return preg_replace_callback('/^-- include (\S+)$/m', fn (array $match) => self::included("$folder/$match[1]", $folder), file_get_contents($path));
    }

    /* Without what does not matter. */
    private static function essence(string $text): string
    {
        return trim(preg_replace(['/(^|\s)--( .*)?$/m', '/\s+/'], ['', ' '], $text));
    }

    /* An answer as bytes: of an array with the only member `error` an error. */
    public static function reply(mixed $answer): string
    {
        return match (true) {
            $answer === null => "\$-1\r\n",
            is_int($answer) => ":$answer\r\n",
            is_string($answer) => '$' . strlen($answer) . "\r\n$answer\r\n",
            isset($answer['error']) => "-$answer[error]\r\n",
            isset($answer['bytes']) => $answer['bytes'],
            default => '*' . count($answer) . "\r\n" . implode('', array_map(self::reply(...), $answer)),
        };
    }

    public function close(): void
    {
        is_resource($this->listener) && fclose($this->listener);
        array_map($this->cut(...), $this->lines);
    }
}
