<?php

declare(strict_types=1);

namespace RLock\Stubs\Tests;

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
    return $locks->synchronized('key', fn () => 1);         // return.type
}
