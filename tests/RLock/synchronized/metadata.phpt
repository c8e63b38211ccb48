--TEST--
synchronized() with metadata: others see it, and its own Lease has it; an outer level's stays
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
$look = fn (RLock\Lease $lease) => [$lease->metadata, $other->holder($key)->metadata];
say('none', $lock->synchronized($key, $look));
say('empty', $lock->synchronized($key, $look, metadata: ''));
say('any bytes', $lock->synchronized($key, $look, 0.0, 20.0, "job: \0 7"));
ignore($lock->getLock($key, metadata: 'outer'));
say('an inner level', $lock->synchronized($key, $look, metadata: 'inner'));
try {
    $other->synchronized($key, $look, metadata: 'theirs');
} catch (RLock\NotAcquiredException $e) {
    say('busy', $e->holder->metadata);
}
?>
--EXPECT--
none: [null,null]
empty: ["",""]
any bytes: ["job: \u0000 7","job: \u0000 7"]
an inner level: ["outer","outer"]
busy: outer
