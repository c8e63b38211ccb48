--TEST--
rlock: what cannot be meant is refused before anything is done, and no secret is repeated
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

foreach ([
    [],
    ['dance'],
    ['unlock', 'k'],
    ['lock', 'k'],
    ['run'],
    ['run', 'k'],
    ['run', 'k', '--'],
    ['run', 'k', 'ls'],
    ['run', '', '--', 'true'],
    ['run', 'k', '-x', '--', 'true'],
    ['run', 'k', "--\x1bx", '--', 'true'],
    ['run', 'k', '--tll', '5', '--', 'true'],
    ['run', 'k', '-wait', '5', '--', 'true'],
    ['run', 'k', '-n', '--', 'true'],
    ['run', 'k', '-w', '5', '--', 'true'],
    ['run', 'k', '--timeout=5', '--', 'true'],
    ['wait', 'k', '--timeout', '5'],
    ['who', 'k', '--timeout', '5'],
    ['ls', '--jso=x'],
    ['run', 'k', '--wait', '-1', '--', 'true'],
    ['run', 'k', '--wait', 'nan', '--', 'true'],
    ['run', 'k', '--wait', '1e3', '--', 'true'],
    ['run', 'k', '--wait', '--', 'true'],
    ['run', 'k', '--wait'],
    ['run', 'k', '--ttl', '0', '--', 'true'],
    ['run', 'k', '--ttl', '0.0099', '--', 'true'],
    ['run', 'k', '--ttl', '1000000000.001', '--', 'true'],
    ['run', 'k', '--busy-exit', '256', '--', 'true'],
    ['run', 'k', '--on-loss', 'dance', '--', 'true'],
    ['run', 'k', '--quiet=yes', '--', 'true'],
    ['run', 'k', '--limit', '2', '--', 'true'],
    ['run', 'k', '--shared', '--limit', '0', '--', 'true'],
    ['run', 'k', '--shared', '--limit', 'many', '--', 'true'],
    ['run', 'k', '--shared', '--limit', '9223372036854775808', '--', 'true'],
    ['run', 'k', '--shared=2', '--', 'true'],
    ['run', 'k', '--fence', '1', '--', 'true'],
    ['who', 'k', '--shared'],
    ['run', 'rlock:f:{a}:a', '--prefix', '', '--', 'true'],
    ['who'],
    ['who', 'a', 'b'],
    ['break', 'k', '--fence', '0'],
    ['ls', '--watch', '--json'],
    ['who', 'k', '--servers', ''],
    ['who', 'k', '--servers', 'redis://:pass-word@'],
] as $arguments) {
    [$status, $output, $errors] = rlock(...$arguments);
    echo json_encode($arguments, JSON_UNESCAPED_SLASHES), " $status ", $output, strtok($errors, "\n"), "\n";
}
[$status, $output, $errors] = rlock('--help');
say('help', [$status, $errors, substr_count($output, "\n") <= 30, max(array_map(strlen(...), explode("\n", $output))) <= 100]);
say('version', preg_match('/^rlock \d+\.\d+\.\d+(-\w+)?$/', rlock('--version')[1]));
?>
--EXPECT--
[] 64 rlock: Which command?
["dance"] 64 rlock: There is no such command
["unlock","k"] 64 rlock: There is no such command; `rlock break KEY` frees a lock, whoever holds it
["lock","k"] 64 rlock: There is no such command; `rlock run KEY -- COMMAND` runs a command under the lock
["run"] 64 rlock: Which key?
["run","k"] 64 rlock: Which command? Write it behind `--`
["run","k","--"] 64 rlock: Which command? Write it behind `--`
["run","k","ls"] 64 rlock: Write `--` before the command
["run","","--","true"] 64 rlock: The key is empty
["run","k","-x","--","true"] 64 rlock: There is no option -x here
["run","k","--\u001bx","--","true"] 64 rlock: There is no option --\x1bx here
["run","k","--tll","5","--","true"] 64 rlock: There is no option --tll here; the nearest is --ttl
["run","k","-wait","5","--","true"] 64 rlock: There is no option -wait here; the nearest is --wait
["run","k","-n","--","true"] 64 rlock: There is no option -n here; without --wait it asks once
["run","k","-w","5","--","true"] 64 rlock: There is no option -w here; --wait S is how long to wait
["run","k","--timeout=5","--","true"] 64 rlock: There is no option --timeout here; --wait S is for the lock, --max-hold S for the command
["wait","k","--timeout","5"] 64 rlock: There is no option --timeout here; --wait S is how long to wait
["who","k","--timeout","5"] 64 rlock: There is no option --timeout here
["ls","--jso=x"] 64 rlock: There is no option --jso here; the nearest is --json
["run","k","--wait","-1","--","true"] 64 rlock: --wait wants seconds from 0 to 1000000000, or "inf"
["run","k","--wait","nan","--","true"] 64 rlock: --wait wants seconds from 0 to 1000000000, or "inf"
["run","k","--wait","1e3","--","true"] 64 rlock: --wait wants seconds from 0 to 1000000000, or "inf"
["run","k","--wait","--","true"] 64 rlock: --wait wants seconds from 0 to 1000000000, or "inf"
["run","k","--wait"] 64 rlock: --wait wants seconds from 0 to 1000000000, or "inf"
["run","k","--ttl","0","--","true"] 64 rlock: --ttl wants seconds from 0.01 to 1000000000
["run","k","--ttl","0.0099","--","true"] 64 rlock: --ttl wants seconds from 0.01 to 1000000000
["run","k","--ttl","1000000000.001","--","true"] 64 rlock: --ttl wants seconds from 0.01 to 1000000000
["run","k","--busy-exit","256","--","true"] 64 rlock: --busy-exit wants a status from 0 to 255
["run","k","--on-loss","dance","--","true"] 64 rlock: --on-loss wants "term", "kill" or "ignore"
["run","k","--quiet=yes","--","true"] 64 rlock: --quiet takes no value
["run","k","--limit","2","--","true"] 64 rlock: --limit is how many may share the lock: say --shared, too
["run","k","--shared","--limit","0","--","true"] 64 rlock: --limit wants a whole number from 1 to 9223372036854775807
["run","k","--shared","--limit","many","--","true"] 64 rlock: --limit wants a whole number from 1 to 9223372036854775807
["run","k","--shared","--limit","9223372036854775808","--","true"] 64 rlock: --limit wants a whole number from 1 to 9223372036854775807
["run","k","--shared=2","--","true"] 64 rlock: --shared takes no value
["run","k","--fence","1","--","true"] 64 rlock: There is no option --fence here
["who","k","--shared"] 64 rlock: There is no option --shared here
["run","rlock:f:{a}:a","--prefix","","--","true"] 64 rlock: A lock's name cannot begin like rlock's own keys, "rlock:f:{"; use a prefix
["who"] 64 rlock: Which key?
["who","a","b"] 64 rlock: There is one argument too many
["break","k","--fence","0"] 64 rlock: --fence wants a whole number from 1
["ls","--watch","--json"] 64 rlock: --watch is for people and --json for programs
["who","k","--servers",""] 64 rlock: The address of the server is empty
["who","k","--servers","redis://:pass-word@"] 64 rlock: The server address cannot be read: the host is missing
help: [0,"",true,true]
version: 1
