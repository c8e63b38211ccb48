--TEST--
rlock run --at-least: the key stays taken for so long after the start, whoever asks
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
say('run', rlock('run', $key, '--at-least', '60', '--', 'sleep', '0.3')[0]);
$left = shared_client()('PTTL', lock_key($key)) / 1000;
say_within('left', $left, 30.0, 59.7);
say('again', rlock('run', $key, '--at-least', '60', '--quiet', '--', 'echo', 'ran'));
say('the extension', (new RLock(shared_url()))->getLock($key));
say('wait', rlock('wait', $key, '--wait', '0.1', '--quiet')[0]);
say('freed', rlock('break', $key, '--quiet')[0]);

say('a failure', rlock('run', $key, '--at-least', '60', '--', 'sh', '-c', 'exit 4')[0]);
say('again', rlock('run', $key, '--quiet', '--', 'echo', 'ran')[0]);
rlock('break', $key);
say('a slow one', rlock('run', $key, '--at-least', '0.1', '--', 'sleep', '0.3')[0]);
say('free', await('free', fn () => is_free($key)));     // its release may be meant for the one that waited above: for a second
?>
--EXPECT--
run: 0
left: in time
again: [75,"",""]
the extension: false
wait: 75
freed: 0
a failure: 4
again: 75
a slow one: 0
free: true
