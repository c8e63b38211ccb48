--TEST--
A2: no permission on keys or commands: ServerException NOPERM at once
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$users = [
    'other keys only' => ['~other:*', '+@all'],
    'no scripts' => ['~*', '+@all', '-@scripting'],
    'no companions' => ['~lock@*', '+@all'],
    'nothing' => ['~*', '-@all'],
];
foreach ($users as $name => $rules) {
    $client('ACL', 'SETUSER', 'tom', 'reset', 'on', '>secret', ...$rules);
    $lock = new RLock($server->url('user=tom&password=secret&timeout=5&persistent=0'));
    say_took('it took', seconds(function () use ($name, $lock) {
        say($name, outcome(fn () => $lock->getLock('key', wait: 5.0)));
    }), 0, 1);
    say('left', $client('EXISTS', 'lock@key'));
}
$client('ACL', 'SETUSER', 'tom', 'reset', 'on', '>secret', '~lock@*', '~rlock:*', '+@all');
$lock = new RLock($server->url('user=tom&password=secret&timeout=2&persistent=0'));
say('the keys it needs', outcome(fn () => [$lock->getLock('key'), $lock->releaseLock('key')]));
ignore($lock->getLock('key'));
$client('ACL', 'SETUSER', 'tom', 'resetkeys', '~other:*');
say('taken away', outcome(fn () => $lock->releaseLock('key')));
say('for good', outcome(fn () => $lock->close()));
?>
--EXPECT--
other keys only: RLock\ServerException, NOPERM
it took: in time
left: 0
no scripts: RLock\ServerException, NOPERM
it took: in time
left: 0
no companions: RLock\ServerException, NOPERM
it took: in time
left: 0
nothing: RLock\ServerException, NOPERM
it took: in time
left: 0
the keys it needs: [true,true]
taken away: RLock\ServerException, NOPERM
for good: RLock\ServerException, NOPERM
