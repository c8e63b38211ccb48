<?php
/*
 * Each recipe of docs/recipes.md, copied from the page into FOLDER, played by several processes: play.php FOLDER.
 * The server: ini rlock.servers.
 */

declare(strict_types=1);

[, $folder] = $argv;
foreach (['pay', 'worker', 'leader', 'api', 'edit'] as $recipe) {
    require "$folder/$recipe.php";
}

const BUSY_MS = 300;
const NO_SERVER = 'unix:///nonexistent/redis.sock?timeout=0.1';

/** Runs `$task` in `$times` processes at once, and gives what each returned. */
function at_once(int $times, callable $task): array
{
    $pipes = [];
    for ($i = 0; $i < $times; $i++) {
        [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (pcntl_fork() === 0) {
            fwrite($theirs, json_encode($task($i)));
            exit(0);
        }
        fclose($theirs);
        $pipes[] = $ours;
    }
    return array_map(fn ($pipe) => json_decode(stream_get_contents($pipe)), $pipes);
}

function database(string $folder): PDO
{
    return new PDO("sqlite:$folder/shop.sqlite", options: [PDO::ATTR_TIMEOUT => 5]);
}

function tell(string $what, mixed $value): void
{
    echo "    $what: ", json_encode($value), "\n";
}

/** The class of what the task throws where the server is away. */
function without_server(callable $task): ?string
{
    try {
        $task(new RLock(NO_SERVER));
    } catch (RLock\RLockException $e) {
        return $e::class;
    }
    return null;
}

/** How many were at it at once, at the most, by the lines "+" and "-" of a log. */
function most_at_once(string $log): int
{
    $now = $most = 0;
    foreach (file($log, FILE_IGNORE_NEW_LINES) as $line) {
        $now += $line === '+' ? 1 : -1;
        $most = max($most, $now);
    }
    return $most;
}

function logged(string $log, callable $task): mixed
{
    file_put_contents($log, "+\n", FILE_APPEND | LOCK_EX);
    try {
        return $task();
    } finally {
        file_put_contents($log, "-\n", FILE_APPEND | LOCK_EX);
    }
}

function play_pay(string $folder): void
{
    database($folder)->exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, paid INTEGER, fence INTEGER); INSERT INTO orders VALUES (17, 0, 0), (18, 0, 9e18)');
    $statuses = array_column(at_once(4, fn () => pay(new RLock(), database($folder), 17)), 0);
    sort($statuses);
    tell('four clicks', $statuses);
    $other = new RLock();
    $other->getLock('order:17') || exit('busy');
    tell('busy', pay(new RLock(), database($folder), 17));
    tell('overtaken', pay(new RLock(), database($folder), 18));
    tell('no server', pay(new RLock(NO_SERVER), database($folder), 18)[0]);
}

function play_worker(string $folder): void
{
    $done = at_once(3, function () use ($folder) {
        $jobs = ['a', 'b', 'c', 'd'];
        $done = [];
        work(
            function () use (&$jobs) { return array_shift($jobs); },
            fn (string $job) => file_exists("$folder/job-$job"),
            function (string $job) use (&$done, $folder) {
                logged("$folder/job-$job", fn () => usleep(BUSY_MS * 1000));
                $done[] = $job;
            },
        );
        return $done;
    });
    tell('each was done', count(array_merge(...$done)) === 4);
    tell('at once, at the most', max(array_map(fn (string $job) => most_at_once("$folder/job-$job"), ['a', 'b', 'c', 'd'])));
    $other = new RLock();
    $other->getLock('job:b') || exit('busy');
    $jobs = ['a', 'b', 'c'];
    $done = [];
    work(
        function () use (&$jobs) { return array_shift($jobs); },
        fn () => false,
        function (string $job) use (&$done) { $done[] = $job; },
    );
    tell('one is busy', $done);
    $usual = ini_set('rlock.servers', NO_SERVER);
    tell('no server', without_server(fn () => work(fn () => 'a', fn () => false, fn () => null)));
    ini_set('rlock.servers', $usual);
    $left = 9;
    work(
        function () use (&$left) { return $left-- > 0 ? 'terminated' : null; },
        fn () => false,
        fn () => posix_kill(getmypid(), SIGTERM),
    );
    tell('left after SIGTERM', $left);
}

function play_leader(): void
{
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    for ($i = 0; $i < 2; $i++) {
        if (pcntl_fork() === 0) {
            try {
                lead(function () use ($theirs) {
                    fwrite($theirs, getmypid() . "\n");
                    for ($end = time() + 60; time() < $end;) {
                        usleep(1000);
                    }
                });
            } catch (RLock\LostLockException $lost) {
                fwrite($theirs, $lost::class . "\n");
            }
            exit(0);
        }
    }
    $next = function (int $seconds) use ($ours): string|false {
        stream_set_timeout($ours, $seconds);
        return fgets($ours);
    };
    tell('leads at once', ($leader = (int) $next(60)) > 0);
    tell('the other, while that lives', $next(7));          // longer than a lease
    posix_kill($leader, SIGKILL);
    $killed = microtime(true);
    tell('killed, the other within a lease', (int) $next(60) > 0 && microtime(true) < $killed + 6);
    (new RLock())->breakLock('leader');
    tell('its lock was broken', trim($next(60)));
}

function play_api(string $folder): void
{
    $answers = at_once(7, fn () => ask(new RLock(), fn () => logged("$folder/api", function () {
        usleep(BUSY_MS * 1000);
        return 'done';
    })));
    tell('answers', count(array_filter($answers)));
    tell('at once, at the most', most_at_once("$folder/api"));
    $others = array_map(fn () => new RLock(), range(1, AT_ONCE));
    foreach ($others as $other) {
        $other->getSharedLock('their-api', limit: AT_ONCE) || exit('busy');
    }
    tell('busy', ask(new RLock(), fn () => 'done', wait: 0.1));
    tell('no server', without_server(fn (RLock $locks) => ask($locks, fn () => 'done')));
}

function play_edit(): void
{
    $name = open(new RLock(), 5, 'ada');
    tell('somebody else opens it', open(new RLock(), 5, 'bob'));
    tell('who has it', (new RLock())->holder('page:5')->metadata);
    tell('kept in another process', at_once(1, fn () => keep(new RLock(), 5, $name))[0]);
    $written = [];
    $write = function (int $fence) use (&$written) { $written[] = $fence > 0; };
    tell('saved', save(new RLock(), 5, $name, $write));
    tell('saved again', save(new RLock(), 5, $name, $write));
    tell('written', $written);
    tell('no server', without_server(fn (RLock $locks) => open($locks, 5, 'ada')));
}

foreach (['pay', 'worker', 'leader', 'api', 'edit'] as $recipe) {
    echo "$recipe.php\n";
    "play_$recipe"($folder);
}
