<?php
/*
 * One random sequence of calls: sequence.php SEED FOLDER SOCKET...
 *
 * FOLDER gets `trace`, a line for each step before it is done; `complaints`, what no call may do; and `end`, how the
 * script was about to end. The rest is for fuzz.php to see: the exit status, the output, what is left on the servers at
 * SOCKET..., the first of which is used alone, too.
 */
declare(strict_types=1);

require __DIR__ . '/../server.inc';
require __DIR__ . '/dice.php';
require __DIR__ . '/calls.php';

/* Where objects live beside the sequence itself: until PHP's own end. */
final class Kept
{
    public static array $all = [];
    public static ?WeakMap $map = null;
    public mixed $lock = null;
    public mixed $self = null;
}

/* Does something when it is destroyed, be it in the middle of an object's own end. */
final class Last
{
    public function __construct(private Dice $dice, private ?WeakReference $reference, private ?RLock $lock = null)
    {
    }

    public function __destruct()
    {
        Sequence::$it->step_of('destructor', $this->dice, $this->lock ?? $this->reference?->get());
    }
}

/* A strategy that misbehaves now and then. */
final class Strategy implements RLock\RetryStrategy
{
    public mixed $lock = null;
    public ?Last $last = null;

    public function __construct(private Dice $dice)
    {
    }

    public function nextBackoff(int $attempt): ?float
    {
        if ($attempt > 20 || $this->dice->chance(20)) {
            return null;
        }
        if ($this->dice->chance(40)) {
            Sequence::$it->step_of('strategy', $this->dice, $this->lock instanceof WeakReference ? $this->lock->get() : $this->lock);
        }
        return $this->dice->pick([0.0, 0.001, 0.02, INF]);
    }
}

/* Sessions are written after the script's objects have got their end. */
final class Session implements SessionHandlerInterface
{
    public function __construct(private Dice $dice, private ?RLock $lock, private ?WeakReference $reference)
    {
    }

    public function open(string $path, string $name): bool { return true; }
    public function read(string $id): string { return ''; }
    public function destroy(string $id): bool { return true; }
    public function gc(int $max): int { return 0; }
    public function close(): bool { return $this->write('', ''); }

    public function write(string $id, string $data): bool
    {
        Sequence::$it->late = true;
        Sequence::$it->step_of('session', $this->dice, $this->lock ?? $this->reference?->get());
        return true;
    }
}

final class Sequence
{
    public static ?self $it = null;
    public bool $interrupts = false, $majorities = false;
    public bool $late = false; // PHP calls no destructor any more of what is made now
    private const DEEPEST = 4;
    private Dice $dice;
    private int $process, $depth = 0, $handled = 0;
    private bool $short = false;
    private readonly bool $calm;
    /** @var array<int, RLock> */
    private array $locks = [];
    /** @var array<int, RLock\DetachedLock> */
    private array $detached = [];
    /** @var array<int, RLock\Pending> */
    private array $pending = [];
    /** @var list<Fiber> */
    private array $fibers = [];
    /** @var array<string, string> */
    private array $tokens = [];
    private array $fences = [];
    private ?WeakReference $reference = null;
    private mixed $trace, $shell = null;

    public function __construct(int $seed, private string $folder, private array $sockets)
    {
        self::$it = $this;
        Kept::$map = new WeakMap();
        $this->dice = new Dice($seed);
        $this->calm = self::is_calm($seed);
        $this->process = getmypid();
        $this->trace = fopen("$folder/trace", 'a');
        ini_set('rlock.servers', "unix://$sockets[0]?timeout=5");
        ini_set('rlock.ttl', $this->dice->pick(['0.1', '0.5', '60']));
        ini_set('rlock.persistent', $this->dice->pick(['0', '1']));
        ini_set('fiber.stack_size', $this->dice->pick(['64K', '256K', '2M']));
        set_error_handler($this->hear(...));
        if (function_exists('pcntl_signal')) {
            pcntl_async_signals(true);
            pcntl_signal(SIGURG, fn () => $this->on_signal());
            $this->shell = popen('exec setpriv --pdeathsig KILL sh 2>/dev/null', 'w');
        }
    }

