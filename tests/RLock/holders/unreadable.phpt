--TEST--
holders(), sharers(), rlock ls, who and graph: a lock one of whose keys cannot be read is told as such, and ends no list
--SKIPIF--
<?php require __DIR__ . "/../../cli/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/../../cli/cli.inc';

$server = TestServer::start();
$client = $server->client();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
$locks = new RLock($server->url(), ttl: 600.0);
$other = new RLock($server->url(), ttl: 600.0);
ignore($locks->getLocks(['a', 'z']));
ignore($other->getSharedLock('m'));
say('all', count($locks->holders()));
$waiter = Child::start('(new RLock($args["url"]))->getLock("z", wait: 60.0);', ['url' => $server->url()]);
$client->awaitBlocked(1);

$types = [
    'string' => fn (string $key) => $client('SET', $key, 'x'),
    'list' => fn (string $key) => $client('RPUSH', $key, 'x'),
    'hash' => fn (string $key) => $client('HSET', $key, 'x', 'y'),
    'zset' => fn (string $key) => $client('ZADD', $key, 1, 'x'),
];
foreach (['m', 'a'] as $name) {
    foreach (['f', 'w', 'q', 's', 'h', 't', 'r'] as $letter) {
        foreach ($types as $type => $make) {
            $key = "rlock:$letter:{lock@$name}:lock@$name";
            $had = $client('DUMP', $key);
            $client('DEL', $key);
            $make($key);
            $holders = $locks->holders();
            ksort($holders);
            array_keys($holders) === ['a', 'm', 'z'] || say("$name $letter $type", array_keys($holders));
            foreach (['ls', 'graph'] as $command) {
                rlock($command)[0] === 0 || say("$command, $name $letter $type", rlock($command));
            }
            count($locks->sharers($name)) === 1 || say("sharers of $name $letter $type", $locks->sharers($name));
            $client('DEL', $key);
            $had === null || $client('RESTORE', $key, 0, $had);
        }
    }
}
$client('DEL', $shares = 'rlock:s:{lock@m}:lock@m');
$client('SET', $shares, 'x');
$holder = $locks->holders()['m'];
say('it says so', [$holder->kind, $holder->owner, $holder->metadata]);
say('in ls', preg_match('/^m +- +foreign .*cannot be read/m', rlock('ls')[1]));
say('in who', preg_match('/^m +- +foreign .*cannot be read/m', rlock('who', 'm')[1]));

// A user who may see names, and not all of the keys.
$client('ACL', 'SETUSER', 'some', 'on', '>secret', '~lock@a*', '~rlock:*', '&*', '+@all');
$some = new RLock($server->url('user=some&password=secret'));
$found = array_map(fn (RLock\Holder $holder) => $holder->metadata !== null, $some->holders());
ksort($found);
say('not for this user', $found);

// A share's record that is not rlock's, from somebody who may write the keys.
$expires = (int) (microtime(true) * 1000) + 60000;
foreach (['', 'x', '5', ':', '-5:host:1', '1.5:host:1', '1e3:host:1', 'nan:host:1', '99999999999999999999:host:1'] as $record) {
    $client('DEL', $shares);
    $client('ZADD', $shares, $expires, 'forged');
    $client('HSET', 'rlock:h:{lock@m}:lock@m', 'forged', $record);
    count($locks->holders()) === 3 || say("holders() with the record $record", $locks->holders());
    [$share] = $locks->sharers('m');
    [$share->owner, $share->fence] === ['', null] || say("sharers() with the record $record", $share);
    foreach (['ls', 'graph', 'who m'] as $command) {
        rlock(...explode(' ', $command))[0] === 0 || say("$command with the record $record", rlock(...explode(' ', $command)));
    }
}
say('broken', $locks->breakLock('m'));
say('taken', $locks->getLock('m'));
$locks->releaseLock('m');
$client('DEL', $shares);
$waiter->kill();
?>
--EXPECTF--
all: 3
it says so: ["foreign","","cannot be read: one of its keys has another type, or is not for this user"]
in ls: 1
in who: 1
not for this user: {"a":false,"m":true,"z":true}
broken: true
taken: true

Warning: %s
