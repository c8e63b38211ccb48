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
?>
--EXPECT--
float: refused
bool: refused
stdClass: refused
array: refused
array: refused
