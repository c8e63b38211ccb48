<?php
/*
 * One process of the stress run: takes locks, holds them, prolongs and returns them, in all the ways that the
 * contract allows, and writes down each call before it begins and after it ended. README.md has the format.
 *
 * worker.php SERVERS REPLICAS NUMBER FOLDER END SEED SHARED
 */

require __DIR__ . '/../server.inc';

const HOT = ['hot-1', 'hot-2', 'hot-3', 'hot-4', 'hot-5', 'hot-6'];
const COOL = ['cool-1', 'cool-2', 'cool-3', 'cool-4', 'cool-5', 'cool-6']; /* held for longer */
/* Held by shares as well: by any number, or by so many at most as the name says. */
const READ = ['read-1', 'read-2'];
const POOLS = ['pool-1', 'pool-2', 'pool-4'];
const BROKEN = 'broken'; /* the only one that breakLock() is used on */
const LENT = 'lent';     /* the only one that is adopted while it is in use */
/* Detached locks belong to one of these, whichever worker says it. */
const NAMES = ['import', 'export'];
/* So many sections in a row at most. */
const STAY = 40;
/* A call that is worth a word on why; ns. */
const LONG = 100_000_000;

/* Makes the calls, and keeps the history. */
final class Recorder
{
    private mixed $file;
    /** @var list<?RLock> */
    private array $owners = [];
    /** @var array<int, bool> those that interrupt, by number */
    private array $interrupting = [];
    private int $calls = 0;
    private bool $open = false;
    private mixed $schedule;
    /* When the call began; how long this process had wanted a CPU by then and had none. */
    private int $began = 0, $delayed = 0;
    /* That of the lease that was looked at last. */
    public ?string $token = null;

    public function __construct(string $path, private int $worker)
    {
        $this->file = fopen($path, 'a');
        fwrite($this->file, 'P ' . hrtime(true) . ' ' . getmypid() . "\n");
        $this->schedule = fopen('/proc/self/schedstat', 'r');
    }

    public function addOwner(RLock $locks, bool $interrupting = false): int
    {
        $this->owners[] = $locks;
        $this->interrupting[] = $interrupting;
        $owner = count($this->owners) - 1;
        $interrupting && fwrite($this->file, 'T ' . hrtime(true) . " $owner\n");
        return $owner;
    }

    /* A thread renews what this owner takes, for so many s at most. */
    public function renews(int $owner, ?float $maxHold): void
    {
        fwrite($this->file, 'R ' . hrtime(true) . " $owner " . (int) ($maxHold * 1000) . "\n");
    }

    public function owner(int $owner): RLock
    {
        return $this->owners[$owner];
    }

    public function forgetOwner(int $owner): void
    {
        $this->owners[$owner] = null;
    }

    public function begin(int $owner, string $operation, array $keys, array $terms): void
    {
        $this->delayed = $this->delay();
        $this->began = hrtime(true);
        $line = rtrim("B $this->began $owner $operation " . (implode(',', $keys) ?: '-') . ' ' . implode(' ', $terms)) . "\n";
        /* From here on no interrupt comes before the line is written. */
        $this->calls++;
        $this->open = true;
        fwrite($this->file, $line);
    }

    private function delay(): int
    {
        rewind($this->schedule);
        return (int) explode(' ', fgets($this->schedule))[1];
    }

    /* Of a call that lasted long: whether that was since others had the CPUs. */
    private function ownDelay(int $now): string
    {
        return $now - $this->began < LONG ? '' : "D $now " . $this->delay() - $this->delayed . "\n";
    }

    /* What the next call may give as metadata, so that the server's record names it. */
    public function nextName(): string
    {
        return "$this->worker." . ($this->calls + 1);
    }

