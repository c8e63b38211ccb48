<?php
/*
 * An application with processes of its own: php -d extension=rlock.so check.php APP
 *
 * APP is a folder in which composer has installed rlock/laravel and laravel/framework; the application is copied into it.
 * The last line is `N passed, N failed, 0 skipped`.
 */

declare(strict_types=1);

use App\Bill;
use App\Publish;
use App\Refresh;
use App\Report;
use Illuminate\Bus\UniqueLock;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Contracts\Console\Kernel;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use Illuminate\Support\Carbon;
use Illuminate\Support\Defer\DeferredCallbackCollection;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Queue;
use RLock\Laravel\RLockLock;
use RLock\Laravel\RLockStore;
use RLock\Laravel\Tests\RedisServer;

require dirname(__DIR__) . '/RedisServer.php';

const PATIENCE = 60.0;

$results = ['passed' => 0, 'failed' => 0];

function check(string $what, bool $holds, mixed $seen = null): void
{
    global $results;
    $results[$holds ? 'passed' : 'failed']++;
    echo $holds ? 'ok      ' : 'FAILED  ', $what, $holds ? '' : ': ' . json_encode($seen), "\n";
}

function await(string $what, callable $happened): void
{
    for ($end = microtime(true) + PATIENCE; !$happened(); usleep(5000)) {
        if (microtime(true) > $end) {
            throw new RuntimeException("This did not come: $what");
        }
    }
}

// The application, in this process and in others.

$app = $argv[1];
$here = __DIR__;
exec('cp -r ' . implode(' ', array_map(fn (string $part) => escapeshellarg("$here/$part"), ['artisan', 'app', 'bootstrap', 'routes', 'public']))
    . ' ' . escapeshellarg($app));
foreach (['bootstrap/cache', 'storage/framework/sessions', 'storage/framework/cache', 'storage/framework/views', 'storage/logs', 'ini', 'notes'] as $folder) {
    is_dir("$app/$folder") || mkdir("$app/$folder", recursive: true);
}
file_put_contents("$app/ini/rlock.ini", 'extension=' . getenv('RLOCK_SO') . "\n");
$server = new RedisServer();
$settings = [
    'PHP_INI_SCAN_DIR' => ':' . "$app/ini",
    'NOTES' => "$app/notes/all",
    'APP_KEY' => 'base64:' . base64_encode(random_bytes(32)),
    'APP_ENV' => 'production',
    'CACHE_STORE' => 'rlock',
    'QUEUE_CONNECTION' => 'redis',
    'QUEUE_FAILED_DRIVER' => 'null',
    'SESSION_DRIVER' => 'file',
    'SESSION_COOKIE' => 'session',
    'LOG_CHANNEL' => 'single',
    'REDIS_HOST' => $server->socket,
    'REDIS_PORT' => '0',
];
array_walk($settings, fn (string $value, string $name) => putenv("$name=$value"));
touch(getenv('NOTES'));

require "$app/vendor/autoload.php";
$laravel = require "$app/bootstrap/app.php";
$laravel->make(Kernel::class)->bootstrap();

/** @return list<string> */
function notes(string $of = ''): array
{
    return array_values(array_filter(file(getenv('NOTES'), FILE_IGNORE_NEW_LINES), fn ($line) => str_starts_with($line, $of)));
}

/** A process of ours: artisan with these arguments. */
final class Process
{
    public readonly int $pid;
    /** @var resource */ private $process;
    /** @var resource */ private $output;
    private ?int $status = null;

    /** @param list<string> $command @param array<string, string> $settings */
    public function __construct(array $command, array $settings = [])
    {
        global $app;
        $this->output = tmpfile();
        $this->process = proc_open(
            ['setpriv', '--pdeathsig', 'KILL', PHP_BINARY, ...$command],
            [['file', '/dev/null', 'r'], $this->output, $this->output],
            $pipes,
            $app,
            $settings + getenv(),
        );
        $this->pid = proc_get_status($this->process)['pid'];
    }

