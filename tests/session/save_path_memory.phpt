--TEST--
session.save_path: once its server is dropped, nothing of a password in it is in the process' memory but PHP's own copies of the path
--EXTENSIONS--
session
--SKIPIF--
<?php
is_readable('/proc/self/mem') || die('skip the memory of a process cannot be read here');
?>
--FILE--
<?php
require __DIR__ . '/session.inc';

/* How often each of these is in what the process may write to. */
function count_in_memory(int $pid, array $texts): array
{
    $memory = fopen("/proc/$pid/mem", 'r');
    stream_set_read_buffer($memory, 0);
    $counts = array_map(fn () => 0, $texts);
    foreach (file("/proc/$pid/maps") as $map) {
        if (preg_match('/^([0-9a-f]+)-([0-9a-f]+) rw/', $map, $of) && fseek($memory, hexdec($of[1])) === 0) {
            $bytes = stream_get_contents($memory, hexdec($of[2]) - hexdec($of[1]));
            foreach ($texts as $form => $text) {
                $counts[$form] += substr_count($bytes, $text);
            }
        }
    }
    return $counts;
}

/* No page has it but as the path gives it; and none looks for more than the middle, as what is freed loses its ends. */
$password = 'the/pass/word+of-theirs!';
$given = preg_replace_callback('/./', fn (array $of) => sprintf('%%%02x', ord($of[0])), $password);
$texts = ['decoded' => 'word+of-the', 'encoded anew' => 'word%2Bof-the', 'as given' => substr($given, 27, 36)];
$server = TestServer::start(['--requirepass', $password], tcp: true);
$long = implode('&', array_map(fn (int $i) => "stream[$i]=" . str_repeat('x', 50), range(1, 20)));

foreach ([
    'a host' => "tcp://127.0.0.1:$server->port?auth=$given&database=1",
    'user and password' => "tcp://127.0.0.1:$server->port?auth[]=default&auth[]=$given",
    'given twice, the second time after a #' => "tcp://127.0.0.1:$server->port?auth=$given%00&weight=1#&auth=$given",
    'a socket' => "unix://$server->socket?auth=$given&persistent=1",
    'a long path' => "tcp://127.0.0.1:$server->port?$long&auth=$given&$long&read_timeout=9",
    'an address of ours' => "redis://:$given@127.0.0.1:$server->port",
    'a parameter that is refused' => "tcp://127.0.0.1:$server->port?auth=$given&word=1",
    'a wrong password' => "tcp://127.0.0.1:$server->port?auth=$given%00",
] as $what => $path) {
    $page = page(
        '$parent->say(null);
        $parent->hear();
        $opened = @session_start(["read_and_close" => true]);
        for ($i = 0; $i < 100; $i++) {
            new RLock("redis://other$i"); // in place of the former, which nobody uses
        }
        $parent->say($opened);
        $parent->hear();',
        ['id' => new_id()],
        ['session.save_path' => $path],
    );
    $page->hear();
    $before = count_in_memory($page->pid, $texts);
    $page->say('open it');
    $opened = $page->hear();
    $after = count_in_memory($page->pid, $texts);
    $page->say('end');
    $page->wait();
    /* What PHP warns of, it copies. */
    $after['as given'] = $before['as given'] > 0 && (!$opened || $after['as given'] <= $before['as given']) ? "PHP's" : $after['as given'];
    say($what, ['opened' => $opened] + $after);
}
?>
--EXPECT--
a host: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
user and password: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
given twice, the second time after a #: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
a socket: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
a long path: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
an address of ours: {"opened":true,"decoded":0,"encoded anew":0,"as given":"PHP's"}
a parameter that is refused: {"opened":false,"decoded":0,"encoded anew":0,"as given":"PHP's"}
a wrong password: {"opened":false,"decoded":0,"encoded anew":0,"as given":"PHP's"}
