<?php
/*
 * One process of the stress run: takes locks, holds them, prolongs and returns them, in the many
 * ways that the contract allows, and writes down each call before it begins and after it ended.
 *
 * A history has one line for each, written by one write(2), so that of a killed process at most
 * the last line is torn. Times are CLOCK_MONOTONIC in ns, which is one clock for all processes.
 *
 *   B TIME OWNER OPERATION KEYS TERMS...    before the call
 *   E TIME RESULT STATE...                  after it; for each of the KEYS the state as the owner tells it
 *   V TIME OWNER RESULT                     a verdict on an earlier release, which asking for the STATE brought
 *
 * RESULT is true, false, none, or an exception: KIND@KEY@LATE, with lateBy in microseconds.
 * STATE is `-` for a lock that is not held, else FENCE/DEPTH/DEADLINE: until when lease() says
 * that it is safe; 0: it is not.
 */

const HOT = ['hot-1', 'hot-2', 'hot-3', 'hot-4'];
const COOL = ['cool-1', 'cool-2', 'cool-3', 'cool-4'];
const BROKEN = 'broken'; /* the only one that breakLock() is used on: then leases may overlap */

final class Recorder
{
    private mixed $file;

    /** @param list<RLock> $owners */
    public function __construct(string $path, private array $owners)
    {
        $this->file = fopen($path, 'a');
    }

    /* Makes a call of one owner and writes it down. What it returned; the exception's short name. */
    public function call(int $owner, string $operation, string|array $keys, array $terms, callable $call): mixed
    {
        $keys = (array) $keys;
        fwrite($this->file, rtrim('B ' . hrtime(true) . " $owner $operation " . (implode(',', $keys) ?: '-') . ' '
            . implode(' ', $terms)) . "\n");
        try {
            $answer = $call($this->owners[$owner]);
            $result = is_bool($answer) ? ($answer ? 'true' : 'false') : (is_string($answer) ? 'true' : 'none');
        } catch (RLock\RLockException $e) {
            $answer = self::kind($e);
            $result = self::result($e);
            if (!$e instanceof RLock\TimeoutException) {
                fwrite(STDERR, hrtime(true) . ' worker ' . getmypid() . " $operation: {$e->getMessage()}\n");
            }
        }
        $line = 'E ' . hrtime(true) . " $result";
        $verdicts = [];
        if ($operation === 'take' && $answer === true && mt_rand(0, 1)) {
            usleep(mt_rand(0, 300)); /* its claim may be on the way still, and lease() waits for the answer */
        }
        foreach ($keys as $key) {
            $line .= ' ' . $this->state($owner, $key, $verdicts);
        }
        fwrite($this->file, "$line\n");
        foreach ($verdicts as $verdict) {
            fwrite($this->file, "$verdict\n");
        }
        return $answer;
    }

    /* Asking may bring verdicts on releases that nobody waited for. */
    private function state(int $owner, string $key, array &$verdicts): string
    {
        for (;;) {
            $now = hrtime(true);
            try {
                $lease = $this->owners[$owner]->lease($key);
                return $lease === null ? '-' : "$lease->fence/$lease->depth/"
                    . ($lease->ttl > 0.0 ? $now + (int) ($lease->ttl * 1e9) : 0);
            } catch (RLock\TimeoutException $e) {
                $verdicts[] = "V $now $owner " . self::result($e);
            }
        }
    }

    private static function kind(RLock\RLockException $e): string
    {
        return match (true) {
            $e instanceof RLock\LostLockException => 'Lost',
            $e instanceof RLock\TimeoutException => $e->held ? 'Held' : 'Timeout',
            /* No failure, but a machine too busy for a lease so short. */
            $e instanceof RLock\ConnectionException && str_contains($e->getMessage(), 'had run out when') => 'TooLate',
            $e instanceof RLock\ConnectionException => 'Connection',
            $e instanceof RLock\ServerException => "Server:$e->error",
            default => 'Misuse',
        };
    }

    private static function result(RLock\RLockException $e): string
    {
        $late = $e instanceof RLock\TimeoutException ? (int) round($e->lateBy * 1e6) : 0;
        return self::kind($e) . '@' . ($e->key ?? '-') . "@$late";
    }
}

/* What a worker does; one of these at a time. */
final class Work
{
    public function __construct(private Recorder $record, private string $mailbox)
    {
    }

    private static function one(mixed ...$choices): mixed
    {
        return $choices[mt_rand(0, count($choices) - 1)];
    }

