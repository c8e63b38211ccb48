--TEST--
holder() of a foreign lock: owner "", no metadata, its expiry or none
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$tell = function (string $key) use ($lock) {
    $holder = $lock->holder($key);
    return [$holder->kind->name, $holder->key === $key, $holder->owner, $holder->fence, $holder->ttl === null ? 'never' : $holder->ttl > 0,
        $holder->metadata, $holder->contended];
};
$key = unique_key();
$client('SET', lock_key($key), 'their secret token', 'PX', 20000);
say('with expiry', $tell($key));
$client('PERSIST', lock_key($key));
say('without expiry', $tell($key));
say('their secret', str_contains(print_r($lock->holder($key), true), 'secret'));
$key = unique_key();
$client('HSET', lock_key($key), 'field', 'value');
say('another type', $tell($key));
?>
--EXPECT--
with expiry: ["Foreign",true,"",null,true,null,false]
without expiry: ["Foreign",true,"",null,"never",null,false]
their secret: false
another type: ["Foreign",true,"",null,"never",null,false]
