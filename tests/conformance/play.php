<?php
/*
 * Plays one case: what is said to the client, which requests are expected of it, what they are answered, and what the
 * client makes of that. README.md has the steps and the words.
 */

require_once __DIR__ . '/program.php';
require_once __DIR__ . '/scripted.php';

final class Play
{
    /* So long anything may take that is not timed; s. */
    private const PATIENCE = 5.0;
    /* By so much more a busy machine may be late than a case allows; ms. */
    private const SLACK = 250;
    private const VALUE = '/^((rlock1(?:@[0-9a-f]+)?:)([0-9a-f]{32}):)[!-9;-~]{1,64}:\d+(.*)$/Ds';

    /** @var array<int, ScriptedServer> from 1 on; the one that the present step is about */
    private array $servers = [];
    private ScriptedServer $server;
    private int $at = 1;
    /** @var array<string, string|int> what words have stood for so far */
    private array $bound = [];
    /** @var array<string, Line> */
    private array $lines = [];
    /** @var array<string, true> RANDOMs that were seen */
    private array $used = [];
    /** @var list<array{string, string}> `release`, and the token of which that was an undo */
    private array $undone = [];
    private ?Request $last = null;
    private ?array $heard = null;
    private int $moment = 0;
    private int $timeout;

    public function __construct(private Program $client, private array $case, private int $owner)
    {
        for ($at = 1; $at <= ($case['servers'] ?? 1); $at++) {
            $this->server = $this->servers[$at] = new ScriptedServer;
            $this->server->forgetsScripts = $case['forgets_scripts'] ?? false;
            $this->server->password = $case['password'] ?? null;
        }
        $this->timeout = $case['timeout'] ?? 1000;
    }

    public function run(): void
    {
        try {
            $this->open();
            foreach ($this->case['steps'] as $number => $step) {
                $this->moment = hrtime(true);
                $this->server = $this->servers[$this->at = $step['at'] ?? 1];
                try {
                    $this->step($step);
                } catch (Broken $e) {
                    throw new Broken('step ' . $number + 1 . ": {$e->getMessage()}");
                }
            }
            $this->quiet(0);
            $this->close();
        } finally {
            array_map(fn (ScriptedServer $server) => $server->close(), $this->servers);
        }
    }

    private function open(): void
    {
        $password = isset($this->case['password']) ? ['password' => $this->case['says_password'] ?? $this->case['password']] : [];
        $servers = array_map(fn (ScriptedServer $server) => ['host' => '127.0.0.1', 'port' => $server->port, ...$password], array_values($this->servers));
        $this->client->say(['do' => 'open', 'owner' => $this->owner, 'servers' => $servers, 'prefix' => $this->case['prefix'] ?? 'lock@',
            'timeout' => $this->timeout, ...isset($this->case['renew']) ? ['renew' => true] : []]);
        $this->hear(['result' => null]);
    }

    /* Whatever it still says is answered as a server would that holds nothing of it any more. */
    private function close(): void
    {
        $this->client->say(['do' => 'close', 'owner' => $this->owner]);
        $this->heard = null;
        for ($until = hrtime(true) + (int) (self::PATIENCE * 1e9); $this->heard === null && hrtime(true) < $until;) {
            $this->wait(0.05);
            while (($request = $this->next()) !== null) {
                $request->line->answer(ScriptedServer::reply(match ($request->words[0]) {
                    'acquire' => [0, 1000],
                    'extend', 'extend_shared' => [3],
                    'inspect' => [null, -2, null, 0],
                    'sharers' => [],
                    default => 1,
                }));
            }
        }
        $this->heard ?? throw new Broken('close: no result');
    }

    /* What has come to any server, if a step is about none. */
    private function next(): ?Request
    {
        foreach ($this->servers as $server) {
            $request = $server->next();
            if ($request !== null) {
                return $request;
            }
        }
        return null;
    }

    private function step(array $step): void
    {
        match (true) {
            isset($step['say']) => $this->say($step['say']),
            array_key_exists('hear', $step) => $this->hear($step['hear'], $step['or'] ?? null, $step['within'] ?? null),
            isset($step['expect']) => $this->expect($step['expect'], $step),
            array_key_exists('answer', $step) => $this->answer($step['answer'], $step['to'] ?? null),
            isset($step['quiet']) => $this->quiet($step['quiet']),
            isset($step['pause']) => $this->wait($step['pause'] / 1000, true),
            isset($step['cut']) => $this->server->cut($this->line($step['cut'])),
            isset($step['new']) => $this->bound = [],
            isset($step['greeting']) => $this->greeting($step['greeting']),
            ($step['server'] ?? '') === 'leaves' => $this->server->leave(),
            ($step['server'] ?? '') === 'is back' => $this->server->comeBack(),
        };
    }

    private function say(array $command): void
    {
        $this->heard = null;
        $this->client->say(['owner' => $this->owner, ...$this->filled($command)]);
    }

