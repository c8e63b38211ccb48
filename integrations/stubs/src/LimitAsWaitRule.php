<?php

declare(strict_types=1);

namespace RLock\Stubs;

use PhpParser\Node;
use PhpParser\Node\Arg;
use PhpParser\Node\Expr\MethodCall;
use PhpParser\Node\Identifier;
use PHPStan\Analyser\Scope;
use PHPStan\Rules\Rule;
use PHPStan\Rules\RuleErrorBuilder;
use PHPStan\Type\ObjectType;
use RLock\DetachedLock;
use RLock\Locker;

/**
 * Finds `getSharedLock($key, 3)`, which waits for three seconds and lets in any number: who writes a whole number there
 * mostly means the limit. Whoever means seconds writes 3.0, or the parameter's name.
 *
 * @implements Rule<MethodCall>
 */
final class LimitAsWaitRule implements Rule
{
    /** Where `$wait` stands, by the class that has the method. */
    private const POSITIONS = [Locker::class => 1, DetachedLock::class => 0];

    public function getNodeType(): string
    {
        return MethodCall::class;
    }

    public function processNode(Node $node, Scope $scope): array
    {
        if (!$node->name instanceof Identifier || $node->name->toLowerString() !== 'getsharedlock' || $node->isFirstClassCallable()) {
            return [];
        }
        $wait = $this->wait($node, $scope);
        if ($wait === null || !$scope->getType($wait->value)->isInteger()->yes()) {
            return [];
        }
        return [
            RuleErrorBuilder::message('A whole number is given for $wait, which is in seconds: write limit: for how many at once, or a float.')
                ->identifier('rlock.limitAsWait')
                ->build(),
        ];
    }

    /** Null: there is none, or it is named, or there is a limit, too. */
    private function wait(MethodCall $call, Scope $scope): ?Arg
    {
        $arguments = $call->getArgs();
        foreach ($arguments as $argument) {
            if ($argument->unpack || $argument->name?->toString() === 'limit') {
                return null;
            }
        }
        foreach (self::POSITIONS as $class => $position) {
            $argument = $arguments[$position] ?? null;
            if ($argument?->name === null && (new ObjectType($class))->isSuperTypeOf($scope->getType($call->var))->yes()) {
                return $argument;
            }
        }
        return null;
    }
}
