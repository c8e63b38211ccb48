--TEST--
Pending: its stream in a context of PHP 8.6's Io\Poll, whatever that waits with
--SKIPIF--
<?php
if (!class_exists('Io\Poll\Context')) {
    die('skip this PHP has no Io\Poll');
}
?>
--FILE--
<?php
require __DIR__ . '/../pending.inc';

use Io\Poll\{Backend, BackendUnavailableException, Context, Event};
use Time\Duration;

$server = TestServer::start();
$client = $server->client();

/** Those of whom something is to be polled, by the name that they were added with. */
function ready(Context $context, int $ms): array
{
    return array_map(fn ($watcher) => $watcher->getData(), $context->wait(Duration::fromMilliseconds($ms)));
}

/** As an event loop does: what is decided is watched no more. Their answers, in the order in which they came. */
function run(Context $context, array $pending): array
{
    $watchers = array_map(fn ($one, $name) => $context->add(new StreamPollHandle($one->stream()), [Event::Read], $name), $pending, array_keys($pending));
    $watchers = array_combine(array_keys($pending), $watchers);
    $answers = [];
    for ($end = microtime(true) + PATIENCE; $watchers && microtime(true) < $end;) {
        foreach (ready($context, 1000) as $name) {
            if (isset($watchers[$name]) && ($answer = $pending[$name]->poll()) !== null) {
                $answers[] = [$name, $answer];
                $watchers[$name]->remove();
                unset($watchers[$name]);
            }
        }
    }
    return $answers;
}

foreach ([Backend::Auto, Backend::Poll, Backend::Epoll] as $backend) {
    try {
        $context = new Context($backend);
    } catch (BackendUnavailableException) {
        continue;
    }
    $holder = new RLock($server->url());
    $lock = new RLock($server->url());
    ignore($holder->getLocks(['one', 'two', 'three']));
    say($backend === Backend::Auto ? 'of its own choice' : 'as told', $context->getBackend() !== Backend::Auto);

    say('free', run($context, ['free' => $lock->requestLock('free')]));
    say('its time is up', run($context, ['one' => $lock->requestLock('one', 0.2)]));

    $pending = [];
    foreach (['one', 'two', 'three'] as $key) {
        $pending[$key] = $lock->requestLock($key);
    }
    park($client, 3, ...array_values($pending));
    $watched = array_map(fn ($one) => $context->add(new StreamPollHandle($one->stream()), [Event::Read], $one->key()), $pending);
    await('nothing to do', function () use ($context, $pending) {
        $names = ready($context, 200);
        array_map(fn ($name) => $pending[$name]->poll(), $names);
        return $names === [];
    });
    say('given back', $holder->releaseLock('two'));
    say('who is ready', ready($context, (int) (PATIENCE * 1000)));
    array_map(fn ($watcher) => $watcher->remove(), $watched);
    say('has it', run($context, ['two' => $pending['two']]));
    say('given back', [$holder->releaseLock('three'), $holder->releaseLock('one')]);
    $answers = run($context, ['one' => $pending['one'], 'three' => $pending['three']]);
    sort($answers);
    say('have them', $answers);
    say('all given back', $lock->releaseAll());
}
?>
--EXPECT--
of its own choice: true
free: [["free",true]]
its time is up: [["one",false]]
given back: true
who is ready: ["two"]
has it: [["two",true]]
given back: [true,true]
have them: [["one",true],["three",true]]
all given back: true
as told: true
free: [["free",true]]
its time is up: [["one",false]]
given back: true
who is ready: ["two"]
has it: [["two",true]]
given back: [true,true]
have them: [["one",true],["three",true]]
all given back: true
as told: true
free: [["free",true]]
its time is up: [["one",false]]
given back: true
who is ready: ["two"]
has it: [["two",true]]
given back: [true,true]
have them: [["one",true],["three",true]]
all given back: true