    /** Its exit status. */
    public function wait(): int
    {
        await('its end', fn () => $this->ended());
        return $this->status;
    }

    public function ended(): bool
    {
        $now = proc_get_status($this->process);
        if (!$now['running']) {
            $this->status ??= $now['exitcode']; // told once
        }
        return !$now['running'];
    }

    public function output(): string
    {
        rewind($this->output);
        return stream_get_contents($this->output);
    }

    public function kill(): void
    {
        posix_kill($this->pid, SIGKILL);
        $this->wait();
    }
}

/** @param array<string, string> $settings */
function artisan(string $command, array $settings = []): Process
{
    return new Process(['artisan', ...explode(' ', $command)], $settings);
}

function go_on(string $name): void
{
    touch(dirname(getenv('NOTES')) . "/$name.go");
}

check('the package is discovered', Cache::store()->getStore() instanceof RLockStore && Cache::lock('a') instanceof RLockLock);

// Jobs.

function work_once(): string
{
    $worker = artisan('queue:work --once');
    $worker->wait();
    return $worker->output();
}

Report::dispatch('unique');
Report::dispatch('unique');
check('a unique job is queued once', Queue::size() === 1, Queue::size());
go_on('unique');
work_once();
check('and done', notes('unique') === ['unique begins', 'unique ends'], notes());
Report::dispatch('unique');
check('and then queued again', Queue::size() === 1, Queue::size());
work_once();

const UNIQUE_FOR = 8;
const EXPIRES_AFTER = 4;
const GRACE = 5.0; // for a busy machine
$job = new Report('killed', UNIQUE_FOR, EXPIRES_AFTER);
$dispatched = microtime(true);
dispatch($job);
$worker = artisan('queue:work --once');
await('the job', fn () => notes('killed') === ['killed begins']);
$begun = microtime(true);
$worker->kill();
$unique = Cache::lock(UniqueLock::getKey($job), 1);
$overlapping = Cache::lock((new WithoutOverlapping('killed'))->getLockKey($job), 1);
check('a killed worker leaves its locks', $unique->isLocked() && $overlapping->isLocked());
dispatch($job);
check('its unique job is not queued again meanwhile', Queue::size() === 1, Queue::size()); // the one that was begun
$overlapping->block(30);
$overlapping->release();
$waited = microtime(true) - $begun;
check('its overlapping ends with the lease', $waited > EXPIRES_AFTER - 1.0 && $waited < EXPIRES_AFTER + GRACE, $waited);
$unique->block(30);
$unique->release();
$waited = microtime(true) - $dispatched;
check('its uniqueness ends with the lease', $waited > UNIQUE_FOR - 1.0 && $waited < UNIQUE_FOR + GRACE, $waited);
dispatch($job);
go_on('killed');
work_once();
check('then the job is done', notes('killed') === ['killed begins', 'killed begins', 'killed ends'], notes('killed'));

// Jobs that are unique until they are begun, and do not overlap: one waits, one is at work.

const PAGES = 'pages'; // their queue: what a killed worker had begun comes back into the other one

function refresh(string $page, string $name, bool $fails = false, int $expires_after = 60, string $queue = PAGES): Refresh
{
    $job = (new Refresh($page, $name, $fails, $expires_after))->onQueue($queue);
    dispatch($job);
    return $job;
}

function begin(string $name): Process
{
    $worker = artisan('queue:work --once --queue=' . PAGES);
    await($name, fn () => notes($name) === ["$name begins"]);
    return $worker;
}

function refresh_once(string $queue = PAGES): void
{
    artisan("queue:work --once --queue=$queue")->wait();
}

