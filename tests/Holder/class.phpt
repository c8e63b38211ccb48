--TEST--
Holder: a public constructor by names, readonly, not serializable
--FILE--
<?php
require __DIR__ . '/../server.inc';

$holder = new RLock\Holder(key: 'key', owner: 'host:1', fence: 7, ttl: 1.5, metadata: 'note', contended: true,
    kind: RLock\Kind::Cooldown, shared: true);
say('fields', [$holder->key, $holder->owner, $holder->fence, $holder->ttl, $holder->metadata, $holder->contended, $holder->kind->name, $holder->shared]);
$class = new ReflectionClass($holder);
say('final', $class->isFinal());
foreach ($class->getProperties() as $property) {
    if (!$property->isReadOnly() || !$property->isPublic()) {
        echo $property->getName(), " is not public and readonly\n";
    }
    say($property->getName(), (string) $property->getType());
}
say('the least', outcome(fn () => new RLock\Holder(key: 'key', owner: '', fence: null, ttl: null, metadata: null, contended: false)));
say('a lease, if nothing else is said', (new RLock\Holder('key', ''))->kind === RLock\Kind::Lease);
say('not shared', (new RLock\Holder('key', ''))->shared);
say('no kind can be made', [outcome(fn () => (new ReflectionClass(RLock\Kind::class))->newInstanceWithoutConstructor()),
    (new ReflectionClass(RLock\Kind::class))->isFinal()]);
say('kinds', array_column(RLock\Kind::cases(), 'value', 'name'));
say('from a value', RLock\Kind::from('hand-over') === RLock\Kind::HandOver);
say('json', json_encode($holder));
say('write', outcome(function () use ($holder) { $holder->owner = 'me'; }));
say('add', outcome(function () use ($holder) { $holder->note = 3; }));
say('serialize', outcome(fn () => serialize($holder)));
say('unserialize', outcome(fn () => unserialize('O:12:"RLock\Holder":0:{}')));
say('wrong type', outcome(fn () => new RLock\Holder(key: 'key', owner: [], fence: null, ttl: null, metadata: null, contended: false)));
?>
--EXPECT--
fields: ["key","host:1",7,1.5,"note",true,"Cooldown",true]
final: true
key: string
owner: string
fence: ?int
ttl: ?float
metadata: ?string
contended: bool
kind: RLock\Kind
shared: bool
the least: RLock\Holder
a lease, if nothing else is said: true
not shared: false
no kind can be made: ["Error",true]
kinds: {"Lease":"lease","Detached":"detached","HandOver":"hand-over","Cooldown":"cooldown","Foreign":"foreign"}
from a value: true
json: {"key":"key","owner":"host:1","fence":7,"ttl":1.5,"metadata":"note","contended":true,"kind":"cooldown","shared":true}
write: Error
add: Error
serialize: Exception
unserialize: Exception
wrong type: TypeError
