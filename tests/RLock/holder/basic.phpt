--TEST--
holder() asks the server who holds it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
say('free', $lock->holder($key));
ignore($other->getLock($key, ttl: 20.0, metadata: 'note'));
foreach ([$lock, $other] as $asking) {
    $holder = $asking->holder($key);
    say('class', $holder::class);
    say('key', $holder->key === $key);
    say('owner', $holder->owner === substr(gethostname(), 0, 64) . ':' . getmypid());
    say('fence', $holder->fence === $other->lease($key)->fence);
    say_within('ttl', $holder->ttl, 17, 20);
    say('metadata', $holder->metadata);
    say('contended', $holder->contended);
    say('kind', $holder->kind->name);
}
ob_start();
var_dump($holder);
print_r($holder);
var_export($holder);
say('its token is not told', !str_contains(ob_get_clean(), secret($other->lease($key)->token)));
$other->releaseLock($key);
say('given back', $lock->holder($key));
?>
--EXPECT--
free: null
class: RLock\Holder
key: true
owner: true
fence: true
ttl: in time
metadata: note
contended: false
kind: Lease
class: RLock\Holder
key: true
owner: true
fence: true
ttl: in time
metadata: note
contended: false
kind: Lease
its token is not told: true
given back: null