    /* No interrupts: the engine leaks what the instruction that was to come next would have used. */
    public static function is_calm(int $seed): bool
    {
        return $seed % 2 === 0;
    }

    public function trace(string $line): void
    {
        fwrite($this->trace, getmypid() . str_repeat('  ', $this->depth) . " $line\n");
    }

    public function complain(string $what, ?Throwable $e = null): void
    {
        $this->trace("COMPLAINT: $what");
        file_put_contents("$this->folder/complaints", $what . ($e ? ": $e" : '') . "\n", FILE_APPEND);
    }

    /* Warnings of RLock at an object's end are no news; sometimes the script throws them. */
    private function hear(int $level, string $message): bool
    {
        if (str_starts_with($message, 'RLock:')) {
            $this->handled++ % 7 !== 3 || throw new Thrown('an error handler');
            return true;
        }
        return false;
    }

    /* --- the steps --- */

    public function run(): void
    {
        for ($left = 20 + $this->dice->roll(80); $left > 0; $left--) {
            $this->depth = 0; // a fiber that was destroyed may have left its own
            $this->guarded(fn () => $this->step($this->dice));
        }
    }

    /* What the script's own code may throw anywhere ends a step, not the sequence. */
    private function guarded(callable $step): void
    {
        try {
            $step();
        } catch (Throwable $e) {
            Calls::is_stray($e) || $this->complain('a step threw', $e);
        }
    }

    private function step(Dice $dice): void
    {
        $what = $dice->weigh(['call' => 60, 'call_detached' => 10, 'call_pending' => 30, 'make' => 14, 'drop' => 6, 'fiber' => 6, 'resume' => 10, 'signal' => 6, 'forever' => 1,
            'fork' => 1, 'harm' => 4, 'hide' => 4, 'collect' => 2, 'odd' => 2, 'idle' => 1]);
        $this->{$what}($dice);
    }

    /* In a handler, strategy, closure, destructor or session: something, with $lock if it is still there. */
    public function step_of(string $whose, Dice $dice, ?RLock $lock): void
    {
        if ($this->depth >= self::DEEPEST) {
            return;
        }
        $depth = $this->depth++;
        try {
            $what = $dice->weigh(['nothing' => 3, 'it' => 8, 'step' => 6, 'throw' => 4, 'close' => 2, 'keep' => 3, 'suspend' => 5, 'forget' => 2]);
            $this->trace("$whose: $what");
            match ($what) {
                'nothing' => null,
                'it' => $lock ? $this->call_on($lock, $dice) : null,
                'step' => $this->step($dice),
                'throw' => throw new Thrown("a $whose"),
                'close' => $lock ? Calls::make($lock, 'close', [], false) : null,
                'keep' => Kept::$all[] = $lock,
                'suspend' => $this->suspend(),
                'forget' => $this->locks = [],
            };
        } finally {
            $this->depth = $depth;
        }
    }

    public function critical(RLock\Lease $lease): mixed
    {
        $this->tokens[$lease->key] = $lease->token;
        $this->step_of('closure', $this->dice->another(), null);
        return $lease;
    }

    public function token(string $key): string
    {
        return $this->tokens[$key] ?? 'no token';
    }

    public function fence(string $key): ?int
    {
        return $this->fences[$key] ?? null;
    }

