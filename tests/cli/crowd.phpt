--TEST--
rlock run: many short runs by 16 at once; never two commands at a time, and nothing is left behind
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

const CROWD = 16, RUNS = 6;
$key = unique_key();
$folder = temporary_folder();

// mkdir fails if another is there.
file_put_contents("$folder/job", 'mkdir "$0.inside" || echo two >>"$0.two"; echo ran >>"$0.count"; rmdir "$0.inside"');
$loop = 'i=0; while [ $i -lt ' . RUNS . ' ]; do "$0" run "$1" --wait inf -- sh "$2" || echo "failed $?"; i=$((i + 1)); done';
$crowd = [];
for ($i = 0; $i < CROWD; $i++) {
    $crowd[] = new Program(['sh', '-c', $loop, program_path(), $key, "$folder/job"]);
}
foreach ($crowd as $one) {
    $one->wait();
    echo $one->output(), $one->errors();
}
say('all ran', count(file("$folder/job.count")) === CROWD * RUNS);
say('two at a time', file_exists("$folder/job.two"));
say('free', await('free', fn () => is_free($key), 5.0)); // the last release may pass it to a waiter that has it already: for a second
say('left', count_processes("run $key"));
?>
--EXPECT--
all ran: true
two at a time: false
free: true
left: 0
