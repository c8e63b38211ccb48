--TEST--
getLock() excludes another process, whatever address leads to the server
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock($args["key"]));
    $parent->hear();
    $parent->say($lock->releaseLock($args["key"]));
', ['url' => shared_tcp_url(), 'key' => $key]);
say('child', $child->hear());
$lock = new RLock(shared_url());
say('parent', $lock->getLock($key));
$child->say('release');
say('child released', $child->hear());
say('parent', $lock->getLock($key));
say('child ended with', $child->wait());
?>
--EXPECT--
child: true
parent: false
child released: true
parent: true
child ended with: 0