    private function make(Dice $dice): void
    {
        $deployment = $dice->weigh(['ini' => 4, 'one' => 8, 'majority' => 3, 'nowhere' => 1, 'bad' => 1]);
        $urls = array_map(fn ($socket) => "unix://$socket?timeout=5&persistent=" . $dice->roll(2), $this->sockets);
        $strategy = $dice->chance(40) ? new Strategy($dice->another()) : null;
        $retry = $strategy ?? $dice->pick([null, null, RLock\Retry::none(), RLock\Retry::linear(0.01), RLock\Retry::exponential(0.001, 0.05)->limit(4)]);
        $bad = $deployment === 'bad';
        $arguments = [
            'servers' => match ($deployment) {
                'ini' => null,
                'one' => $urls[0],
                'majority' => $urls,
                'nowhere' => $dice->pick(['unix:///nonexistent/sock', 'redis://127.0.0.1:1?connect_timeout=0.05']),
                'bad' => $dice->pick(['', 'bogus://x', [], ['redis://a', 'redis://a'], ['redis://a', 5], 'redis://h:99999', 7, "redis://\0"]),
            },
            'prefix' => $dice->pick([null, '', 'p:', '{p}']),
            'ttl' => $dice->chance(50) ? null : Calls::lease($dice, $this->short),
            'autoRenew' => $renew = $dice->chance(30),
            'interrupt' => $dice->chance(20) && !$this->calm,
            'maxHold' => $renew ? $dice->pick([null, null, 0.05, 1.0]) : null,
            'retry' => $retry,
        ];
        if (!$bad && $dice->chance(5)) {
            $bad = true;
            $arguments = [...$arguments, ...$dice->pick([['ttl' => 0.0], ['ttl' => NAN], ['maxHold' => -1.0], ['replicas' => -1], ['prefix' => 7],
                ['retry' => new stdClass()], ['autoRenew' => 'yes']])];
        }
        $this->interrupts = $this->interrupts || $arguments['interrupt'];
        $this->majorities = $this->majorities || $deployment === 'majority';
        $place = $dice->roll(5);
        $this->trace("\$$place = new RLock($deployment" . ($bad ? ', bad' : '') . ($strategy ? ', a strategy' : '')
            . ($arguments['autoRenew'] === true ? ', autoRenew' : '') . ($arguments['interrupt'] ? ', interrupt' : '') . ')');
        $lock = Calls::make(null, '__construct', $arguments, $bad);
        if (!$lock) {
            return;
        }
        $this->reference = WeakReference::create($lock);
        if ($strategy) {
            $strategy->lock = $dice->pick([null, $lock, $this->reference]);
            $strategy->last = $dice->chance(30) && !$this->late ? new Last($dice->another(), $this->reference) : null;
        }
        if ($dice->chance(15) && !$this->late) {
            Kept::$map[$lock] = new Last($dice->another(), $this->reference);
        }
        $this->locks[$place] = $lock;
    }

    private function call(Dice $dice): void
    {
        if ($this->locks === []) {
            $this->make($dice);
        } else {
            $this->call_on($dice->pick($this->locks), $dice);
        }
    }

    private function call_on(RLock $lock, Dice $dice): void
    {
        [$method, $arguments, $bad] = Calls::random($dice, $this->short);
        $this->trace(array_search($lock, $this->locks, true) . "->$method(" . self::shown($arguments) . ')' . ($bad ? ' bad' : ''));
        $result = Calls::make($lock, $method, $arguments, $bad);
        if ($result instanceof RLock\Lease) {
            $this->tokens[$result->key] = $result->token;
            $this->fences[$result->key] = $result->fence;
        } elseif ($method === 'sharers' && is_array($result) && $result !== []) {
            $this->fences[$arguments['key']] = $dice->pick($result)->fence;
        } elseif ($method === 'handOver' && is_string($result)) {
            $this->tokens[$arguments['key']] = $result;
        } elseif ($result instanceof RLock\DetachedLock) {
            $this->detached[$dice->roll(3)] = $result;
        } elseif ($result instanceof RLock\Pending) {
            $this->pending[$dice->roll(6)] = $result;
        }
    }

    private function call_detached(Dice $dice): void
    {
        if ($this->detached === []) {
            return;
        }
        $place = $dice->pick(array_keys($this->detached));
        [$method, $arguments, $bad] = Calls::random_detached($dice);
        $this->trace("detached $place->$method(" . self::shown($arguments) . ')' . ($bad ? ' bad' : ''));
        Calls::make($this->detached[$place], $method, $arguments, $bad);
    }