refresh('page', 'first');
$worker = begin('first');
refresh('page', 'second');
check('while one is at work, another may wait', Queue::size(PAGES) === 2, Queue::size(PAGES));
refresh('page', 'third');
check('and no third', Queue::size(PAGES) === 2, Queue::size(PAGES));
go_on('second');
refresh_once();
check('which does not overlap', notes('second') === [], notes('second'));
refresh('page', 'third');
check('and waits on, as the only one', Queue::size(PAGES) === 2, Queue::size(PAGES));
go_on('first');
$worker->wait();
refresh_once();
check('it is not lost', notes('second') === ['second begins', 'second ends'], notes('second'));
refresh('page', 'third');
go_on('third');
refresh_once();
check('nor does it keep others out', notes('third') === ['third begins', 'third ends'] && Queue::size(PAGES) === 0, notes('third'));

/* A second try has no unique lock, since that ended when the first one began. */
refresh('feed', 'tried', fails: true);
$worker = begin('tried');
$waiting = refresh('feed', 'waiting', queue: 'later');
go_on('tried');
$worker->wait();
check('a job that failed is tried again', Queue::size(PAGES) === 1, Queue::size(PAGES));
refresh_once();
check('and done', notes('tried') === ['tried begins', 'tried ends', 'tried begins', 'tried ends'] && Queue::size(PAGES) === 0, notes('tried'));
check('its second try leaves the lock of the one that waits', Cache::lock(UniqueLock::getKey($waiting), 1)->isLocked());
go_on('waiting');
refresh_once('later');
check('which is done, once', notes('waiting') === ['waiting begins', 'waiting ends'] && Queue::size('later') === 0, notes('waiting'));

$late = refresh('map', 'late', expires_after: 2);
$overlapping = Cache::lock((new WithoutOverlapping('map'))->getLockKey($late), 1);
$worker = begin('late');
$overlapping->block(30);
$overlapping->release();
refresh('map', 'punctual');
$punctual = begin('punctual');
go_on('late');
$worker->wait();
check("a late job's end frees nobody else's lock", notes('late') === ['late begins', 'late ends'] && $overlapping->isLocked(), notes('late'));
refresh('map', 'last');
go_on('last');
refresh_once();
check('and lets nobody in', notes('last') === [], notes('last'));
go_on('punctual');
$punctual->wait();
refresh_once();
check('who is done afterwards', notes('last') === ['last begins', 'last ends'] && Queue::size(PAGES) === 0, notes('last'));

$lock = Cache::lock('publish', 60);
check('a lock is taken here', $lock->get());
dispatch(new Publish($lock->owner()));
work_once();
check('and released by a job', notes('publish') === ['publish: [true,true,true]'] && !$lock->isLocked(), notes('publish'));

// The scheduler, and commands.

$run = fn (string $time): Process => artisan('schedule:run', ['NOW' => "2026-01-01 $time:00"]);
$servers = array_map(fn (): Process => $run('03:00'), range(1, 3));
$busy = fn (): array => array_values(array_filter($servers, fn (Process $server) => !$server->ended()));
await('all but one', fn () => notes('long') !== [] && count($busy()) === 1);
check('onOneServer: once on three servers', notes('nightly') === ['nightly'], notes('nightly'));
check('withoutOverlapping: one at a time', notes('long') === ['long begins'], notes('long'));
$run('03:01')->wait();
check('a minute later once more', notes('nightly') === ['nightly', 'nightly'], notes('nightly'));
check('and still one at a time', notes('long') === ['long begins'], notes('long'));
go_on('long');
$busy()[0]->wait();
$run('03:02')->wait();
check('and the next when it has ended', notes('long') === ['long begins', 'long ends', 'long begins', 'long ends'], notes('long'));

const WEDGED_FOR = 3.0; // as routes/console.php has it, in minutes
$begun = microtime(true);
$wedged = artisan('schedule:run', ['NOW' => '2026-01-01 04:00:00', 'WEDGED' => '1']);
await('what wedges', fn () => notes('wedged begins') !== []);
$wedged->kill();
posix_kill((int) substr(notes('wedged: ')[0], strlen('wedged: ')), SIGKILL);
$again = fn (): Process => artisan('schedule:run', ['NOW' => '2026-01-01 04:01:00', 'WEDGED' => '1']);
go_on('wedged');
await('the lease', fn () => $again()->wait() === 0 && count(notes('wedged begins')) === 2);
$waited = microtime(true) - $begun;
check('a schedule that was killed runs again after its lease', notes('wedged ends') === ['wedged ends'] && $waited > WEDGED_FOR - 1.0, $waited);

