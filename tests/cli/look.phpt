--TEST--
rlock who, break and wait
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
function show(string $what, string ...$arguments): void
{
    global $key;
    [$status, $output, $errors] = rlock(...$arguments);
    // Columns are as wide as what is in them, and that is different each time.
    echo "$what: $status\n", preg_replace(['/^/m', '/ {2,}(?=\S)/'], ['    ', '  '], rtrim(steady("$output$errors", $key))), "\n";
}

show('nobody', 'who', $key);
show('nobody, quiet', 'who', $key, '--quiet');
show('nobody, JSON', 'who', $key, '--json');
show('nothing to break', 'break', $key);
show('free', 'wait', $key);

$locks = new RLock(shared_url());
$locks->getLock($key, metadata: "tab\tand\n\x1b[2J \"ü\" \xff");
show('the extension has it', 'who', $key);
show('JSON', 'who', $key, '--json');
say('JSON can be read', json_decode(rlock('who', $key, '--json')[1])->metadata);
show('no token', 'who', $key, '--json', '--verbose');
show('busy', 'wait', $key, '--wait', '0.1');

$waiter = Program::start('wait', $key, '--wait', '60');
$locks->releaseLock($key);
say('the waiter', $waiter->wait());
say('it took nothing', is_free($key));

$locks->getLock($key);
$fence = $locks->lease($key)->fence;
show('another grant', 'break', $key, '--fence', (string) ($fence + 1));
show('broken', 'break', $key, '--fence', (string) $fence);
say('the holder', outcome(fn () => $locks->releaseLock($key)));

$locks->getLock($key);
$locks->releaseLock($key, delayAfter: 60.0);
show('a cooldown', 'who', $key);
show('broken', 'break', $key, '--quiet');
shared_client()('SET', lock_key($key), 'secret of another');
show('a foreign one', 'who', $key);
show('JSON', 'who', $key, '--json');
show('no server', 'who', $key, '--servers', nowhere());
show('no server, JSON', 'break', $key, '--servers', nowhere(), '--json');
show('no server', 'wait', $key, '--servers', nowhere());
?>
--EXPECT--
