<?php

declare(strict_types=1);

namespace RLock\Stubs\Tests;

const AT_ONCE = 3;

/** Each line with a comment is an error, and PHPStan is expected to find just these. */
function wrong(\RLock $locks): string
{
    $got = $locks->getLock(7);                              // argument.type
    $got = $locks->getLocks(['a', 1.5]);                    // argument.type
    $locks->getLock('key');                                 // method.resultDiscarded
    $locks->lock('key');                                    // method.notFound
    strlen($locks->lease('key')->token);                    // property.nonObject
    $locks->synchronized('key', fn (string $name) => 1);    // argument.type
    $locks->stats()['reuqests'];                            // offsetAccess.notFound
    $got = $locks->getSharedLock('key', 3);                 // rlock.limitAsWait
    $got = $locks->getSharedLock('key', AT_ONCE);           // rlock.limitAsWait
    $got = $locks->detached('key', 'name')->getSharedLock(3);   // rlock.limitAsWait
    return $locks->synchronized('key', fn () => 1);         // return.type
}