    private static function key(): string
    {
        return mt_rand(0, 9) < 8 ? self::one(...HOT) : self::one(...COOL);
    }

    private static function ttl(): float
    {
        return mt_rand(0, 19) === 0 ? 3.0 : self::one(0.08, 0.25, 0.5, 1.0);
    }

    public function take(string $key, float $wait, float $ttl, int $policy = RLock::POLICY_WAIT, int $owner = 0): mixed
    {
        $answer = $this->record->call($owner, 'take', $key, [$wait * 1000, $ttl * 1000, $policy],
            fn (RLock $locks) => $locks->getLock($key, $wait, $ttl, $policy));
        if ($answer === 'Connection') {
            usleep(10_000); /* the server restarts */
        }
        return $answer;
    }

    public function release(string $key, bool $confirm = true, float $delay = 0.0, int $owner = 0): mixed
    {
        return $this->record->call($owner, 'release', $key, [$delay * 1000, (int) $confirm],
            fn (RLock $locks) => $locks->releaseLock($key, $delay, $confirm));
    }

    private function prolong(string $key, float $ttl): mixed
    {
        return $this->record->call(0, 'prolong', $key, [$ttl * 1000], fn (RLock $locks) => $locks->prolongate($key, $ttl));
    }

    private function check(string $key): mixed
    {
        return $this->record->call(0, 'check', $key, [], fn (RLock $locks) => $locks->check($key));
    }

    /* Most of the time: take, do something short, give back. */
    public function section(): void
    {
        $key = self::key();
        $policy = self::one(RLock::POLICY_WAIT, RLock::POLICY_WAIT, RLock::POLICY_WAIT, RLock::POLICY_FAIL_FAST);
        if ($this->take($key, self::one(0.0, 0.01, 0.1, 0.2, 0.2, 0.5, 2.0), self::ttl(), $policy) === true) {
            usleep(mt_rand(0, 300));
            if (mt_rand(0, 9) === 0) {
                $this->check($key);
            }
            $this->release($key, mt_rand(0, 9) > 0);
        }
    }

    public function renewals(): void
    {
        $key = self::key();
        if ($this->take($key, 0.5, self::ttl()) === true) {
            for ($left = mt_rand(1, 3); $left > 0; $left--) {
                usleep(mt_rand(0, 500));
                $this->prolong($key, self::ttl());
                $this->check($key);
            }
            $this->release($key);
        }
    }

    public function nested(): void
    {
        $key = self::key();
        if ($this->take($key, 0.5, self::ttl()) === true) {
            usleep(mt_rand(0, 200));
            $inner = $this->take($key, self::one(0.0, 0.1), self::ttl());
            usleep(mt_rand(0, 200));
            if ($inner === true) {
                $this->release($key);
                $this->check($key);
            }
            $this->release($key, mt_rand(0, 4) > 0);
        }
    }

    /* Holds on past the lease, and then hears what became of it. */
    public function late(): void
    {
        $key = self::key();
        $ttl = self::one(0.02, 0.05);
        if ($this->take($key, 0.5, $ttl) !== true) {
            return;
        }
        $depth = 1;
        if (mt_rand(0, 3) === 0 && $this->take($key, 0.0, $ttl) === true) {
            $depth = 2;
        }
        usleep((int) ($ttl * self::one(0.9, 1.0, 1.02, 1.5, 3.0) * 1e6));
        match (mt_rand(0, 4)) {
            0 => $this->check($key),
            1 => $this->prolong($key, 0.1),
            2 => $this->take($key, 0.05, 0.1) === true && $this->release($key),
            default => null,
        };
        for (; $depth > 0; $depth--) {
            $this->release($key, mt_rand(0, 4) > 0);
        }
    }

    /* Two owners in one process. */
    public function rivals(): void
    {
        $key = self::key();
        if ($this->take($key, 0.1, 1.0, owner: 1) === true) {
            if ($this->take($key, self::one(0.0, 0.02), 1.0, owner: 0) === true) {
                $this->release($key);
            }
            $this->release($key, owner: 1);
        }
    }