    public function end(int $owner, array $keys, string $result, bool $ask = true): void
    {
        $now = hrtime(true);
        $line = $this->ownDelay($now) . "E $now $result";
        $interrupts = '';
        foreach ($keys as $key) {
            $line .= ' ' . ($ask ? $this->state($owner, $key, $interrupts) : '?');
        }
        $this->open = false;
        fwrite($this->file, "$line\n");
        fwrite($this->file, $interrupts);
    }

    /* Makes a call of one owner. What it returned; the exception's short name. */
    public function call(int $owner, string $operation, string|array $keys, array $terms, callable $call, bool $ask = true): mixed
    {
        $keys = (array) $keys;
        $this->begin($owner, $operation, $keys, $terms);
        try {
            $answer = $call($this->owners[$owner]);
            $result = match (true) {
                is_bool($answer) => $answer ? 'true' : 'false',
                is_int($answer) => (string) $answer,
                default => is_string($answer) ? 'true' : 'none',
            };
        } catch (RLock\RLockException $e) {
            $answer = self::kind($e);
            $result = self::result($e);
            if (!$e instanceof RLock\TimeoutException) {
                fwrite(STDERR, hrtime(true) . " worker-$this->worker $operation: {$e->getMessage()}\n");
            }
        }
        $this->end($owner, $keys, $result, $ask);
        return $answer;
    }

    /* An interrupt, which may have come in the midst of anything here. */
    public function interrupted(int $owner, RLock\TimeoutException $e): void
    {
        $now = hrtime(true);
        $end = $this->open ? $this->ownDelay($now) . "E $now interrupted ?\n" : '';
        $this->open = false;
        fwrite($this->file, $end . 'I ' . hrtime(true) . " $owner " . self::result($e) . "\n");
    }

    /* Asking may bring an interrupt, which is a verdict on what is held. */
    private function state(int $owner, string $key, string &$interrupts): string
    {
        for ($interrupted = false; ; ) {
            $now = hrtime(true);
            try {
                $lease = $this->owners[$owner]->lease($key);
                $this->token = $lease?->token;
                if ($interrupted) {
                    return '?'; /* it was another before */
                }
                return $lease === null ? '-' : implode('/', [self::random($lease->token), $lease->fence ?? 0, $lease->depth,
                    $lease->ttl > 0.0 ? $now + (int) ($lease->ttl * 1e9) : 0, hrtime(true), ...($lease->shared ? ['s'] : [])]);
            } catch (RLock\TimeoutException $e) {
                $this->interrupting[$owner] || throw $e;
                $interrupted = true;
                $interrupts .= 'I ' . hrtime(true) . " $owner " . self::result($e) . "\n";
            } catch (RLock\RLockException) {
                return '-'; /* closed */
            }
        }
    }

