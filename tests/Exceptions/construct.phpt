--TEST--
Exceptions can be made by tests: message, key, their own properties, previous
--FILE--
<?php
require __DIR__ . '/../server.inc';

use RLock\{RLockException, TimeoutException, LostLockException, NotAcquiredException, ConnectionException, ServerException, Holder};

$previous = new LogicException('before');
$holder = new Holder(key: 'k', owner: '', fence: null, ttl: null, metadata: null, contended: false);

$e = new RLockException();
say('bare', [$e->getMessage(), $e->key, $e->getPrevious(), $e->getCode()]);
$e = new RLockException('text', 'k', $previous);
say('by place', [$e->getMessage(), $e->key, $e->getPrevious() === $previous]);
foreach ([RLockException::class, ConnectionException::class] as $class) {
    $e = new $class(message: 'text', key: 'k', previous: $previous);
    say($class, [$e->getMessage(), $e->key, $e->getPrevious() === $previous, $e->getLine() === __LINE__ - 1]);
}
$e = new TimeoutException('text', 'k', 1.5, true, null, $previous);
say('Timeout', [$e->getMessage(), $e->key, $e->lateBy, $e->held, $e->getPrevious() === $previous, $e->result]);
$e = new TimeoutException(result: $holder);
say('Timeout, with a result', $e->result === $holder);
$e = new TimeoutException();
say('Timeout, bare', [$e->key, $e->lateBy, $e->held, $e->result]);
$e = new LostLockException(message: 'text', key: 'k', lateBy: 1.5, holder: $holder, previous: $previous, result: [1]);
say('Lost', [$e->getMessage(), $e->key, $e->lateBy, $e->held, $e->holder === $holder, $e->getPrevious() === $previous, $e->result]);
say('Lost, by place', (new LostLockException('text', 'k', 1.5, false, 'result', $holder, $previous))->getPrevious() === $previous);
$e = new NotAcquiredException('text', 'k', $holder, $previous);
say('NotAcquired', [$e->getMessage(), $e->key, $e->holder === $holder, $e->getPrevious() === $previous]);
$e = new NotAcquiredException(key: 'k');
say('NotAcquired, without', [$e->getMessage(), $e->key, $e->holder]);
$e = new ServerException('text', 'k', 'OOM', $previous);
say('Server', [$e->getMessage(), $e->key, $e->error, $e->getPrevious() === $previous]);

say('wrong type', outcome(fn () => throw new TimeoutException('text', 'k', 'late')));
say('write', outcome(function () use ($e) { $e->error = 'X'; }));
say('serialize', outcome(fn () => serialize(new TimeoutException('text'))));

class MyTimeout extends TimeoutException
{
    public function __construct()
    {
    }
}
$e = new MyTimeout();
say('subclass', $e instanceof RLockException);
say('its unset property', outcome(fn () => $e->key));
?>
--EXPECT--
bare: ["",null,null,0]
by place: ["text","k",true]
RLock\RLockException: ["text","k",true,true]
RLock\ConnectionException: ["text","k",true,true]
Timeout: ["text","k",1.5,true,true,null]
Timeout, with a result: true
Timeout, bare: [null,0.0,false,null]
Lost: ["text","k",1.5,false,true,true,[1]]
Lost, by place: true
NotAcquired: ["text","k",true,true]
NotAcquired, without: ["","k",null]
Server: ["text","k","OOM",true]
wrong type: TypeError
write: Error
serialize: Exception
subclass: true
its unset property: Error
