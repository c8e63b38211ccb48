--TEST--
Sessions in a cluster: lock and data are in one slot, where phpredis has them; the slot moves meanwhile
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$cluster = new TestCluster();
$settings = ['rlock.servers' => $cluster->url(), 'session.use_strict_mode' => '1'];
$key = fn (string $id) => "PHPREDIS_CLUSTER_SESSION:$id";
$lock = fn (string $id) => '{' . $key($id) . '}_LOCK';
$slots = [];
for ($i = 0; $i < 5; $i++) {
    $id = new_id();
    $slot = TestCluster::slot($key($id));
    $owner = null;
    foreach ($cluster->masters as $master) {
        try {
            $client = $master->client();
            $client('SET', $key($id), 'n|i:1;');
            $owner = $client;
        } catch (RawError) {
        }
    }
    $page = page('session_start(); $parent->say(session_id() === $args["id"]); $parent->hear(); $_SESSION["n"]++;', ['id' => $id], $settings);
    $same = $page->hear();
    $held = $owner('EXISTS', $lock($id));
    $page->say('go on');
    $seen[] = [$same, $held, printed($page), $owner('GET', $key($id)), $owner('EXISTS', $lock($id)), $slot === TestCluster::slot($lock($id))];
}
say('five sessions', array_unique($seen, SORT_REGULAR));
run_page('destroyed', 'session_start(); var_dump(session_destroy());', ['id' => $id], $settings);
say('gone', [$owner('EXISTS', $key($id)), $owner('EXISTS', $lock($id))]);

/* A tag of the prefix. */
run_page('a prefix with a tag', 'session_start(); $_SESSION["n"] = 1; $parent->say(1);', ['id' => $id], ['rlock.session.prefix' => '{shop}:', 'session.use_strict_mode' => '0'] + $settings);
foreach ($cluster->masters as $master) {
    try {
        say('data', ($master->client())('GET', '{shop}:' . $id));
    } catch (RawError) {
    }
}
run_page('a prefix with a brace', 'var_dump(session_start());', ['id' => $id], ['rlock.session.prefix' => 'a{b:'] + $settings);

/* The slot moves while a page has its session. */
[$a, $b] = $cluster->masters;
do {
    $id = new_id();
    try {
        ($a->client())('SET', $key($id), 'n|i:1;');
        $there = true;
    } catch (RawError) {
        $there = false;
    }
} while (!$there);
$page = holder($id, '$_SESSION["n"]++;', $settings);
$cluster->move(TestCluster::slot($key($id)), $a, $b);
$page->say('go on');
say('written behind it', [printed($page), ($b->client())('GET', $key($id)), ($b->client())('EXISTS', $lock($id))]);
?>
--EXPECT--
five sessions: [[true,1,"","n|i:2;",0,true]]
destroyed:
    bool(true)
gone: [0,0]
a prefix with a tag:

data: n|i:1;
a prefix with a brace:
    Warning: session_start(): The session could not be opened: the prefix of its keys has a brace and no hash tag, so that lock and data would not be in one slot
    Warning: session_start(): Failed to initialize storage module: rlock
    bool(false)
written behind it: ["","n|i:2;",0]
