--TEST--
php --re, php --ri and a ReflectionExtension as text do not show rlock.servers; whoever asks for the setting gets it
--INI--
rlock.servers=redis://tom:hunter2@localhost:6379
--FILE--
<?php
require __DIR__ . '/../server.inc';

$run = fn (string $option) => (string) shell_exec(escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d rlock.servers='redis://tom:hunter2@localhost:6379' $option rlock");
foreach (['--re', '--ri'] as $option) {
    $shown = $run($option);
    say($option, [str_contains($shown, 'rlock.servers'), str_contains($shown, '(hidden)'), str_contains($shown, 'hunter2')]);
}
ini_set('rlock.servers', 'redis://:hunter3@localhost:6379');
$text = (string) new ReflectionExtension('rlock');
preg_match('/Entry \[ rlock\.servers <ALL> \]\n(.*)\n(.*)\n/', $text, $lines);
say('changed', [trim($lines[1]), trim($lines[2]), str_contains($text, 'hunter')]);
say('others', preg_match("/rlock\.prefix <ALL> \]\n *Current = 'lock@'/", $text));
say('empty', [ini_set('rlock.servers', '') !== false, preg_match("/rlock\.servers <ALL> \]\n *Current = ''\n/", (string) new ReflectionExtension('rlock'))]);
ini_restore('rlock.servers');
say('another extension', str_contains((string) new ReflectionExtension('pcre'), 'Extension'));
say('asked', [ini_get('rlock.servers'), (new ReflectionExtension('rlock'))->getINIEntries()['rlock.servers']]);
?>
--EXPECT--
--re: [true,true,false]
--ri: [true,true,false]
changed: ["Current = '(hidden)'","Default = '(hidden)'",false]
others: 1
empty: [true,1]
another extension: true
asked: ["redis://tom:hunter2@localhost:6379","redis://tom:hunter2@localhost:6379"]