    /* Lets the client and the server go on for so long, or until one of them has something to tell. */
    private function wait(float $seconds, bool $whole = false): void
    {
        $until = hrtime(true) + (int) ($seconds * 1e9);
        do {
            ScriptedServer::serve($this->servers, max(0, $until - hrtime(true)) / 1e9, $this->client->stream());
            $this->heard ??= $this->client->hear();
            $this->heard === null || ScriptedServer::serve($this->servers, 0.0); /* what it sent before it told the result */
        } while ($whole && hrtime(true) < $until);
    }

    private function hear(array $wanted, ?array $or = null, ?array $within = null): void
    {
        $until = hrtime(true) + (int) (self::PATIENCE * 1e9) + ($within[1] ?? 0) * 1_000_000;
        while ($this->heard === null) {
            $request = $this->next();
            if (isset($wanted['error']) && in_array($request?->words, [['inspect'], ['sharers']], true)) {
                $request->line->answer(ScriptedServer::reply($request->words === ['inspect'] ? [null, -2, null, 0] : [])); /* who has it, for its message */
            } elseif ($request !== null) {
                throw new Broken('a request that was not expected: ' . $request->text());
            }
            hrtime(true) < $until || throw new Broken('no result; expected ' . to_json($wanted));
            $this->wait(($until - hrtime(true)) / 1e9);
        }
        $this->isWithin($within, hrtime(true));
        [$heard, $this->heard] = [$this->heard, null];
        if (!$this->fits($wanted, $heard) && ($or === null || !$this->fits($or, $heard))) {
            throw new Broken('the result is ' . to_json($heard) . ', and should be ' . to_json($wanted));
        }
    }

    private function fits(mixed $wanted, mixed $had): bool
    {
        if (is_array($wanted)) {
            foreach ($wanted as $name => $member) {
                if (!is_array($had) || !array_key_exists($name, $had) || !$this->fits($member, $had[$name])) {
                    return false;
                }
            }
            return is_array($had) && (array_is_list($wanted) ? count($had) === count($wanted) : true);
        }
        if (is_string($wanted) && str_starts_with($wanted, '{')) {
            return $had !== null && $this->matches($wanted, (string) $had);
        }
        return $wanted === $had || (is_int($wanted) && is_float($had) && (float) $wanted === $had);
    }

    private function expect(array $words, array $step): void
    {
        $until = hrtime(true) + (int) (self::PATIENCE * 1e9) + ($step['within'][1] ?? 0) * 1_000_000;
        while (($request = $this->server->next()) === null) {
            if ($this->heard !== null && ($step['or_none'] ?? false)) {
                $this->last = null;
                return;
            }
            $this->heard === null || throw new Broken('the result ' . to_json($this->heard) . ' came before the request ' . implode(' ', $words));
            hrtime(true) < $until || throw new Broken('no request; expected ' . implode(' ', $words));
            $this->wait(($until - hrtime(true)) / 1e9);
        }
        if (($step['optional'] ?? false) && !$this->isSaid($words, $request)) {
            $this->server->putBack($request);
            $this->last = null;
            return;
        }
        $this->isWithin($step['within'] ?? null, $request->time);
        $this->isSaid($words, $request)
            || throw new Broken('the request is "' . $request->text() . '", and should be "' . $this->shown($words) . '"');
        $this->isOn($step, $request->line);
        $this->isFresh($request);
        $this->last = $request;
        if (isset($step['as'])) {
            $this->lines[$step['as']] = $request->line;
        }
    }

    private function isSaid(array $words, Request $request): bool
    {
        if (end($words) === '{?}' && count($request->words) < count($words)) {
            array_pop($words);
        }
        $fits = count($words) === count($request->words);
        foreach ($words as $at => $word) {
            $fits = $fits && $this->matches($word, $request->words[$at]);
        }
        return $fits;
    }

    /* Once an undo of it was sent, a token is never sent again: that might come late, and free what another sending was granted. */
    private function isFresh(Request $request): void
    {
        [$script, $token, $fence] = $request->words + ['', '', ''];
        if (($script === 'release' || $script === 'leave') && $fence === '0') {
            $this->undone[] = [$script, $token];
        }
        foreach ($script === 'acquire' || $script === 'enter' ? $this->undone : [] as [, $undone]) {
            str_starts_with($token, $undone) && throw new Broken("its token was sent before, and an undo of it: $token");
        }
    }

    private function isOn(array $step, Line $line): void
    {
        if (isset($step['on']) && $this->line($step['on']) !== $line) {
            throw new Broken("it came on another connection than \"$step[on]\"");
        }
        if (isset($step['beside']) && $this->line($step['beside']) === $line) {
            throw new Broken("it came on the connection \"$step[beside]\", which awaits an answer");
        }
    }

    /* Since the step before. */
    private function isWithin(?array $within, int $time): void
    {
        $took = intdiv($time - $this->moment, 1_000_000);
        if ($within !== null && ($took < $within[0] || $took > $within[1] + self::SLACK)) {
            throw new Broken("it came after $took ms, and should after $within[0] to $within[1] ms");
        }
    }

    private function shown(array $words): string
    {
        return implode(' ', array_map(fn (string $word) => $word . (isset($this->bound[$word]) ? "={$this->bound[$word]}" : ''), $words));
    }