$first = artisan('rebuild --isolated=12');
await('the first', fn () => notes('rebuild') === ['rebuild begins']);
$second = artisan('rebuild --isolated=12')->wait();
go_on('rebuild');
check('an isolated command runs once at a time', [$first->wait(), $second] === [0, 12], [$first->wait(), $second]);
check('and then again', artisan('rebuild --isolated=12')->wait() === 0);

// Killed in the middle: others wait for a lease, and not for the time that the lock may be held at most.

const LEASE = 3;
const ALIVE = ['LEASE' => LEASE . ''];
$logged = fn (string $line): array => preg_grep($line, file("$app/storage/logs/laravel.log") ?: []) ?: [];
$isRenewed = function (string $name): bool { // a lease later it is held, and has no more left than that
    usleep((int) ((LEASE + 0.5) * 1e6));
    $left = Cache::getStore()->holder($name)?->ttl;
    return $left !== null && $left <= LEASE;
};
/** How long it takes until there is one more of these notes, of processes that are started one after the other. */
$until = function (string $note, callable $start): float {
    $before = count(notes($note));
    for ($began = microtime(true); count(notes($note)) === $before && microtime(true) < $began + PATIENCE; usleep(20_000)) {
        $process = $start();
        await('its end or what it does', fn () => $process->ended() || count(notes($note)) > $before);
    }
    return microtime(true) - $began;
};

$job = new Report('alive');
dispatch($job);
$worker = artisan('queue:work --once', ALIVE);
await('the job', fn () => notes('alive') === ['alive begins']);
$name = (new WithoutOverlapping('alive'))->getLockKey($job);
check('a job at work is renewed', $isRenewed($name), Cache::getStore()->holder($name)?->ttl);
$left = Cache::getStore()->holder(UniqueLock::getKey($job))?->ttl;
check('that it is unique is not', $left > RLockStore::UNLIMITED - 60, $left);
Cache::lock(UniqueLock::getKey($job))->forceRelease();
dispatch($job);
artisan('queue:work --once', ALIVE)->wait();
$lines = $logged('~Job with the lock "\S+alive" skipped: held by \S+:' . $worker->pid . ' for \d+ s, \d+ s left\s*$~');
check('another worker says who is at it', count($lines) === 1, file("$app/storage/logs/laravel.log"));
$worker->kill();
$killed = microtime(true);
Cache::lock($name, 60)->block(30);
$waited = microtime(true) - $killed;
check('killed, it costs a lease', $waited < LEASE + GRACE, $waited);

$bill = fn (): Process => artisan('queue:work --once --queue=bills', ALIVE);
dispatch((new Bill(5))->onQueue('bills'));
$worker = $bill();
await('the job', fn () => notes('bill') === ['bill begins']);
check('a job with the attribute is renewed', $isRenewed('bill:5'), Cache::getStore()->holder('bill:5')?->ttl);
dispatch((new Bill(5))->onQueue('bills'));
$bill()->wait();
check('another one goes back to the queue', notes('bill') === ['bill begins'] && Queue::size('bills') === 2, Queue::size('bills'));
$worker->kill();
$waited = $until('bill begins', $bill);
check('killed, it costs a lease', $waited < LEASE + GRACE, $waited);
go_on('bill');
await('its release', fn () => Cache::getStore()->holder('bill:5') === null);