    public function several(): void
    {
        $keys = [...HOT, ...COOL];
        shuffle($keys);
        $keys = array_slice($keys, 0, mt_rand(2, 4));
        [$wait, $ttl] = [self::one(0.0, 0.2, 1.0), self::one(0.5, 1.0)];
        $took = $this->record->call(0, 'take', $keys, [$wait * 1000, $ttl * 1000, RLock::POLICY_WAIT],
            fn (RLock $locks) => $locks->getLocks($keys, $wait, $ttl));
        if ($took !== true) {
            return;
        }
        usleep(mt_rand(0, 300));
        if (mt_rand(0, 1)) {
            $this->releaseAll(0, $keys);
            return;
        }
        foreach ($keys as $key) {
            $this->release($key);
        }
    }

    private function releaseAll(int $owner, array $keys): void
    {
        $this->record->call($owner, 'release-all', $keys, [], fn (RLock $locks) => $locks->releaseAll());
    }

    /* Keeps the key unavailable for a while after. */
    public function delayed(): void
    {
        $key = self::one(...COOL);
        if ($this->take($key, 0.2, 1.0) === true) {
            $this->release($key, mt_rand(0, 1) > 0, self::one(0.01, 0.05));
        }
    }

    /* Puts a lock into the mailbox, for whoever looks first. */
    public function giveAway(): void
    {
        $key = self::key();
        if ($this->take($key, 0.2, self::ttl()) !== true) {
            return;
        }
        $ttl = self::one(0.1, 0.5);
        $began = hrtime(true);
        $token = $this->record->call(0, 'hand-over', $key, [$ttl * 1000],
            fn (RLock $locks) => $locks->handOver($key, $ttl));
        if (!str_starts_with($token, 'rlock1:')) {
            $this->release($key); /* an exception: it may be ours still */
            return;
        }
        $letter = $this->mailbox . '/' . bin2hex(random_bytes(8));
        file_put_contents("$letter.new", implode("\n", [$key, $began + (int) ($ttl * 1e9), $token]));
        rename("$letter.new", "$letter.letter");
    }

    public function adopt(): bool
    {
        foreach (glob("$this->mailbox/*.letter") as $letter) {
            $mine = $letter . getmypid();
            if (!@rename($letter, $mine)) {
                continue; /* somebody else was first */
            }
            [$key, $until, $token] = explode("\n", file_get_contents($mine));
            unlink($mine);
            $ttl = self::one(null, 0.3);
            $adopted = $this->record->call(0, 'adopt', $key, [$ttl * 1000, $until],
                fn (RLock $locks) => $locks->adopt($key, $token, $ttl));
            if ($adopted === true) {
                usleep(mt_rand(0, 300));
                $this->check($key);
                $this->release($key);
            }
            return true;
        }
        return false;
    }

    public function breaking(): void
    {
        if ($this->take(BROKEN, 0.2, self::ttl()) === true) {
            usleep(mt_rand(0, 10_000));
            if (mt_rand(0, 1)) {
                $this->record->call(1, 'break', BROKEN, [], fn (RLock $locks) => $locks->breakLock(BROKEN));
            }
            $this->release(BROKEN, mt_rand(0, 2) > 0);
        } else {
            $this->record->call(1, 'break', BROKEN, [], fn (RLock $locks) => $locks->breakLock(BROKEN));
        }
    }

    public function notHeld(): void
    {
        $key = self::key();
        $this->release($key);
        $this->prolong($key, 1.0);
    }

    /* What is still held is given back by the process's end. */
    public function quit(): never
    {
        $this->take(self::one(...COOL), 0.2, 3.0);
        $this->record->call(0, 'quit', [], [], fn () => exit(0));
        exit(1);
    }

    /* The end of the run: a last look at what may be in the mailbox, and nothing is left held. */
    public function end(): void
    {
        while ($this->adopt()) {
        }
        $this->releaseAll(0, []);
        $this->releaseAll(1, []);
    }
}

[, $server, $history, $mailbox, $end, $seed] = $argv;
mt_srand((int) $seed);
$work = new Work(new Recorder($history, [new RLock($server), new RLock($server)]), $mailbox);
$shares = [
    'section' => 800, 'renewals' => 50, 'nested' => 40, 'late' => 15, 'rivals' => 20, 'several' => 25, 'delayed' => 10,
    'giveAway' => 10, 'adopt' => 60, 'breaking' => 10, 'notHeld' => 5, 'quit' => 1,
];
$total = array_sum($shares);
while (hrtime(true) < (int) $end) {
    $draw = mt_rand(1, $total);
    foreach ($shares as $name => $share) {
        $draw -= $share;
        if ($draw <= 0) {
            $work->$name();
            break;
        }
    }
}
$work->end();