    private function matches(string $word, string $had): bool
    {
        if (preg_match('/^\{(-?[\d.]+)\.\.(-?[\d.]+)\}$/D', $word, $match)) {
            return is_numeric($had) && $had >= $match[1] && $had <= $match[2];
        }
        if (preg_match('/^\{value(@[0-9a-f]+)?\}(.*)$/Ds', $word, $match)) {
            return str_starts_with($had, "rlock1$match[1]:") && $this->isValue($had, $match[2]);
        }
        return match ($word) {
            '{*}', '{?}' => true,
            '{a value}' => preg_match(self::VALUE, $had) === 1,
            '{handed}' => preg_match('/^rlock1:[0-9a-f]{32}::$/D', $had) === 1,
            '{~}' => $this->isBaton($had),
            '{until}' => $this->isUntil($had, 0),
            '{until+10m}' => $this->isUntil($had, 600),
            '{until?}' => $had === '0' || preg_match("/^\d+$/D", $had) === 1,
            default => (string) $this->fill($word) === $had,
        };
    }

    /* A grant with such metadata: a new one, or that of the same call. */
    private function isValue(string $had, string $metadata): bool
    {
        if (!preg_match(self::VALUE, $had, $match) || $match[4] !== $metadata) {
            return false;
        }
        if (isset($this->bound['{value}'])) {
            return $had === $this->bound['{value}'];
        }
        [, $this->bound['{token}'], $this->bound['{name}'], $random] = $match;
        [$this->bound['{value}'], $this->bound['{baton}']] = [$had, "~$random"];
        $fresh = !isset($this->used[$random]);
        $this->used[$random] = true;
        return $fresh;
    }

    /* One that was not seen before; a repetition is the same. */
    private function isBaton(string $had): bool
    {
        if (isset($this->bound['{~}'])) {
            return $had === $this->bound['{~}'];
        }
        $this->bound['{~}'] = $had;
        return preg_match('/^~[0-9a-f]{32}$/D', $had) && !isset($this->used[substr($had, 1)]);
    }

    /* The end of the call, by the server's clock, which may have been told to be ahead, or earlier. A busy machine learns that clock late. */
    private function isUntil(string $had, int $ahead): bool
    {
        $end = ScriptedServer::clock() + $this->timeout * 1000 + $ahead * 1_000_000;
        return preg_match("/^\d+$/D", $had) === 1 && $had > $end - 10_000_000 && $had <= $end + 100_000;
    }

    private function fill(string $word): string|int
    {
        if ($word === '{grant}') {
            return $this->bound["{fence}$this->at"] = ScriptedServer::clock();
        }
        if ($word === '{fence text}') {
            return (string) $this->bound["{fence}$this->at"];
        }
        if ($word === '{clock}') {
            return ScriptedServer::clock();
        }
        if (preg_match('/^\{id:(\w+)\}$/D', $word, $match)) {
            return $this->lines[$match[1]]->number;
        }
        if ($word === '{L}') {
            return $this->case['lock'] ?? 'lock@k';
        }
        if ($word === '{Q}') {
            return names($this->fill('{L}'), 'q')[1];
        }
        if ($word === '{R}') {
            return names($this->fill('{L}'), 'r')[1];
        }
        if (preg_match('/^\{fence\+(\d+)\}$/D', $word, $match)) {
            return $this->bound["{fence}$this->at"] + (int) $match[1];
        }
        return $this->bound[$word === '{fence}' ? "{fence}$this->at" : $word] ?? $word;
    }

    private function filled(mixed $value): mixed
    {
        return match (true) {
            is_array($value) => array_map($this->filled(...), $value),
            is_string($value) && str_starts_with($value, '{') => $this->fill($value),
            is_string($value) => str_replace('{clock+10m}', (string) (ScriptedServer::clock() + 600_000_000), $value),
            default => $value,
        };
    }

    private function answer(mixed $answer, ?string $to): void
    {
        ($to === null ? $this->last?->line : $this->line($to))?->answer(ScriptedServer::reply($this->filled($answer)));
    }

    private function line(string $name): Line
    {
        return $name === 'last' ? $this->last->line : $this->lines[$name];
    }

    /* For so many ms nothing is asked and nothing told. */
    private function quiet(int $milliseconds): void
    {
        $this->wait($milliseconds / 1000, true);
        while (($request = $this->next()) !== null && in_array([$request->words[0], $request->words[1] ?? ''], $this->undone, true)) {
            /* an undo that is sent on another connection, too */
        }
        $request = $request?->words === ['inspect'] && count($this->servers) > 1 ? null : $request; /* one that a majority did not need */
        $request === null || throw new Broken('a request that was not expected: ' . $request->text());
        $this->heard === null || throw new Broken('a result that was not expected: ' . to_json($this->heard));
    }

    private function greeting(array $words): void
    {
        foreach ($words as $word) {
            $found = array_filter($this->server->greetings, fn (string $greeting) => str_starts_with($greeting, $word));
            $found !== [] || throw new Broken("no connection began with $word");
        }
    }
}
