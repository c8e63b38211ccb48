--TEST--
Completion of the command rlock: TAB and ENTER run nothing but rlock, whatever a lock's name is, and a name is one word
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$folder = temporary_folder();
mkdir("$folder/bin");
mkdir("$folder/ran");
// It asks the server as always, and says whatever else it is given. A busy machine has time.
file_put_contents("$folder/bin/rlock", "#!/bin/bash\n[ \"\$1\" = ls ] && exec \$PROGRAM \"\$@\"\n"
    . "IFS=; printf '<<%s>>\\n' \"\$(printf '%s' \"\${*/#/;}\" | od -An -v -tx1 | tr -d ' \\n')\"\n");
file_put_contents("$folder/bin/timeout", "#!/bin/sh\nshift; exec \"\$@\"\n");
chmod("$folder/bin/rlock", 0755);
chmod("$folder/bin/timeout", 0755);

$server = TestServer::start();
$client = $server->client();
$terminal = new Terminal();
$terminal->type("export PROGRAM=\$RLOCK PATH=$folder/bin:\$PATH LANG=C.UTF-8 LC_ALL=C.UTF-8 RLOCK_SERVERS="
    . escapeshellarg($server->url('timeout=10')) . '; bind \'"\\t": complete\'; bind "set bell-style none"; cd ' . "$folder/ran; . "
    . escapeshellarg(dirname(__DIR__, 2) . '/cli/completion.bash') . "\n");

$terminal->type("PROMPT_COMMAND='echo don\"\"e'\n");
$terminal->await('/^done\r$/m');

/* The arguments that rlock got after these keys and ENTER. */
function typed(string $keys): string
{
    global $terminal;
    $terminal->type("$keys\n");
    [, $before] = $terminal->await('/((?s).*?)^done\r$/m');
    return preg_match('/<<([0-9a-f]*)>>/', $before, $match) ? (string) hex2bin($match[1]) : '-';
}

function run_by(string $name, string ...$ways): void
{
    global $client, $folder;
    $client('FLUSHALL');
    $client('SET', "lock@$name", 'rlock1:' . str_repeat('a', 32) . ':web1:5', 'PX', '600000');
    foreach ($ways as $keys) {
        $got = typed($keys);
        say(substr(preg_replace('/[^ -~]/', '.', $name), 0, 40) . ', by ' . strtr($keys, ["\t" => '<TAB>']), $got === ";who;$name" ? 'the name' : $got);
        foreach (glob("$folder/ran/*") as $file) {
            echo 'RUN: ', basename($file), "\n";
            unlink($file);
        }
    }
}

foreach (['a;id>1@example.com', 'a|id>1', 'a&id>1', "a b'c;id>1", 'a>1', 'a<(id>1)', 'a b', 'a!!', 'a*', 'a{b,c}', 'a:b:c', 'a=b@x', 'aé;id>1',
    '~root', '#a', ' a'] as $name) {
    run_by($name, "rlock who \t");
}
run_by('a b:;id>1;@c', "rlock who a\t", "rlock who a\\ b:\t", "rlock who a\\ b:\\;\t", "`rlock who \t`", "echo \$(rlock who \t)");
run_by('mail:17', "rlock who mail:\t", "rlock who mail:1\t", "rlock who nothing\t");
echo "not in quotes\n";
run_by('a b;id>1', "rlock who 'a\t'", "rlock who 'a \t'", "rlock who \"a \t\"", "rlock who \$'a \t'", "rlock who \"`rlock who \t`\"");
run_by("a b';id>1", "rlock who 'a \t'", "rlock who 'a b\t'", "rlock who \"a \t\"");
echo "not offered\n";
foreach (['a$(id>1)@example.com', 'a`id>1`', 'a$HOME', 'a"b', 'a\\b', "a\nid>1", "a\e[1m", '--servers=redis://other.example', str_repeat('a', 201)] as $name) {
    run_by($name, "rlock who \t", "`rlock who a\t`");
}
echo "several\n";
$client('FLUSHALL');
foreach (['many ;id>1', 'many ;id>2', 'other'] as $name) {
    $client('SET', "lock@$name", 'rlock1:' . str_repeat('a', 32) . ':web1:5', 'PX', '600000');
}
say('what they begin with', typed("rlock break m\t"));
say('one of them', typed("rlock break m\t2\t"));
say('words of its own', typed("rlock r\tother --on-l\tk\t"));
say('run', glob("$folder/ran/*"));
?>
--EXPECT--
a;id>1@example.com, by rlock who <TAB>: the name
a|id>1, by rlock who <TAB>: the name
a&id>1, by rlock who <TAB>: the name
a b'c;id>1, by rlock who <TAB>: the name
a>1, by rlock who <TAB>: the name
a<(id>1), by rlock who <TAB>: the name
a b, by rlock who <TAB>: the name
a!!, by rlock who <TAB>: the name
a*, by rlock who <TAB>: the name
a{b,c}, by rlock who <TAB>: the name
a:b:c, by rlock who <TAB>: the name
a=b@x, by rlock who <TAB>: the name
a..;id>1, by rlock who <TAB>: the name
~root, by rlock who <TAB>: the name
#a, by rlock who <TAB>: the name
 a, by rlock who <TAB>: the name
a b:;id>1;@c, by rlock who a<TAB>: the name
a b:;id>1;@c, by rlock who a\ b:<TAB>: the name
a b:;id>1;@c, by rlock who a\ b:\;<TAB>: the name
a b:;id>1;@c, by `rlock who <TAB>`: ;who
a b:;id>1;@c, by echo $(rlock who <TAB>): ;who
mail:17, by rlock who mail:<TAB>: the name
mail:17, by rlock who mail:1<TAB>: the name
mail:17, by rlock who nothing<TAB>: ;who;nothing
not in quotes
a b;id>1, by rlock who 'a<TAB>': ;who;a
a b;id>1, by rlock who 'a <TAB>': ;who;a 
a b;id>1, by rlock who "a <TAB>": ;who;a 
a b;id>1, by rlock who $'a <TAB>': ;who;a 
a b;id>1, by rlock who "`rlock who <TAB>`": ;who;<<3b77686f>>
a b';id>1, by rlock who 'a <TAB>': ;who;a 
a b';id>1, by rlock who 'a b<TAB>': ;who;a b
a b';id>1, by rlock who "a <TAB>": ;who;a 
not offered
a$(id>1)@example.com, by rlock who <TAB>: ;who
a$(id>1)@example.com, by `rlock who a<TAB>`: ;who;a
a`id>1`, by rlock who <TAB>: ;who
a`id>1`, by `rlock who a<TAB>`: ;who;a
a$HOME, by rlock who <TAB>: ;who
a$HOME, by `rlock who a<TAB>`: ;who;a
a"b, by rlock who <TAB>: ;who
a"b, by `rlock who a<TAB>`: ;who;a
a\b, by rlock who <TAB>: ;who
a\b, by `rlock who a<TAB>`: ;who;a
a.id>1, by rlock who <TAB>: ;who
a.id>1, by `rlock who a<TAB>`: ;who;a
a.[1m, by rlock who <TAB>: ;who
a.[1m, by `rlock who a<TAB>`: ;who;a
--servers=redis://other.example, by rlock who <TAB>: ;who
--servers=redis://other.example, by `rlock who a<TAB>`: ;who;a
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, by rlock who <TAB>: ;who
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, by `rlock who a<TAB>`: ;who;a
several
what they begin with: ;break;many ;id>
one of them: ;break;many ;id>2
words of its own: ;run;other;--on-loss;kill
run: []