--TEST--
open_basedir holds whenever a socket is used, not only when it is named: by the program, and by the renewal thread
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$inside = TestServer::start();
$outside = TestServer::start();
$folder = temporary_folder() . '/site';
mkdir($folder);
$lead_to = function (string $target) use ($folder): void {
    symlink($target, "$folder/new");
    rename("$folder/new", "$folder/link");
};
$lead_to($inside->socket);

$child = Child::start(<<<'PHP'
    $take = function (RLock $locks, string $key): bool|string {
        try {
            return $locks->getLock($key);
        } catch (RLock\RLockException $e) {
            return get_class($e) . strrchr($e->getMessage(), ':');
        }
    };
    $make = fn (string $query = '', string $name = 'link', mixed ...$more) => new RLock("unix://$args[site]/$name?persistent=0&timeout=1$query", ...$more);
    ini_set('open_basedir', "$args[site]:$args[inside]");
    [$unused, $narrowed] = [$make(), $make()];
    $renewing = $make('', ttl: 1.0, autoRenew: true);
    $parent->say([$take($make(), 'a'), $take($renewing, 'renewed')]);
    $parent->hear();
    $parent->say([$take($unused, 'b'), $take($make('', 'missing'), 'c')]);
    $parent->say(await('the end of the lease', function () use ($renewing) {
        try {
            $renewing->check('renewed');
        } catch (RLock\TimeoutException) {
            return 'is lost';
        }
    }));
    $parent->hear();
    $parent->say($take($unused, 'd'));
    ini_set('open_basedir', $args['site']);
    $parent->say($take($narrowed, 'e'));
    PHP, ['site' => $folder, 'inside' => dirname($inside->socket)]);
say('it leads inside', $child->hear());
$lead_to($outside->socket);
$client = $outside->client();
$before = $client->info('total_connections_received');
$inside->client()('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
$child->say('outside');
say('it leads outside, or nowhere', $child->hear());
say('what was renewed', $child->hear());
say('connections outside', $client->info('total_connections_received') - $before);
$lead_to($inside->socket);
$child->say('inside');
say('it leads inside again', $child->hear());
say('a folder less', $child->hear());
say('ended', $child->wait());
?>
--EXPECT--
it leads inside: [true,true]
it leads outside, or nowhere: ["RLock\\ConnectionException: it is not there, or open_basedir does not allow it","RLock\\ConnectionException: it is not there, or open_basedir does not allow it"]
what was renewed: is lost
connections outside: 0
it leads inside again: true
a folder less: RLock\ConnectionException: it is not there, or open_basedir does not allow it
ended: 0
