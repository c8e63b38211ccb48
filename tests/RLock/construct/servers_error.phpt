--TEST--
Addresses that cannot be read are a ValueError in the constructor, without the password in it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$addresses = [
    '', ' ', 'redis:', 'redis://', 'redis://:6379', 'localhost', 'http://localhost', 'redis//localhost',
    'redis://localhost:0', 'redis://localhost:65536', 'redis://localhost:port', 'redis://localhost:-1',
    'redis://localhost/db', 'redis://localhost/-1', 'redis://[::1', 'redis://user:hunter2@',
    'redis://user:hunter2@localhost?nonsense=1', 'redis://:hunter2@localhost?timeout=-1',
    'redis://:hunter2@localhost?timeout=soon', 'redis://:hunter2@localhost?timeout=nan',
    'redis://:hunter2@localhost?connect_timeout=-1', 'redis://:hunter2@localhost?persistent=2',
    'redis://:hunter%2@localhost', 'unix://', 'unix://relative', 'unix:///path?db=x', 'unix:///path?password=hunter2&db=-1',
    "redis://local\0host", [], [''], ['redis://a', 'redis://:hunter2@b:0'],
];
foreach ($addresses as $address) {
    try {
        new RLock($address);
        echo 'taken for an address: ', json_encode($address), "\n";
    } catch (ValueError $e) {
        if (str_contains($e->getMessage() . $e->getTraceAsString(), 'hunter')) {
            echo 'tells the password: ', $e, "\n";
        }
        if ($e->getMessage() === '') {
            echo 'says nothing: ', json_encode($address), "\n";
        }
    }
}
foreach ([5.5, true, new stdClass(), [[]], [new stdClass()]] as $type) {
    $result = outcome(fn () => new RLock($type));
    say(get_debug_type($type), in_array($result, ['TypeError', 'ValueError'], true) ? 'refused' : $result);
}
/* What other clients write, and how it is written here. */
$others = [
    ['host' => '127.0.0.1', 'port' => 6379], 'redis.example:6379', 'localhost', '/run/redis/redis.sock', 'tcp://127.0.0.1:6379',
    'tls://127.0.0.1:6379', 'http://localhost', ['redis://a', 'b:6379'], 'unix:/run/redis.sock', 'run/redis.sock',
    'redis://h?db=1', 'redis://h?timeout=500', 'redis://h?password=x', 'sentinel://h/m/1',
];
foreach ($others as $address) {
    try {
        new RLock($address);
    } catch (ValueError $e) {
        echo json_encode($address, JSON_UNESCAPED_SLASHES), "\n    ", substr($e->getMessage(), strlen('RLock::__construct(): Argument #1 ($servers) ')), "\n";
    }
}
?>
--EXPECT--
float: refused
bool: refused
stdClass: refused
array: refused
array: refused
{"host":"127.0.0.1","port":6379}
    must be an address like "redis://host:port", not an array of "host" and "port" as phpredis has it; an array lists the addresses of several independent servers
"redis.example:6379"
    is invalid: The server address cannot be read: a host alone, or with its port, is written redis://host:6379
"localhost"
    is invalid: The server address cannot be read: a host alone, or with its port, is written redis://host:6379
"/run/redis/redis.sock"
    is invalid: The server address cannot be read: a socket's path is written unix:///path/to/socket
"tcp://127.0.0.1:6379"
    is invalid: The server address cannot be read: tcp:// is written redis:// here
"tls://127.0.0.1:6379"
    is invalid: The server address cannot be read: tls:// and ssl:// are written rediss:// here
"http://localhost"
    is invalid: The server address cannot be read: it must begin with redis://, rediss:// or unix://, or by itself with sentinel:// or cluster://
["redis://a","b:6379"]
    is invalid: Address 2 of 2: The server address cannot be read: a host alone, or with its port, is written redis://host:6379
"unix:/run/redis.sock"
    is invalid: The server address cannot be read: a socket's path is written unix:///path/to/socket
"run/redis.sock"
    is invalid: The server address cannot be read: a socket's path is written unix:///path/to/socket
"redis://h?db=1"
    is invalid: The server address cannot be read: the database is written behind the host, as in redis://host/1
"redis://h?timeout=500"
    is invalid: The server address cannot be read: timeout must be seconds (not milliseconds) as in 0.5, more than 0 and at most 300
"redis://h?password=x"
    is invalid: The server address cannot be read: user and password are written before the host: user:password@host, or :password@host
"sentinel://h/m/1"
    is invalid: The server address cannot be read: a '/' behind the master's name; the database is written sentinel://host/mymaster?db=1
