--TEST--
However many objects end with the request, a frozen server holds it up for one deadline
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
foreach (['', 'register_shutdown_function(fn () => null);'] as $more) {
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
