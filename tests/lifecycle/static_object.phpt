--TEST--
Objects that outlive the script's end are released too: globals, statics, in other objects' destructors
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$keys = ['global' => unique_key(), 'static' => unique_key(), 'cycle' => unique_key(), 'destructor' => unique_key()];
$child = Child::start('
    class Registry { public static $lock; }
    class Late {
        public function __construct(public $lock, public $key) {}
        public function __destruct() { ignore($this->lock->getLock($this->key, ttl: 300.0)); }
    }
    $global = new RLock($args["url"]);
    ignore($global->getLock($args["keys"]["global"], ttl: 300.0));
    Registry::$lock = new RLock($args["url"]);
    ignore(Registry::$lock->getLock($args["keys"]["static"], ttl: 300.0));
    $ring = new stdClass();
    $ring->self = $ring;
    $ring->lock = new RLock($args["url"]);
    ignore($ring->lock->getLock($args["keys"]["cycle"], ttl: 300.0));
    unset($ring);
    $late = new Late(new RLock($args["url"]), $args["keys"]["destructor"]);
    $parent->say("held");
    $parent->hear();
', ['url' => shared_url(), 'keys' => $keys]);
say('child', $child->hear());
say('held', $client('EXISTS', ...array_map(lock_key(...), array_values($keys))));
$child->say('end');
say('ended with', $child->wait());
foreach ($keys as $name => $key) {
    say($name, $client('EXISTS', lock_key($key)));
}
echo $child->output();
?>
--EXPECT--
child: held
held: 3
ended with: 0
global: 0
static: 0
cycle: 0
destructor: 0