    /* What it says at last it says for good. */
    private function call_pending(Dice $dice): void
    {
        if ($this->pending === []) {
            return;
        }
        $place = $dice->pick(array_keys($this->pending));
        $pending = $this->pending[$place];
        $method = Calls::random_pending($dice);
        $this->trace("pending $place->$method()");
        $result = Calls::make($pending, $method, [], false);
        if ($method === 'stream' && is_resource($result) && $dice->chance(50)) {
            $streams = [$result];
            $none = null;
            @stream_select($streams, $none, $none, 0, 20000); // a signal ends it with a warning
        } elseif ($method === 'poll' && is_bool($result) && $pending->poll() !== $result) {
            $this->complain('poll() has changed its mind');
        } elseif ($dice->chance(10)) {
            unset($this->pending[$place]);
        }
    }

    private static function shown(array $arguments): string
    {
        unset($arguments['critical'], $arguments['token']);
        return implode(', ', array_map(fn ($name, $value) => "$name: " . substr(var_export($value, true), 0, 60), array_keys($arguments), $arguments));
    }

    private function drop(Dice $dice): void
    {
        if ($this->locks !== []) {
            $place = $dice->pick(array_keys($this->locks));
            $this->trace("unset \$$place");
            unset($this->locks[$place]);
        }
    }

    /* Out of the sequence's sight: in a ring, in a static property, in a closure. */
    private function hide(Dice $dice): void
    {
        if ($this->locks === []) {
            return;
        }
        $where = $dice->pick(['ring', 'static', 'closure', 'emptied', ...($this->late ? [] : ['last'])]);
        $this->trace("hide: $where");
        $kept = new Kept();
        $kept->lock = $dice->pick($this->locks);
        match ($where) {
            'ring' => $kept->self = $kept,
            'static' => Kept::$all[] = $kept,
            'closure' => Kept::$all[] = fn () => $kept,
            'last' => $kept->self = [$kept, new Last($dice->another(), null, $kept->lock)],
            'emptied' => Kept::$all = [],
        };
    }

    private function collect(Dice $dice): void
    {
        $this->trace('collect');
        gc_collect_cycles();
    }

    private function idle(Dice $dice): void
    {
        usleep(1000 * $dice->roll(60));
    }

    /* What the engine does with objects in other ways than by calls. */
    private function odd(Dice $dice): void
    {
        $what = $dice->pick(['clone', 'serialize', 'property', 'twice', 'unconstructed', 'shown', 'compared', 'unknown', 'named']);
        $this->trace("odd: $what");
        $lock = $this->locks === [] ? new RLock() : $dice->pick($this->locks);
        try {
            match ($what) {
                'clone' => clone $lock,
                'serialize' => serialize($lock),
                'property' => $lock->x = 1,
                'twice' => $lock->__construct(),
                'unconstructed' => (new ReflectionClass(RLock::class))->newInstanceWithoutConstructor()->getLock('a'),
                'shown' => print_r($lock, true) . json_encode($lock) . count((array) $lock) . var_export($lock, true),
                'compared' => $lock == new RLock() && $lock < $lock,
                'unknown' => $lock->{'noSuchMethod'}(),
                'named' => $lock->getLock(noSuchArgument: 1),
            };
        } catch (Throwable $e) {
            if (!Calls::is_stray($e) && (in_array($what, ['shown', 'compared'], true)
                || !in_array($e::class, [Error::class, Exception::class, RLock\RLockException::class, ReflectionException::class], true))) {
                $this->complain("odd, $what, threw", $e);
            }
        }
    }

    /* --- fibers --- */

    private function fiber(Dice $dice): void
    {
        $its = $dice->another();
        $this->trace('a new fiber');
        $fiber = new Fiber(function () use ($its) {
            for ($left = $its->roll(8); $left > 0; $left--) {
                $this->guarded(function () use ($its) {
                    $this->step($its);
                    $its->chance(50) && $this->suspend();
                });
            }
        });
        $this->fibers[] = $fiber;
        $this->switching(fn () => $fiber->start());
    }

