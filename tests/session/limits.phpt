--TEST--
The longest id, the longest prefix and the most data there can be are taken, one byte more is not; waits within waits end
--EXTENSIONS--
session
--INI--
session.save_handler=rlock
session.use_cookies=0
session.use_strict_mode=0
session.cache_limiter=
session.gc_probability=0
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/session.inc';

const MOST_BYTES = 8 * 1024 * 1024 - 1024;

ini_set('rlock.servers', shared_url());
$client = shared_client();
$told = [];
set_error_handler(function (int $level, string $message) use (&$told) {
    $told[] = preg_replace('/ \(path: .*\)/', '', $message);
    return true;
});

/* Begins a session, and writes what $value is; whether it began, what was told, and how many bytes are there then. */
function visit(string $id, string $value, string $prefix = 'PHPREDIS_SESSION:'): array
{
    global $told, $client;
    $told = [];
    session_id($id);
    $began = session_start();
    if ($began) {
        $_SESSION['n'] = $value;
        session_write_close();
    }
    $bytes = $client('STRLEN', $prefix . $id);
    $locked = (string) $client('GET', $prefix . $id . '_LOCK');
    $client('DEL', $prefix . $id);
    return [$began, $told, $bytes, $locked];
}

$bytes = fn (int $most) => str_repeat('x', $most - strlen('n|s:8387555:"";'));
say('an id of 256', visit(str_pad(new_id(), 256, 'x'), 'a'));
say('of 257', visit(str_pad(new_id(), 257, 'x'), 'a'));
say('the most bytes', visit(new_id(), $bytes(MOST_BYTES)));
say('one more', visit(new_id(), $bytes(MOST_BYTES + 1)));
foreach ([1000, 1001] as $length) {
    ini_set('rlock.session.prefix', $prefix = str_pad(new_id(), $length, 'x'));
    say("a prefix of $length", visit(new_id(), 'a', $prefix));
}
ini_set('rlock.session.prefix', '');

/* Each wait asks its strategy, which waits in its turn: at last a session is to begin that another has. */
final class Nested implements RLock\RetryStrategy
{
    private int $depth = 0;
    public ?float $took = null;
    public mixed $began = null;

    public function __construct(private int $deepest)
    {
    }

    public function nextBackoff(int $attempt): ?float
    {
        if (++$this->depth < $this->deepest) {
            ignore((new RLock(shared_url(), retry: $this))->getLock($GLOBALS['busy'], wait: 60.0));
        } elseif ($this->took === null) {
            $this->took = seconds(fn () => $this->began = session_start());
        }
        return null;
    }
}

$busy = unique_key();
$id = new_id();
$holder = new RLock(shared_url(), prefix: '');
ignore($holder->getLock(session_lock($id), ttl: 300.0));
ignore($holder->getLock(lock_key($busy), ttl: 300.0));
foreach ([99 => [0.3, 0.3, 60.0], 100 => [60.0, 0.0, 30.0]] as $depth => [$wait, $min, $max]) {
    ini_set('rlock.session.wait', (string) $wait);
    session_id($id);
    $nested = new Nested($depth);
    say("within $depth waits", [(new RLock(shared_url(), retry: $nested))->getLock($busy, wait: 60.0), $nested->began]);
    say_within('it took', $nested->took, $min, $max);
}
?>
--EXPECT--
an id of 256: [true,[],10,""]
of 257: [false,["session_start(): The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, \"-\" and \",\"","session_start(): Failed to read session data: rlock"],0,""]
the most bytes: [true,[],8387584,""]
one more: [true,["session_write_close(): The session has 8387585 bytes, and was not written: the most there can be is 8387584"],0,""]
a prefix of 1000: [true,[],10,""]
a prefix of 1001: [false,["session_start(): The session could not be opened: the prefix of its keys is longer than 1000 bytes","session_start(): Failed to initialize storage module: rlock"],0,""]
within 99 waits: [false,false]
it took: in time
within 100 waits: [false,false]
it took: in time
