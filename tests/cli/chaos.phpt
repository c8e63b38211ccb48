--TEST--
rlock run: whatever is killed, at whatever moment, there are never two commands at a time
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

const WORKERS = 4, KILLS = 24;
$key = unique_key();
$folder = temporary_folder();
$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url());

// The kernel frees the file's lock when the job is dead, and not before: it has no children that hold the file, too.
file_put_contents("$folder/job", '<?php
$file = fopen(__FILE__ . ".inside", "c");
flock($file, LOCK_EX | LOCK_NB) || file_put_contents(__FILE__ . ".two", "two\n", FILE_APPEND);
file_put_contents(__FILE__ . getmypid(), getmypid() . " " . $argv[1]);
rename(__FILE__ . getmypid(), __FILE__ . ".pids");
usleep(30000);
file_put_contents(__FILE__ . ".count", "ran\n", FILE_APPEND);');
$job = escapeshellarg(PHP_BINARY) . ' -n "$2"';
$loop = 'while [ ! -e "$2.stop" ]; do "$0" run "$1" --ttl 3 --wait inf --quiet -- sh -c \'exec ' . $job . ' $PPID\' "$0" "$1" "$2"; '
    . 'echo "status $?"; done';
$workers = [];
for ($i = 0; $i < WORKERS; $i++) {
    $workers[] = new Program(['sh', '-c', $loop, program_path(), $key, "$folder/job"]);
}
$last = '';
for ($kill = 0; $kill < KILLS; $kill++) {
    $pids = await('another job', function () use ($folder, &$last) {
        $pids = (string) @file_get_contents("$folder/job.pids");
        return $pids !== $last ? $last = $pids : null;
    });
    usleep(random_int(0, 40000));
    send_signal((int) explode(' ', $pids)[$kill % 3 === 0 ? 1 : 0], ['KILL', 'TERM'][$kill % 2]);
}
say('jobs were done', count(file("$folder/job.count")) > 0);
say('two at a time', file_exists("$folder/job.two"));

// The server ends: nobody has the lock any more, and every command ends.
touch("$folder/job.stop");
$server->kill();
foreach ($workers as $worker) {
    $worker->wait();
    preg_match('/status (\d+)\s*\z/', $worker->output(), $match);
    in_array($match[1], ['0', '69', '79', '137', '143'], true) || say('the last status', $match[1]);
}
$file = fopen("$folder/job.inside", 'r');
say('no job is left', flock($file, LOCK_EX | LOCK_NB));
say('nor rlock', count_processes("run $key"));
?>
--EXPECT--
jobs were done: true
two at a time: false
no job is left: true
nor rlock: 0