$slow = fn (string $as, string $time = '04:00'): Process => artisan('schedule:run', ALIVE + ['SLOW' => $as, 'NOW' => "2026-01-01 $time:00"]);
$first = $slow('slow-1');
await('the schedule', fn () => notes('slow-1') === ['slow-1 begins']);
$event = collect($laravel->make(Schedule::class)->events())->first(fn (Event $event) => str_contains((string) $event->command, 'slow'));
check('a schedule in the foreground is renewed', $isRenewed($event->mutexName()), Cache::getStore()->holder($event->mutexName())?->ttl);
$slow('slow-2')->wait();
$lines = $logged('~Scheduled \[php artisan slow\] skipped: held by \S+:' . $first->pid . ' for \d+ s, \d+ s left\s*$~');
check('the next says who is at it', notes('slow-2') === [] && count($lines) === 1, $lines);
$first->kill();
$waited = $until('slow-2 begins', fn (): Process => $second = $slow('slow-2'));
check('killed, the next one starts within a lease', $waited < LEASE + GRACE, $waited);
go_on('slow-1');
go_on('slow-2');
await('both ends', fn () => count(notes('slow-')) === 4);
await('its release', fn () => Cache::getStore()->holder($event->mutexName()) === null);

$stopped = $slow('slow-3');
await('the schedule', fn () => notes('slow-3') === ['slow-3 begins']);
posix_kill($stopped->pid, SIGSTOP);
$waited = $until('slow-4 begins', fn (): Process => $slow('slow-4'));
check('stopped, the next one starts within a lease', $waited < LEASE + GRACE, $waited);
$owner = Cache::getStore()->holder($event->mutexName())?->owner;
posix_kill($stopped->pid, SIGCONT);
go_on('slow-3');
$stopped->wait();
check('continued, it leaves the other alone', $isRenewed($event->mutexName()) && Cache::getStore()->holder($event->mutexName())?->owner === $owner,
    [$owner, Cache::getStore()->holder($event->mutexName())?->owner]);
go_on('slow-4');
await('its release', fn () => Cache::getStore()->holder($event->mutexName()) === null);

$rebuild = fn (string $as): Process => artisan('rebuild --isolated=12', ALIVE + ['REBUILD' => $as]);
$first = $rebuild('again');
await('the command', fn () => notes('again') === ['again begins']);
$name = 'framework/command-rebuild';
check('an isolated command is renewed', $isRenewed($name), Cache::getStore()->holder($name)?->ttl);
$first->kill();
$waited = $until('other begins', fn (): Process => $rebuild('other'));
check('killed, the next one starts within a lease', $waited < LEASE + GRACE, $waited);
go_on('other');
await('its release', fn () => Cache::getStore()->holder($name) === null);

artisan('schedule:run', ALIVE + ['BEHIND' => '1', 'NOW' => '2026-01-01 05:00:00'])->wait();
$event = collect($laravel->make(Schedule::class)->events())->first(fn (Event $event) => $event->runInBackground);
$left = Cache::getStore()->holder($event->mutexName())?->ttl;
check('in the background all stays as it was', $left > 99 * 60, $left);
go_on('behind');
await('its end', fn () => Cache::getStore()->holder($event->mutexName()) === null);

artisan('schedule:run', ['LATE' => '1', 'NOW' => '2026-01-01 05:00:00'])->wait();
$event = collect($laravel->make(Schedule::class)->events())->first(fn (Event $event) => str_contains((string) $event->command, 'late'));
$next = Cache::lock($event->mutexName(), 60);
$next->block(30);
go_on('late-background');
await('its end', fn () => count(notes('finished')) === 2);
check("what ends late in the background frees nobody else's lock", $next->release());

// The web.

const CROWD = 20;

/** A server answers one request at a time. */
const SERVERS = 8;

/**
 * Servers whose sessions are in that driver; they live as long as what keeps them.
 *
 * @param array<string, string> $settings
 * @return array{list<int>, list<Process>} the ports
 */
