<?php
/*
 * A site: PHP-FPM with one page, and its visitors (workers/page.c), each of whose requests is a
 * connection of its own. There is no web server between.
 */

declare(strict_types=1);

/** It has what it locks from the first time to the second, which it says (workers/page.c). */
const PAGE = <<<'PHP'
    <?php
    %s
    $granted = hrtime(true);
    if ($_GET['hold']) {
        usleep((int) $_GET['hold']);
    }
    $releasing = hrtime(true);
    %s
    echo "$granted $releasing";
    PHP;

/** Says what CPU time the process has used, also in threads that have ended, in us. */
const CPU = '<?php $used = getrusage(); echo 1_000_000 * ($used["ru_utime.tv_sec"] + $used["ru_stime.tv_sec"]) + $used["ru_utime.tv_usec"] + $used["ru_stime.tv_usec"];';

/** PHP-FPM of this PHP's version. */
function fpm(): ?string
{
    foreach (['php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm'] as $name) {
        foreach (['/usr/sbin', '/usr/bin', '/usr/local/sbin'] as $folder) {
            if (is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
    }
    return null;
}

final class Site
{
    private readonly string $folder;
    /** @var resource */ private $process;

    /** @param list<string> $ini lines of php.ini */
    public function __construct(string $begin, string $end, array $ini, int $children)
    {
        $this->folder = sys_get_temp_dir() . '/rlock-bench-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $root = posix_geteuid() === 0;
        foreach ([
            'page.php' => sprintf(PAGE, $begin, $end),
            'cpu.php' => CPU,
            'php.ini' => implode("\n", [...$ini, 'zend_extension=opcache', 'opcache.validate_timestamps=0', 'error_reporting=-1',
                'session.gc_probability=0', 'session.cache_limiter=', '']),
            'fpm.conf' => "[global]\ndaemonize = no\nerror_log = $this->folder/log\n[www]\nlisten = $this->folder/site\nlisten.backlog = 256\n"
                . "pm = static\npm.max_children = $children\n" . ($root ? "user = root\n" : ''),
        ] as $name => $text) {
            file_put_contents("$this->folder/$name", $text);
        }
        $log = ['file', "$this->folder/log", 'a'];
        $this->process = proc_open(
            [...ENDS_WITH_US, fpm(), ...($root ? ['-R'] : []), '-c', "$this->folder/php.ini", '-y', "$this->folder/fpm.conf"],
            [['file', '/dev/null', 'r'], $log, $log], $pipes, env_vars: ['PHP_INI_SCAN_DIR' => ''] + getenv(),
        ) ?: throw new RuntimeException('cannot start PHP-FPM');
        for ($deadline = microtime(true) + 10; !@stream_socket_client("unix://$this->folder/site"); usleep(10_000)) {
            if (microtime(true) > $deadline || !proc_get_status($this->process)['running']) {
                throw new RuntimeException('PHP-FPM did not start: ' . @file_get_contents("$this->folder/log"));
            }
        }
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
        array_map(unlink(...), glob("$this->folder/*"));
        rmdir($this->folder);
    }

    public function visitor(string $session): Worker
    {
        return new Worker([getenv('RLOCK_BENCH_PAGE'), "$this->folder/site", "$this->folder/page.php", $session]);
    }

    /** CPU time of a site with one child, in us. */
    public function cpu(): int
    {
        $asked = proc_open([getenv('RLOCK_BENCH_PAGE'), "$this->folder/site", "$this->folder/cpu.php"], [1 => ['pipe', 'w']], $pipes);
        $said = stream_get_contents($pipes[1]);
        proc_close($asked);
        return (int) $said;
    }
}