    /* What of a token no other has. */
    public static function random(string $token): string
    {
        return explode(':', $token, 3)[1];
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

    public static function result(RLock\RLockException $e): string
    {
        $late = $e instanceof RLock\TimeoutException ? (int) round($e->lateBy * 1e6) : 0;
        return self::kind($e) . '@' . ($e->key ?? '-') . "@$late";
    }
}

/* What a worker does; one of these at a time. */
final class Work
{
    private const DELETE_OWN = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])";
    private ?RawClient $foreign = null;
    /* A fence of BROKEN's, whose grant may be over by now. */
    private ?int $formerFence = null;

    /* `shared`: of so many keys in a hundred there are shares. */
    public function __construct(private Recorder $record, private string|array $servers, private int $replicas, private string $folder, private int $shared)
    {
        $record->addOwner($this->newOwner());
        $record->addOwner($this->newOwner());
    }

    private function newOwner(mixed ...$options): RLock
    {
        return new RLock($this->servers, ...['replicas' => $this->replicas, ...$options]);
    }

    private static function one(mixed ...$choices): mixed
    {
        return $choices[mt_rand(0, count($choices) - 1)];
    }

    private function isShared(): bool
    {
        return mt_rand(0, 99) < $this->shared;
    }

    private function key(): string
    {
        return match (true) {
            $this->isShared() => self::one(...READ, ...POOLS),
            mt_rand(0, 19) > 0 => self::one(...HOT),
            default => self::one(...COOL),
        };
    }

    private function coolKey(): string
    {
        return $this->isShared() ? self::one(...READ, ...POOLS) : self::one(...COOL);
    }

    /* Shares, most of the time, where there are any. */
    private function wantsShare(string $key): bool
    {
        return match (true) {
            in_array($key, [...READ, ...POOLS], true) => mt_rand(0, 4) > 0,
            $key === BROKEN => $this->isShared(),
            default => false,
        };
    }

    private static function limit(string $key): ?int
    {
        return in_array($key, POOLS, true) ? (int) substr($key, strlen('pool-')) : null;
    }

    private static function ttl(): float
    {
        return mt_rand(0, 19) === 0 ? 3.0 : self::one(0.08, 0.25, 0.5, 1.0);
    }

    /* Half of the time nobody asks what was got. */
    private function take(string $key, float $wait, float $ttl, int $policy = RLock::POLICY_WAIT, int $owner = 0, ?bool $ask = null, ?bool $share = null): mixed
    {
        [$name, $limit] = [$this->record->nextName(), self::limit($key)];
        $terms = [$wait * 1000, $ttl * 1000, $policy];
        $ask ??= (bool) mt_rand(0, 1);
        $answer = $share ?? $this->wantsShare($key)
            ? $this->record->call($owner, 'share', $key, [...$terms, (int) $limit], fn (RLock $locks) => $locks->getSharedLock($key, $wait, $ttl, $policy, $name, $limit), $ask)
            : $this->record->call($owner, 'take', $key, $terms, fn (RLock $locks) => $locks->getLock($key, $wait, $ttl, $policy, $name), $ask);
        if ($answer === 'Connection' || $answer === 'Server:OOM') {
            usleep(10_000);
        }
        return $answer;
    }

    private function release(string $key, bool $confirm = true, float $delay = 0.0, int $owner = 0): mixed
    {
        return $this->record->call($owner, 'release', $key, [$delay * 1000, (int) $confirm],
            fn (RLock $locks) => $locks->releaseLock($key, $delay, $confirm));
    }

    private function prolong(string $key, float $ttl, int $owner = 0): mixed
    {
        return $this->record->call($owner, 'prolong', $key, [$ttl * 1000], fn (RLock $locks) => $locks->prolongate($key, $ttl));
    }

    private function check(string $key, int $owner = 0): mixed
    {
        return $this->record->call($owner, 'check', $key, [], fn (RLock $locks) => $locks->check($key));
    }

    /* Looks: what is said must be so. */
    private function look(string $key): void
    {
        match (mt_rand(0, in_array($key, [...READ, ...POOLS], true) ? 4 : 2)) {
            3 => $this->anyHolder($key),
            4 => $this->record->call(0, 'among', $key, [], fn (RLock $locks) => $this->isAmong($locks, $key)),
            0 => $this->record->call(0, 'is-locking', $key, [], fn (RLock $locks) => $locks->isLocking($key)),
            1 => $this->record->call(0, 'ttl', $key, [], fn (RLock $locks) => $locks->ttl($key) > 0.0),
            2 => $this->record->call(0, 'holder', $key, [], fn (RLock $locks) => $locks->holder($key) !== null),
        };
    }

    /* One of the shares; or whoever has it exclusively. */
    private function anyHolder(string $key): ?RLock\Holder
    {
        $holders = [];
        $this->record->call(0, 'sharers', $key, [], function (RLock $locks) use ($key, &$holders) {
            $holders = $locks->sharers($key);
            return count(array_filter($holders, fn (RLock\Holder $holder) => $holder->shared));
        });
        return $holders === [] ? null : self::one(...$holders);
    }

    private function isAmong(RLock $locks, string $key): bool
    {
        $fence = $locks->lease($key)?->fence;
        $holders = $fence === null ? [] : $locks->sharers($key); /* a delay tells the last fence, too, and is no share */
        return array_filter($holders, fn (RLock\Holder $holder) => $holder->shared && $holder->fence === $fence) !== [];
    }

    private function releaseAll(int $owner, array $keys): void
    {
        $this->record->call($owner, 'release-all', $keys, [], fn (RLock $locks) => $locks->releaseAll());
    }

    private function close(int $owner, array $keys): void
    {
        $this->record->call($owner, 'close', $keys, [], fn (RLock $locks) => $locks->close());
        $this->record->forgetOwner($owner);
    }

    /*
     * Most of the time: take, do something short, give back; and stay with a key as long as it can be had. So those whose key
     * is stuck, since its holder was struck, look for another, and most workers contend for keys that go from hand to hand.
     */
    public function section(): void
    {
        $key = $this->key();
        for ($left = mt_rand(1, STAY); $left > 0 && $this->briefly($key); $left--) {
        }
    }

    private function briefly(string $key): bool
    {
        $policy = self::one(RLock::POLICY_WAIT, RLock::POLICY_WAIT, RLock::POLICY_WAIT, RLock::POLICY_FAIL_FAST);
        $wait = mt_rand(0, 59) === 0 ? 10.0 : self::one(0.0, 0.01, 0.1, 0.2, 0.5, 0.5, 2.0);
        if ($this->take($key, $wait, self::ttl(), $policy) !== true) {
            return false;
        }
        usleep(mt_rand(0, 300));
        if (mt_rand(0, 9) === 0) {
            $this->check($key);
        }
        return $this->release($key, mt_rand(0, 9) > 0) === true;
    }

    /* Short and long leases in turn: a late copy of a short one would end a long one early. */
    public function renewals(): void
    {
        $key = $this->key();
        if ($this->take($key, 0.5, self::ttl()) === true) {
            for ($left = mt_rand(1, 5); $left > 0; $left--) {
                usleep(mt_rand(0, 500));
                $this->prolong($key, self::ttl());
                $this->check($key);
            }
            $this->release($key);
        }
    }

    /* A job of many steps, which relies on its lease for long, and goes on where a prolongation failed: with a longer one. */
    public function steps(): void
    {
        $key = $this->coolKey();
        if ($this->take($key, 0.2, 1.0) !== true) {
            return;
        }
        $failed = $lost = false;
        for ($left = mt_rand(3, 16); $left > 0 && !$lost; $left--) {
            usleep(mt_rand(1_000, 60_000));
            $answer = $this->check($key) === 'Lost' ? 'Lost' : $this->prolong($key, $failed ? 2.0 : self::one(0.5, 1.0, 2.0));
            $lost = $answer === 'Lost' || ($failed && $answer === true && !$this->staysHeld($key));
            $failed = $answer === 'Connection';
        }
        $this->release($key);
    }

    /* For a while, in which a copy of what failed may still arrive. */
    private function staysHeld(string $key): bool
    {
        for ($left = mt_rand(5, 20); $left > 0; $left--) {
            usleep(30_000);
            if ($this->check($key) === 'Lost') {
                return false;
            }
        }
        return true;
    }

    public function nested(): void
    {
        $key = $this->key();
        if ($this->take($key, 0.5, self::ttl()) === true) {
            usleep(mt_rand(0, 200));
            $inner = $this->take($key, self::one(0.0, 0.1), self::ttl(), ask: true);
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
        $key = mt_rand(0, 9) ? $this->coolKey() : self::one(...HOT);
        $ttl = self::one(0.02, 0.05);
        if ($this->take($key, 0.5, $ttl) !== true) {
            return;
        }
        $depth = 1;
        if (mt_rand(0, 3) === 0 && $this->take($key, 0.0, $ttl, ask: true) === true) {
            $depth = 2;
        }
        usleep((int) ($ttl * self::one(0.9, 1.0, 1.02, 1.5, 3.0) * 1e6));
        match (mt_rand(0, 5)) {
            /* A share whose upgrade got no answer is not held any more. */
            0 => $this->record->owner(0)->lease($key) && $this->check($key),
            1 => $this->prolong($key, 0.1),
            2 => $this->take($key, 0.05, 0.1, ask: true) === true && $this->release($key),
            3 => $this->look($key),
            default => null,
        };
        for (; $depth > 0; $depth--) {
            $this->release($key, mt_rand(0, 4) > 0);
        }
    }

    /* From one kind to the other, and back. */
    public function changing(): void
    {
        $key = self::one(...READ, ...POOLS);
        if (!$this->isShared() || $this->take($key, 0.5, self::ttl()) !== true) {
            return;
        }
        $depth = 1;
        for ($left = mt_rand(1, 6); $left > 0; $left--) {
            usleep(mt_rand(0, 500));
            match (mt_rand(0, 3)) {
                0, 1 => $depth += $this->take($key, 0.0, self::ttl(), ask: true, share: false) === true ? 1 : 0,
                2 => $this->record->call(0, 'downgrade', $key, [], fn (RLock $locks) => $locks->downgrade($key)),
                3 => $this->prolong($key, self::ttl()),
            };
        }
        for (; $depth > 0; $depth--) {
            $this->release($key, mt_rand(0, 4) > 0);
        }
    }

    /* Two owners in one process. */
    public function rivals(): void
    {
        $key = $this->key();
        if ($this->take($key, 0.1, 1.0, owner: 1) === true) {
            if ($this->take($key, self::one(0.0, 0.02), 1.0, owner: 0) === true) {
                $this->release($key);
            }
            $this->release($key, owner: 1);
        }
    }

    public function several(): void
    {
        $keys = [...HOT, ...COOL, ...($this->isShared() ? READ : [])];
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

    /* Gives back without waiting, and takes at once again. */
    public function again(): void
    {
        $key = $this->key();
        for ($left = mt_rand(2, 5); $left > 0; $left--) {
            if ($this->take($key, 0.3, self::ttl()) === true) {
                usleep(mt_rand(0, 100));
                $this->release($key, confirm: false);
            }
        }
    }

    public function synchronized(): void
    {
        $key = $this->key();
        [$wait, $ttl] = [self::one(0.0, 0.1, 0.5), self::ttl()];
        $this->record->begin(0, 'take', [$key], [$wait * 1000, $ttl * 1000, RLock::POLICY_WAIT]);
        $inside = false;
        try {
            $locks = $this->record->owner(0);
            $locks->synchronized($key, function () use ($key, &$inside) {
                $inside = true;
                $this->record->end(0, [$key], 'true');
                usleep(mt_rand(0, 300));
                $this->record->begin(0, 'release', [$key], [0, 1]);
            }, $wait, $ttl);
            $result = 'true';
        } catch (RLock\NotAcquiredException) {
            $result = 'false';
        } catch (RLock\RLockException $e) {
            $result = Recorder::result($e);
        }
        $this->record->end(0, [$key], $result);
    }

    /* Keeps the key unavailable for a while after. */
    public function delayed(): void
    {
        $key = $this->coolKey();
        if ($this->take($key, 0.2, 1.0) === true) {
            $this->release($key, mt_rand(0, 1) > 0, self::one(0.01, 0.05));
        }
    }

    /* Puts a lock into the mailbox, for whoever looks first. */
    public function giveAway(): void
    {
        $key = $this->key();
        if ($this->take($key, 0.2, self::ttl(), share: false) !== true) {
            return;
        }
        $ttl = self::one(0.1, 0.5);
        $began = hrtime(true);
        $token = $this->record->call(0, 'hand-over', $key, [$ttl * 1000], fn (RLock $locks) => $locks->handOver($key, $ttl));
        if (!str_starts_with($token, 'rlock1:')) {
            $this->release($key); /* an exception: it may be ours still */
            return;
        }
        $this->post($key, $began + (int) ($ttl * 1e9), $token);
    }

    /* Works on with a lock whose token is in the mailbox: it may be taken over at any time. */
    public function lend(): void
    {
        if ($this->take(LENT, 0.2, 0.5, ask: true) !== true) {
            return;
        }
        if ($this->record->token !== null) {
            $this->post(LENT, hrtime(true) + 100_000_000, $this->record->token);
        }
        for ($left = mt_rand(1, 4); $left > 0; $left--) {
            usleep(mt_rand(0, 5_000));
            $this->check(LENT);
            $this->prolong(LENT, self::one(0.2, 0.5));
        }
        $this->release(LENT);
    }

    private function post(string $key, int $until, string $token): void
    {
        $letter = "$this->folder/mailbox/" . bin2hex(random_bytes(8));
        file_put_contents("$letter.new", implode("\n", [$key, $until, $token]));
        rename("$letter.new", "$letter.letter");
    }

    public function adopt(): bool
    {
        foreach (glob("$this->folder/mailbox/*.letter") as $letter) {
            $mine = $letter . getmypid();
            if (!@rename($letter, $mine)) {
                continue; /* somebody else was first */
            }
            [$key, $until, $token] = explode("\n", file_get_contents($mine));
            unlink($mine);
            $ttl = self::one(null, 0.3);
            $adopted = $this->record->call(1, 'adopt', $key, [$ttl * 1000, $until, Recorder::random($token)],
                fn (RLock $locks) => $locks->adopt($key, $token, $ttl));
            if ($adopted === true) {
                usleep(mt_rand(0, 300));
                $this->check($key, owner: 1);
                $this->release($key, owner: 1);
            }
            return true;
        }
        return false;
    }

    /* What is held, by whoever has it, or but one share. */
    public function breaking(): void
    {
        $break = function () {
            $fence = mt_rand(0, 1) ? $this->anyHolder(BROKEN)?->fence : null;
            [$fence, $this->formerFence] = [mt_rand(0, 1) ? $fence : $this->formerFence, $fence ?? $this->formerFence];
            $this->record->call(1, 'break', BROKEN, [(int) $fence], fn (RLock $locks) => $locks->breakLock(BROKEN, $fence));
        };
        if ($this->take(BROKEN, 0.2, self::ttl()) === true) {
            usleep(mt_rand(0, 10_000));
            mt_rand(0, 1) && $break();
            $this->release(BROKEN, mt_rand(0, 2) > 0);
        } else {
            $break();
        }
    }

    /* A lease shorter than what is done under it, which a thread keeps alive; told of a loss at once, or when it asks. */
    public function renewed(): void
    {
        [$renew, $interrupt, $maxHold] = [(bool) mt_rand(0, 3), (bool) mt_rand(0, 1), self::one(null, null, 0.4)];
        $maxHold = $renew ? $maxHold : null;
        $owner = $this->record->addOwner($this->newOwner(autoRenew: $renew, interrupt: $interrupt, maxHold: $maxHold), $interrupt);
        $renew && $this->record->renews($owner, $maxHold);
        $key = mt_rand(0, 9) ? $this->coolKey() : self::one(...HOT);
        try {
            if ($this->take($key, 0.3, self::one(0.2, 0.3, 0.6), owner: $owner) === true) {
                for ($left = mt_rand(1, 10); $left > 0; $left--) {
                    usleep(mt_rand(1_000, 50_000));
                    $this->check($key, $owner);
                    mt_rand(0, 5) || $this->prolong($key, self::one(0.2, 0.6), $owner);
                }
                $this->release($key, mt_rand(0, 3) > 0, owner: $owner);
            }
        } catch (RLock\TimeoutException $e) {
            $this->record->interrupted($owner, $e);
        }
        $this->endOwner($owner, $key);
    }

    /* Its end may be interrupted, too. */
    private function endOwner(int $owner, string $key): void
    {
        for (;;) {
            try {
                $this->close($owner, [$key]);
                return;
            } catch (RLock\TimeoutException $e) {
                $this->record->interrupted($owner, $e);
            }
        }
    }

    /* Its end gives back what it holds. */
    public function closing(): void
    {
        $owner = $this->record->addOwner($this->newOwner());
        $keys = [self::one(...HOT), $this->coolKey()];
        foreach ($keys as $key) {
            $this->take($key, 0.1, self::ttl(), owner: $owner);
        }
        usleep(mt_rand(0, 300));
        $this->close($owner, $keys);
    }

    /* A child has none of our locks, and its end gives none back. */
    public function fork(): void
    {
        $key = $this->coolKey();
        if (!function_exists('pcntl_fork') || $this->take($key, 0.1, 1.0, ask: true) !== true) {
            return;
        }
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $this->record->owner(0)->isLocking($key);
                $status = 1;
            } catch (RLock\RLockException $e) {
                $status = $e::class === RLock\RLockException::class ? 0 : 2;
            }
            exit($status);
        }
        $this->record->call(0, 'fork', $key, [], function () use ($child) {
            pcntl_waitpid($child, $status);
            return pcntl_wexitstatus($status) === 0;
        });
        $this->prolong($key, 1.0);
        $this->release($key);
    }

    /* One call for a detached lock, by any of our owners. */
    private function byName(string $operation, string $key, string $name, array $terms, callable $call): mixed
    {
        return $this->record->call(mt_rand(0, 1), "detached-$operation", $key, [...$terms, bin2hex($name)],
            fn (RLock $locks) => $call($locks->detached($key, $name)), ask: false);
    }

    private function takeByName(string $key, string $name): mixed
    {
        [$wait, $ttl] = [self::one(0.0, 0.01, 0.1, 0.5), self::ttl()];
        [$metadata, $limit] = [$this->record->nextName(), self::limit($key)];
        return $this->wantsShare($key)
            ? $this->byName('share', $key, $name, [$wait * 1000, $ttl * 1000, RLock::POLICY_WAIT, (int) $limit],
                fn (RLock\DetachedLock $lock) => $lock->getSharedLock($wait, $ttl, metadata: $metadata, limit: $limit))
            : $this->byName('take', $key, $name, [$wait * 1000, $ttl * 1000, RLock::POLICY_WAIT],
                fn (RLock\DetachedLock $lock) => $lock->getLock($wait, $ttl, metadata: $metadata));
    }

    private function useByName(string $key, string $name): void
    {
        $ttl = self::ttl();
        match (mt_rand(0, in_array($key, [...READ, ...POOLS], true) ? 6 : 5)) {
            6 => $this->byName('downgrade', $key, $name, [], fn (RLock\DetachedLock $lock) => $lock->downgrade()),
            0, 1 => $this->byName('prolong', $key, $name, [$ttl * 1000], fn (RLock\DetachedLock $lock) => $lock->prolongate($ttl)),
            2 => $this->byName('is-locking', $key, $name, [], fn (RLock\DetachedLock $lock) => $lock->isLocking()),
            3 => $this->byName('ttl', $key, $name, [], fn (RLock\DetachedLock $lock) => (int) ($lock->ttl() * 1000)),
            4 => $this->byName('fence', $key, $name, [], fn (RLock\DetachedLock $lock) => $lock->fence()),
            5 => $this->takeByName($key, $name),
        };
    }

    private function releaseByName(string $key, string $name): void
    {
        $delay = self::one(0.0, 0.0, 0.0, 0.02);
        $this->byName('release', $key, $name, [$delay * 1000], fn (RLock\DetachedLock $lock) => $lock->releaseLock($delay));
    }

    /* A job under a lock that belongs to its name. Now and then another worker releases it, or nobody. */
    public function detached(): void
    {
        [$key, $name] = [$this->key(), self::one(...NAMES)];
        if ($this->takeByName($key, $name) !== true) {
            return;
        }
        for ($left = mt_rand(0, 4); $left > 0; $left--) {
            usleep(mt_rand(0, 2_000));
            $this->useByName($key, $name);
        }
        mt_rand(0, 5) && $this->releaseByName($key, $name);
    }

    /* Says a name under which another worker may have a lock. */
    public function sayName(): void
    {
        [$key, $name] = [$this->key(), self::one(...NAMES)];
        $this->useByName($key, $name);
        mt_rand(0, 3) || $this->releaseByName($key, $name);
    }

    /* A client that knows nothing of us: it takes the same keys by SET NX PX, and deletes what it finds to be its own. */
    public function foreign(): void
    {
        $socket = "$this->folder/node-1/redis.sock";
        if (!in_array(file_get_contents("$this->folder/deployment"), ['single', 'tls'], true)) {
            return;
        }
        $key = $this->isShared() ? self::one(...READ, ...POOLS) : self::one(...HOT, ...COOL);
        $value = 'foreign ' . $this->record->nextName();
        $this->record->begin(0, 'foreign', [$key], []);
        try {
            $this->foreign ??= @new RawClient("unix://$socket");
            for ($left = 20, $taken = false; $left > 0 && !$taken; $left--) {
                usleep(mt_rand(0, 2000));
                $taken = ($this->foreign)('SET', "lock@$key", $value, 'NX', 'PX', self::one(20, 100, 300)) === 'OK';
            }
            if ($taken) {
                usleep(mt_rand(0, 2000));
                mt_rand(0, 9) && ($this->foreign)('EVAL', self::DELETE_OWN, 1, "lock@$key", $value);
            }
            $result = $taken ? 'true' : 'false';
        } catch (RuntimeException | TypeError) {
            $this->foreign = null; /* the server is away, or its memory is full */
            $result = 'failed';
            usleep(10_000);
        }
        $this->record->end(0, [$key], $result, false);
    }

    public function notHeld(): void
    {
        $key = $this->key();
        $this->release($key);
        $this->prolong($key, 1.0);
        $this->look($key);
    }

    /* What is still held is given back by the process's end. */
    public function quit(): never
    {
        $key = $this->coolKey();
        $this->take($key, 0.2, 3.0);
        $this->record->begin(0, 'quit', [], []);
        exit(0);
    }

    /* The end of the run: a last look at what may be in the mailbox, and nothing is left held. */
    public function end(): void
    {
        while ($this->adopt()) {
        }
        $this->close(0, []);
        $this->close(1, []);
    }
}

[, $servers, $replicas, $number, $folder, $end, $seed, $shared] = $argv;
mt_srand((int) $seed);
$servers = explode(' ', $servers);
$work = new Work(new Recorder("$folder/worker-$number", (int) $number), count($servers) === 1 ? $servers[0] : $servers,
    (int) $replicas, $folder, count($servers) === 1 ? (int) $shared : 0); /* a majority has no shares */
/* How often each is done, of so many. */
$shares = [
    'section' => 250, 'renewals' => 130, 'again' => 30, 'nested' => 40, 'late' => 40, 'rivals' => 20, 'several' => 25,
    'synchronized' => 20, 'delayed' => 10, 'giveAway' => 12, 'adopt' => 60, 'lend' => 10, 'breaking' => 10, 'steps' => 60,
    'changing' => 40, 'renewed' => 10, 'closing' => 10, 'fork' => 2, 'notHeld' => 5, 'quit' => 1, 'foreign' => 30, 'detached' => 60, 'sayName' => 40,
];
if (count($servers) > 1) {
    unset($shares['giveAway'], $shares['lend'], $shares['adopt']); /* nor does a lock change hands by a token */
}
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
