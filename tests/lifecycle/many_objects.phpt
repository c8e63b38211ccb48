--TEST--
At the end of a request all objects give back as one: however slow the server, and with one warning
--FILE--
<?php
require __DIR__ . '/../server.inc';

const OBJECTS = 150;
$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$code = '
    set_error_handler(fn (int $level, string $message) => print("heard: " . strtok($message, ";") . "\n"));
    for ($i = 0; $i < $args["objects"]; $i++) {
        $locks[$i] = new RLock($args["url"]);
        take_briefly($locks[$i]->getLock(...), "key$i", ttl: 60.0);
    }
    $parent->say("taken");
    $parent->hear();
';
$ends = [
    'in an array' => '',
    'in a static' => 'final class Keeps { public static array $all; } Keeps::$all = $locks;',
    'in variables of their own' => 'extract($locks, EXTR_PREFIX_ALL, "lock"); unset($locks);',
    'with connections of their own' => 'ini_set("rlock.persistent", "0");',
    'by exit' => 'exit(3);',
    'by a fatal error' => 'eval("class Incomplete implements Iterator {}");',
];
$end = function (string $name, string $ending, string $meanwhile, string $query) use ($server, $client, $proxy, $code): void {
    $child = Child::start(str_contains($ending, 'ini_set') ? $ending . $code : $code . $ending, ['url' => $proxy->url($query), 'objects' => OBJECTS],
        '-d display_errors=1 -d html_errors=0 -d log_errors=0');
    $child->hear();
    $connections = explode(' ', $proxy->tell('count'))[1];
    $proxy->tell($meanwhile);
    $child->say('end');
    $child->wait();
    $opened = explode(' ', $proxy->tell('count'))[1] - $connections;
    preg_match_all('/^(heard|Warning): (RLock: .*?locks could|.*end$)/m', $child->output(), $told);
    say($name, [count($client('KEYS', 'lock@*')), $opened, $told[0]]);
    $client('FLUSHALL');
};
foreach ($ends as $name => $ending) {
    $end($name, $ending, 'late 20', 'timeout=2.5');
    $proxy->tell('late 0');
}
foreach (['in an array' => '', 'by a fatal error' => $ends['by a fatal error']] as $name => $ending) {
    $end("no answer, $name", $ending, 'deaf', 'timeout=2');
    $proxy->tell('hear');
}
?>
--EXPECT--
in an array: [0,0,[]]
in a static: [0,0,[]]
in variables of their own: [0,0,[]]
with connections of their own: [0,0,[]]
by exit: [0,0,[]]
by a fatal error: [0,0,[]]
no answer, in an array: [150,0,["heard: RLock: 150 of 150 locks could"]]
no answer, by a fatal error: [150,0,["Warning: RLock: 150 of 150 locks could"]]