    /* Only one that can be: a handler of signals, for one, must not switch fibers. */
    private function switching(callable $switch): void
    {
        $depth = $this->depth;
        try {
            $switch();
        } catch (FiberError $e) {
            $this->trace($e->getMessage());
        } finally {
            $this->depth = $depth;
        }
    }

    private function suspend(): void
    {
        if (Fiber::getCurrent()) {
            $this->switching(fn () => Fiber::suspend());
        }
    }

    private function resume(Dice $dice): void
    {
        if ($this->fibers === []) {
            return;
        }
        $place = $dice->pick(array_keys($this->fibers));
        $fiber = $this->fibers[$place];
        $how = $dice->weigh(['resume' => 8, 'throw' => 1, 'destroy' => 1]);
        if ($how === 'destroy' || $fiber->isTerminated()) {
            $this->trace("fiber $place: destroy");
            unset($this->fibers[$place]);
        } elseif ($fiber->isSuspended()) {
            $this->trace("fiber $place: $how");
            $this->switching(fn () => $how === 'resume' ? $fiber->resume() : $fiber->throw(new Thrown('into a fiber')));
        }
    }

    /* --- signals, forks, harm --- */

    /* SIGURG: one that comes when PHP no longer handles it does no harm. */
    private function signal(Dice $dice): void
    {
        if ($this->shell) {
            $pause = $dice->pick(['0.001', '0.01', '0.05', '0.1']);
            $this->trace("a signal in $pause s");
            fwrite($this->shell, "(sleep $pause; kill -URG " . getmypid() . ") &\n");
        }
    }

    private function on_signal(): void
    {
        if (self::is_in_wait()) {
            $this->step_of('signal handler', new Dice(++$this->handled), $this->reference?->get());
        }
    }

