--TEST--
Lease: a public constructor by names, readonly, not serializable, and var_dump hides the token, a clone's too
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lease = new RLock\Lease(key: 'key', token: 'rlock1:host:1:secret', fence: 7, depth: 2, ttl: 1.5, metadata: 'note', shared: true,
    waited: 0.25);
say('fields', [$lease->key, $lease->token, $lease->fence, $lease->depth, $lease->ttl, $lease->metadata, $lease->shared, $lease->waited]);
$class = new ReflectionClass($lease);
say('final', $class->isFinal());
foreach ($class->getProperties() as $property) {
    if (!$property->isReadOnly() || !$property->isPublic()) {
        echo $property->getName(), " is not public and readonly\n";
    }
    say($property->getName(), (string) $property->getType());
}
say('without fence and metadata', outcome(fn () => new RLock\Lease(key: 'key', token: 't', fence: null, depth: 1, ttl: 0.0, metadata: null)));
say('by place', (new RLock\Lease('key', 't', 7, 2, 1.5, 'note', true, 0.25))->waited);
say('not shared, if nothing else is said', (new RLock\Lease('key', 't'))->shared);
say('write', outcome(function () use ($lease) { $lease->depth = 3; }));
say('add', outcome(function () use ($lease) { $lease->note = 3; }));
say('serialize', outcome(fn () => serialize($lease)));
say('unserialize', outcome(fn () => unserialize('O:11:"RLock\Lease":0:{}')));
say('wrong type', outcome(fn () => new RLock\Lease(key: [], token: 't', fence: null, depth: 1, ttl: 0.0, metadata: null)));
say('constructed again', outcome(fn () => $lease->__construct(key: 'b', token: 't', fence: null, depth: 1, ttl: 0.0, metadata: null)));

ob_start();
var_dump($lease);
print_r($lease);
var_dump(clone $lease);
print_r((array) clone $lease);
$dump = ob_get_clean();
say('var_dump shows the key', str_contains($dump, 'key'));
say('var_dump shows the token', str_contains($dump, 'secret'));

$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
ob_start();
var_dump($lock->lease($key), $lock);
say('a real one shows its token', str_contains(ob_get_clean(), secret($lock->lease($key)->token)));
say('a clone has it', (clone $lease)->token === $lease->token);
?>
--EXPECT--
fields: ["key","rlock1:host:1:secret",7,2,1.5,"note",true,0.25]
final: true
key: string
token: string
fence: ?int
depth: int
ttl: float
metadata: ?string
shared: bool
waited: float
without fence and metadata: RLock\Lease
by place: 0.25
not shared, if nothing else is said: false
write: Error
add: Error
serialize: Exception
unserialize: Exception
wrong type: TypeError
constructed again: Error
var_dump shows the key: true
var_dump shows the token: false
a real one shows its token: false
a clone has it: true
