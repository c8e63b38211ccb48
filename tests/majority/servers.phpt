--TEST--
A list of servers: from the ini, in one text, of one, with one twice, with too many, with what is no single server
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
ini_set('rlock.servers', implode('  ', $nodes->urls()));
$lock = new RLock();
say('from the ini', [$lock->getLock('key'), $lock->lease('key')->fence]);
await('all of them', fn () => $nodes->holding('key') >= 2);
$lock->close();

$text = new RLock(' ' . implode('  ', $nodes->urls()) . ' ');
say('from one text', [$text->getLock('text'), $text->lease('text')->fence]);
await('all of them', fn () => $nodes->holding('text') >= 2);
$text->close();

$single = new RLock([$nodes->servers[0]->url()]);
say('one has a fence', [$single->getLock('single'), is_int($single->lease('single')->fence)]);

foreach ([
    'twice' => [nowhere(), 'redis://a', nowhere()],
    'many' => array_map(fn (int $i) => "redis://host$i", range(1, 16)),
    'cluster' => ['redis://a', 'cluster://b', 'redis://c'],
    'cluster in a text' => 'redis://a cluster://b redis://c',
    'a space' => 'redis://:pass word@host',
    'a space in the second' => 'redis://a redis://:pass word@host',
    'spaces' => '  ',
    'unreadable' => ['redis://a', 'http://b'],
] as $what => $list) {
    try {
        new RLock($list);
    } catch (ValueError $e) {
        say($what, $e->getMessage());
    }
}
$most = new RLock(array_map(fn (int $i) => "unix:///nonexistent/$i.sock", range(1, 15)));
say('none there', outcome(fn () => $most->getLock('key')));
say('replicas of masters', outcome(fn () => new RLock($nodes->urls(), replicas: 1)));

/* Of two both are needed. */
$two = new RLock(array_slice($nodes->urls(), 0, 2));
say('two', [$two->getLock('both'), $two->releaseLock('both')]);
$nodes->servers[1]->kill();
say('one of two', outcome(fn () => $two->getLock('both')));
?>
--EXPECT--
from the ini: [true,null]
from one text: [true,null]
one has a fence: [true,true]
twice: RLock::__construct(): Argument #1 ($servers) is invalid: The list of servers has /nonexistent/rlock.sock twice; a majority is one of different servers
many: RLock::__construct(): Argument #1 ($servers) is invalid: The list of servers has 16 of them, more than 15
cluster: RLock::__construct(): Argument #1 ($servers) is invalid: Address 2 of 3: The server address cannot be read: sentinel:// and cluster:// stand by themselves, not in a list
cluster in a text: RLock::__construct(): Argument #1 ($servers) is invalid: Address 2 of 3: The server address cannot be read: sentinel:// and cluster:// stand by themselves, not in a list
a space: RLock::__construct(): Argument #1 ($servers) is invalid: The server address cannot be read: a space or control character (a space is written %20)
a space in the second: RLock::__construct(): Argument #1 ($servers) is invalid: Address 2 of 2: The server address cannot be read: a space or control character (a space is written %20)
spaces: RLock::__construct(): Argument #1 ($servers) is invalid: It is empty
unreadable: RLock::__construct(): Argument #1 ($servers) is invalid: Address 2 of 2: The server address cannot be read: it must begin with redis://, rediss:// or unix://, or by itself with sentinel:// or cluster://
none there: RLock\ConnectionException
replicas of masters: ValueError
two: [true,true]
one of two: RLock\ConnectionException
