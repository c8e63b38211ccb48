--TEST--
The message of NotAcquiredException says who has the lock, for how much longer, and how long the wait was
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url(), ttl: 60.0);
$message = function (float $wait = 0.0) use ($lock, $key): string {
    try {
        $lock->synchronized($key, fn () => 1, wait: $wait);
    } catch (RLock\NotAcquiredException $e) {
        $us = gethostname() . ':' . getmypid();
        return preg_replace('/\d+\.\d{3} s/', 'N s', strtr($e->getMessage(), [$key => 'KEY', $us => 'US']));
    }
};
ignore($other->getLock($key));
echo $message(), "\n", $message(0.2), "\n";
$other->releaseLock($key);
ignore($other->getLock($key, metadata: "im\e[31mport"));
echo $message(), "\n";
$other->releaseLock($key, delayAfter: 60.0);
echo $message(), "\n";
// Another container's process 1 may have the same name.
$client('SET', lock_key($key), 'rlock1:' . str_repeat('a', 32) . ':' . gethostname() . ':' . getmypid() . ':import', 'PX', 60000);
echo $message(), "\n";
$client('SET', lock_key($key), 'foreign', 'PX', 60000);
echo $message(), "\n";
$client('SET', lock_key($key), "foreign\n");
echo $message(), "\n";
$client('DEL', lock_key($key));
ignore($other->getLock($key));
ignore($other->handOver($key));
echo $message(), "\n";
$client('DEL', lock_key($key));
$child = Child::start('$lock = new RLock($args["url"]); $parent->say($lock->getLock($args["key"], metadata: "import")); $parent->hear();', ['url' => shared_url(), 'key' => $key]);
say('a child has it', $child->hear());
echo preg_replace('/[^ ]+:\d+/', 'OTHER', $message()), "\n";
?>
--EXPECT--
The lock "KEY" is busy: this very process, US, holds it for another N s
The lock "KEY" stayed busy for N s: this very process, US, holds it for another N s
The lock "KEY" is busy: this very process, US ("im\x1b[31mport"), holds it for another N s
The lock "KEY" is busy: a delay after its release by US ("im\x1b[31mport") keeps it for another N s
The lock "KEY" is busy: a process of that name, US ("import"), holds it for another N s
The lock "KEY" is busy: a client of another library holds it for another N s
The lock "KEY" is busy: a client of another library holds it without an end
The lock "KEY" is busy: a hand-over keeps it for another N s
a child has it: true
The lock "KEY" is busy: OTHER ("import") holds it for another N s