function serve(array $settings): array
{
    $listeners = array_map(fn () => stream_socket_server('tcp://127.0.0.1:0'), range(1, SERVERS));
    $ports = array_map(fn ($free): int => (int) preg_replace('/.*:/', '', stream_socket_get_name($free, false)), $listeners);
    array_map(fclose(...), $listeners);
    $servers = array_map(fn (int $port): Process => new Process(['-S', "127.0.0.1:$port", 'public/index.php'], $settings), $ports);
    foreach ($ports as $port) {
        await('the site', fn () => @stream_socket_client("tcp://127.0.0.1:$port") !== false);
    }
    return [$ports, $servers];
}

/**
 * Requests of one session, all at once.
 *
 * @param list<int> $ports
 * @return list<string> the answers' statuses and bodies, in numeric order
 */
function crowd(array $ports, string $path, int $size): array
{
    $session = bin2hex(random_bytes(20));
    $requests = array_map(function (int $number) use ($path, $ports, $session) {
        $request = stream_socket_client('tcp://127.0.0.1:' . $ports[$number % SERVERS]);
        fwrite($request, "GET $path HTTP/1.0\r\nHost: 127.0.0.1\r\nCookie: session=$session\r\n\r\n");
        return $request;
    }, range(1, $size));
    $answers = array_map(function ($request): string {
        $answer = stream_get_contents($request);
        return substr($answer, 9, 3) . ' ' . substr($answer, strpos($answer, "\r\n\r\n") + 4, 20);
    }, $requests);
    sort($answers, SORT_NATURAL);
    return $answers;
}

$counted = array_map(fn (int $count) => "200 $count", range(1, CROWD));
foreach (['files' => [], 'our store' => ['SESSION_DRIVER' => 'redis', 'SESSION_STORE' => 'rlock']] as $where => $settings) {
    [$ports, $servers] = serve($settings);
    $seen = crowd($ports, '/blocking', CROWD);
    check('Route::block: each of ' . CROWD . " requests of one session is counted, in $where", $seen === $counted, $seen);
    $seen = crowd($ports, '/at-once', CROWD);
    check('without it they would not be', $seen !== $counted, $seen);
    $seen = crowd($ports, '/impatient', CROWD);
    $served = array_values(array_filter($seen, fn (string $answer) => str_starts_with($answer, '200')));
    check('whoever does not wait fails', count($served) < CROWD && $served === array_slice($counted, 0, count($served)), $seen);
    array_map(fn (Process $one) => $one->kill(), $servers);
}
check('each was where its settings say', count(glob("$app/storage/framework/sessions/*")) === 3);

// The cache.

$processes = array_map(fn (): Process => artisan('funnel'), range(1, 5));
array_map(fn (Process $one) => $one->wait(), $processes);
$inside = $most = 0;
foreach (array_intersect(notes(), ['in', 'out']) as $note) {
    $inside += $note === 'in' ? 1 : -1;
    $most = max($most, $inside);
}
check('a funnel lets two in', count(notes('in')) === 5 && $most <= 2 && $inside === 0, notes('in'));

$flexible = fn (string $value): string => Cache::flexible('report', [5, 600], fn () => $value);
$later = fn (int $seconds) => Carbon::setTestNow(Carbon::now()->addSeconds($seconds));
check('Cache::flexible makes a value', $flexible('first') === 'first');
$later(6);
check('gives what it has when that is old', $flexible('second') === 'first');
$refreshing = Cache::lock('illuminate:cache:flexible:lock:report', 60);
$refreshing->get();
$deferred = $laravel->make(DeferredCallbackCollection::class);
$deferred->invoke();
check('lets another refresh it', $flexible('third') === 'first');
$refreshing->release();
$deferred->invoke();
check('and refreshes it otherwise', $flexible('fourth') === 'third', $flexible('fourth'));

$left = Cache::lock('left', 60);
$left->get();
version_compare($laravel->version(), '13', '<') ? Cache::flushLocks() : artisan('cache:clear --locks')->wait();
check('locks are flushed, and values are not', !$left->isLocked() && $flexible('fifth') === 'third');

echo "$results[passed] passed, $results[failed] failed, 0 skipped\n";
exit($results['failed'] > 0 ? 1 : 0);
