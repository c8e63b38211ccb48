--TEST--
rlock ls and who: an answer that cannot be written is a failure, and none tells a terminal what to do
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
$locks = new RLock(shared_url());
ignore($locks->getLock($key, metadata: "C1 \u{9b}2J, override \u{202e}cba, nothing \u{200b}\u{ad}\u{feff}\u{e0041}"));

foreach (["who $key", "who $key --json", "who nobody-$key --json", "ls $key", "ls $key --json", "ls $key --watch"] as $arguments) {
    $rlock = new Program(['sh', '-c', escapeshellarg(program_path()) . " $arguments >/dev/full"]);
    say(strtr($arguments, [$key => 'KEY']), [$rlock->wait(), str_contains($rlock->errors(), 'Standard output cannot be written')]);
}
foreach (['--help >/dev/full', 'ls --help >/dev/full', '--version >/dev/full', "ls $key >&-", "who $key >&-"] as $arguments) {
    $rlock = new Program(['sh', '-c', escapeshellarg(program_path()) . " $arguments"]);
    say(strtr($arguments, [$key => 'KEY']), [$rlock->wait(), $rlock->errors()]);
}
say('run >&-', (new Program(['sh', '-c', '"$0" run "$1" -- true >&-', program_path(), unique_key()]))->wait());

echo preg_replace('/.*(?=C1)/s', '', rlock('who', $key)[1]);
echo preg_replace('/.*(?=C1)/s', '', $json = rlock('who', $key, '--json')[1]);
say('the same', json_decode($json)->metadata === "C1 \u{9b}2J, override \u{202e}cba, nothing \u{200b}\u{ad}\u{feff}\u{e0041}");

// Nobody reads, and a signal comes: one that ends it does, and is told by the status; another cuts no answer short.
$server = TestServer::start();
$server->client()('EVAL', 'for i = 1, 5000 do redis.call("SET", "lock@" .. i, "rlock1:" .. string.rep("a", 32) .. ":web1:5") end', 0);
foreach (['INT', 'TERM', 'WINCH'] as $signal) {
    $rlock = new class([program_path(), 'ls', '--json', '--servers', $server->url()], [['pipe', 'r'], ['pipe', 'w'], STDERR]) extends Process {
        public function read(): string
        {
            return stream_get_contents($this->pipes[1]);
        }
    };
    await('a full pipe', fn () => preg_match('/^\d+ 0x1 /', file_get_contents("/proc/$rlock->pid/syscall")));
    $rlock->signal($signal);
    $json = $signal === 'WINCH' ? $rlock->read() : null;
    say($signal, [$rlock->wait(), $json ? count(json_decode($json)) : null]);
}
?>
--EXPECT--
who KEY: [74,true]
who KEY --json: [74,true]
who nobody-KEY --json: [74,true]
ls KEY: [74,true]
ls KEY --json: [74,true]
ls KEY --watch: [74,true]
--help >/dev/full: [74,"rlock: Standard output cannot be written\n"]
ls --help >/dev/full: [74,"rlock: Standard output cannot be written\n"]
--version >/dev/full: [74,"rlock: Standard output cannot be written\n"]
ls KEY >&-: [74,"rlock: Standard output cannot be written\n"]
who KEY >&-: [74,"rlock: Standard output cannot be written\n"]
run >&-: 0
C1 \xc2\x9b2J, override \xe2\x80\xaecba, nothing \xe2\x80...
C1 \u009b2J, override \u202ecba, nothing \u200b\u00ad\ufeff\udb40\udc41","waiters":[]}
the same: true
INT: [130,null]
TERM: [143,null]
WINCH: [0,5000]