    /* What a signal handler throws elsewhere, the engine does not survive where an argument is about to be passed. */
    private static function is_in_wait(): bool
    {
        $frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 4); // this one, its caller, the handler
        return in_array($frames[3]['class'] ?? '', ['RLock', RLock\NamedLock::class], true);
    }

    /* Without an end, but for a handler that throws. */
    private function forever(Dice $dice): void
    {
        if (!$this->shell || $this->depth > 0 || Fiber::getCurrent()) {
            return;
        }
        $this->trace('a wait without an end');
        $former = pcntl_signal_get_handler(SIGURG);
        pcntl_signal(SIGURG, fn () => $this->end_wait());
        fwrite($this->shell, 'me=' . getmypid() . "; (n=0; while [ \$n -lt 40 ]; do sleep 0.05; kill -URG \$me || break; n=\$((n + 1)); done) &\n");
        $holder = new RLock();
        try {
            $held = $holder->getLock('forever', ttl: 60.0);
            Calls::make(new RLock(), 'getLock', ['key' => 'forever', 'wait' => INF], false);
        } finally {
            pcntl_signal(SIGURG, $former);
        }
    }

    private function end_wait(): void
    {
        !self::is_in_wait() || throw new Thrown('the end of a wait');
    }

    /* The child uses what it inherited, and ends in one of the ways there are. */
    private function fork(Dice $dice): void
    {
        if (!$this->shell || $this->process !== getmypid()) {
            return;
        }
        $end = $dice->pick(['exit', 'kill']);
        $this->trace("a fork, ends by $end");
        $child = pcntl_fork();
        if ($child === 0) {
            $this->live_as_child($dice->another(), $end);
        }
        do {
            $ended = false;
            $this->guarded(function () use ($child, &$ended, &$status) {
                $ended = pcntl_waitpid($child, $status) === $child || pcntl_get_last_error() === PCNTL_ECHILD;
            });
        } while (!$ended);
        $ended = match (true) {
            $status === null => 'unseen',
            pcntl_wifsignaled($status) => 'signal ' . pcntl_wtermsig($status),
            default => 'status ' . pcntl_wexitstatus($status),
        };
        // What a destructor throws at the very end is uncaught, and another signal may keep a child from killing itself.
        if (!in_array($ended, ['status 0', 'status 255', ...($end === 'kill' ? ['signal 9'] : [])], true)) {
            $this->complain("a child that was to end by $end ended with $ended");
        }
    }

    private function live_as_child(Dice $dice, string $end): never
    {
        $this->short = $end === 'kill'; // what it leaves is waited for
        $short_alone = $this->short ? ['call'] : ['call', 'make', 'drop', 'collect'];
        if ($this->short) {
            $this->locks = array_slice($this->locks, 0, 2);
        }
        for ($left = $dice->roll(8); $left > 0; $left--) {
            $this->guarded(fn () => $this->{$dice->pick($short_alone)}($dice));
        }
        if ($end === 'kill') {
            send_signal(getmypid(), 'KILL');
        }
        exit(0);
    }

    /* To the servers, as others may do it. */
    private function harm(Dice $dice): void
    {
        $key = $dice->pick(['lock@', 'p:', '{p}', '']) . $dice->pick(Calls::KEYS);
        $what = $dice->weigh(['DEL' => 4, 'SET' => 3, 'LPUSH' => 1, 'SCRIPT' => 2, 'KILL' => 2, 'PAUSE' => 1, 'FLUSHALL' => 1]);
        $this->trace("harm: $what $key");
        $client = new RawClient("unix://{$dice->pick($this->sockets)}"); // not one that a handler uses, too
        match ($what) {
            'DEL' => $client('DEL', $key),
            'SET' => $client('SET', $key, 'foreign', 'PX', 100),
            'LPUSH' => $client('EVAL', 'redis.pcall("LPUSH", KEYS[1], "x") return redis.call("PEXPIRE", KEYS[1], 100)', 1, $key),
            // With a majority the end of an object does not wait for the last node's answer, and so neither for a NOSCRIPT nor
            // for a connection that is closed before its release has been read, as a server that is paused does not.
            'SCRIPT' => $this->majorities || $client('SCRIPT', 'FLUSH'),
            'KILL' => $this->majorities || $client('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
            'PAUSE' => $this->majorities || $client('CLIENT', 'PAUSE', 30),
            'FLUSHALL' => $client('FLUSHALL'),
        };
    }

    /* --- the end --- */

    public function end(): void
    {
        $dice = $this->dice;
        $lock = $this->locks === [] ? null : $dice->pick($this->locks);
        if ($dice->chance(30)) {
            $its = $dice->another();
            register_shutdown_function(fn () => $this->step_of('shutdown function', $its, $lock));
        }
        if ($dice->chance(40) && function_exists('session_start') && !headers_sent()) {
            session_set_save_handler(new Session($dice->another(), $dice->chance(50) ? $lock : null, $lock ? WeakReference::create($lock) : null), false);
            session_start(['use_cookies' => 0, 'cache_limiter' => '']);
            $_SESSION['value'] = 1;
        }
        if ($dice->chance(50)) {
            $this->fibers = [];
        }
        if ($dice->chance(50)) {
            Kept::$all = [];
        }
        $end = $dice->weigh(['return' => 5, 'unset' => 5, 'exit' => 3, 'exit in a fiber' => 2, 'uncaught' => 2, 'fatal' => 2, 'memory' => 1,
            'fatal in a fiber' => 1]);
        $this->trace("the end: $end");
        file_put_contents("$this->folder/end", $end);
        match ($end) {
            'return' => null,
            'unset' => [$this->locks, $this->detached, $this->pending, $this->fibers, Kept::$all] = [[], [], [], [], []],
            'exit' => exit(0),
            'exit in a fiber' => (new Fiber(fn () => exit(0)))->start(),
            'uncaught' => throw new Thrown('at the end'),
            'fatal' => eval('class Incomplete implements Iterator {}'),
            'memory' => str_repeat('x', 1 << 30),
            'fatal in a fiber' => (new Fiber(fn () => eval('class Incomplete implements Iterator {}')))->start(),
        };
    }
}

[, $seed, $folder] = $argv;
ini_set('memory_limit', '256M');
$sequence = new Sequence((int) $seed, $folder, array_slice($argv, 3));
$sequence->run();
$sequence->end();
unset($sequence);
