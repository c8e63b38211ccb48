--TEST--
However many objects end with the request, a frozen server holds it up for one deadline
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$left = '
    function leave(int $deeper, string $url, $parent): void
    {
        $lock = new RLock($url);
        take_briefly($lock->getLock(...), "key$deeper", ttl: 60.0);
        if ($deeper === 0) {
            $parent->say("taken");
            $parent->hear();
            exit;
        }
        leave($deeper - 1, $url, $parent);
    }
    leave(15, $args["url"], $parent);
';
foreach (['', 'register_shutdown_function(fn () => null);', $left] as $more) {
    $child = Child::start("$more\n" . '
        for ($i = 0; $i < 15; $i++) {
            $locks[$i] = new RLock($args["url"]);
            take_briefly($locks[$i]->getLock(...), "key$i", ttl: 60.0);
        }
        $parent->say("taken");
        $parent->hear();
    ', ['url' => $server->url('timeout=0.6')]);
    say('child', $child->hear());
    $server->freeze();
    say_took('its end', seconds(function () use ($child) {
        $child->say('end');
        $child->wait();
    }), 0.5, 4.0);
    $server->thaw();
    $server->client()('FLUSHALL');
}
?>
--EXPECT--
child: taken
its end: in time
child: taken
its end: in time
child: taken
its end: in time
