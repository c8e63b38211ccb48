--TEST--
var_dump() shows an RLock's prefix, its servers without secrets, and what it holds without tokens
--FILE--
<?php
require __DIR__ . '/../server.inc';

$dump = function (mixed $value): string {
    ob_start();
    var_dump($value);
    return ob_get_clean();
};
$server = TestServer::start();
$server->client()('CONFIG', 'SET', 'requirepass', 'hunter2');
$lock = new RLock($server->url('password=hunter2'), prefix: 'shop:', ttl: 60.0);
$calls = fn () => $lock->stats()['requests'];
$before = $calls();
echo preg_replace(['/\d+\) "' . preg_quote($server->socket, '/') . '"/', '/#\d+/'], ['N) "SOCKET"', '#N'], $dump($lock));
say('requests', $calls() - $before);

ignore($lock->getLock('mail', metadata: 'note'));
ignore($lock->getLock('mail'));
ignore($lock->getSharedLock('17'));
$before = $calls();
$text = $dump($lock);
say('requests', $calls() - $before);
say('secrets', [str_contains($text, 'hunter2'), str_contains($text, secret($lock->lease('mail')->token))]);
say('shown', array_map(fn ($part) => preg_match($part, $text), ['/\["mail"\]=>\s+object\(RLock.Lease\)/', '/\[17\]=>\s+object/',
    '/\["depth"\]=>\s+int\(2\)/', '/"note"/', '/\["ttl"\]=>\s+float\(\d+\.?\d*\)/']));
say('print_r', str_contains(print_r($lock, true), '[mail] => RLock\Lease Object'));
say('no properties', [(array) $lock, get_object_vars($lock), json_encode($lock)]);
$lock->close();
echo preg_replace('/#\d+/', '#N', $dump($lock));

say('several servers', str_contains($dump(new RLock(['redis://:hunter2@a', 'redis://b:1'])), 'a:6379'));
say('secrets', str_contains($dump(new RLock(['redis://:hunter2@a', 'redis://b:1'])), 'hunter2'));

$child = Child::start('
    $lock = new RLock($args[0]);
    for ($i = 0; $i < 80; $i++) {
        ignore($lock->getLock("n$i", metadata: str_repeat("m", 60000)));
    }
    ini_set("memory_limit", "8M");
    register_shutdown_function(fn () => $parent->say(str_contains(error_get_last()["message"], "exhausted")));
    var_dump($lock);
', [$server->url('password=hunter2')]);
say('where memory runs out', [$child->hear(), $child->wait()]);
$client = $server->client();
$client('AUTH', 'hunter2');
say('given back', $client('KEYS', 'lock@*'));
?>
--EXPECT--
object(RLock)#N (3) {
  ["prefix"]=>
  string(5) "shop:"
  ["servers"]=>
  string(N) "SOCKET"
  ["held"]=>
  array(0) {
  }
}
requests: 0
requests: 0
secrets: [false,false]
shown: [1,1,1,1,1]
print_r: true
no properties: [[],[],"{}"]
object(RLock)#N (0) {
}
several servers: true
secrets: false
where memory runs out: [true,255]
given back: []
