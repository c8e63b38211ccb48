--TEST--
M6: 10,000 locks in one object; 1 MB key; NUL, newline, braces in a key
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url('timeout=20'), ttl: 600.0);
for ($i = 0; $i < 10000; $i++) {
    if (!$lock->getLock("key$i")) {
        echo "key$i is busy\n";
    }
}
say('held', count($client('KEYS', 'lock@key*')));
for ($i = 0; $i < 10000; $i += 7) {
    if (!$lock->releaseLock("key$i")) {
        echo "key$i was not ours\n";
    }
}
say('left', count($client('KEYS', 'lock@key*')));
say('one of them', [$lock->lease('key1')->depth, $lock->isLocking('key9999'), $lock->lease('key7')]);
say('close', outcome(fn () => $lock->close()));
say('left', count($client('KEYS', 'lock@key*')));

$lock = new RLock($server->url());
$other = new RLock($server->url());
$keys = [
    'a megabyte' => str_repeat('0123456789abcdef', 65536),
    'NUL' => "a\0b", 'NUL alone' => "\0", 'newlines' => "a\r\nb\n", 'spaces' => "  ", 'not UTF-8' => "\xff\xfe",
    'braces' => 'a{b}c', 'empty braces' => 'a{}b', 'open brace' => 'a{b', 'closing brace' => 'a}b', 'nested' => '{{a}}',
    'zero' => '0', 'format' => '%s%n%d', 'like a companion' => 'rlock:f:{x}:x', 'same up to NUL' => "a\0c",
];
foreach ($keys as $name => $key) {
    $steps = [
        $lock->getLock($key, metadata: $name), $client('EXISTS', "lock@$key"), $other->getLock($key),
        $lock->isLocking($key), $lock->prolongate($key), $other->holder($key)->metadata === $name,
        $other->holder($key)->key === $key, $lock->lease($key)->key === $key,
    ];
    say($name, array_unique($steps, SORT_REGULAR) === [true, 2 => false] ? 'works' : $steps);
}
foreach ($keys as $name => $key) {
    say($name, [$lock->lease($key)->metadata === $name, $lock->releaseLock($key), $client('EXISTS', "lock@$key")]);
}
?>
--EXPECT--
held: 10000
left: 8571
one of them: [1,true,null]
close: null
left: 0
a megabyte: works
NUL: works
NUL alone: works
newlines: works
spaces: works
not UTF-8: works
braces: works
empty braces: works
open brace: works
closing brace: works
nested: works
zero: works
format: works
like a companion: works
same up to NUL: works
a megabyte: [true,true,0]
NUL: [true,true,0]
NUL alone: [true,true,0]
newlines: [true,true,0]
spaces: [true,true,0]
not UTF-8: [true,true,0]
braces: [true,true,0]
empty braces: [true,true,0]
open brace: [true,true,0]
closing brace: [true,true,0]
nested: [true,true,0]
zero: [true,true,0]
format: [true,true,0]
like a companion: [true,true,0]
same up to NUL: [true,true,0]
