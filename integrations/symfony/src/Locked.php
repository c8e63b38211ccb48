<?php

declare(strict_types=1);

namespace RLock\Symfony;

/**
 * Lets one call at a time of a controller, a console command, or a message's handler run:
 *
 *     #[Locked('order:{id}', wait: 3.0)]
 *
 * The lock is renewed while the call runs. It is that of `createLock('order:5')`.
 */
#[\Attribute(\Attribute::TARGET_CLASS | \Attribute::TARGET_METHOD)]
final class Locked
{
    private static bool $isAssumed = false;

    /**
     * @param string $resource in which `{name}` stands for an argument of the controller, an argument or option of the
     *     command, or a property of the message, and `{name.part}` for a part of it: its key, property, or getter
     * @param float $wait for so many seconds at most; INF: for as long as it takes
     * @param Busy $busy what becomes of the call if the lock is busy still
     * @param string|null $fence the name of the argument, or the command's option, that takes the lock's fence
     */
    public function __construct(
        public readonly string $resource,
        public readonly float $wait = 0.0,
        public readonly Busy $busy = Busy::Throw,
        public readonly ?string $fence = null,
    ) {
    }

    /**
     * For the first line of what is to be locked: fails unless its class runs under its #[Locked].
     *
     * @throws \LogicException
     */
    public static function assertHeld(): void
    {
        $class = debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2)[1]['class'] ?? '';
        if (!self::$isAssumed && !LockedCall::isRunning($class)) {
            throw new \LogicException("$class does not run under its #[Locked]: RLockSymfonyBundle sees to it for controllers that the kernel "
                . 'calls, commands that an application with events runs, and handlers that a message bus calls');
        }
    }

    /** For tests that call it themselves: assertHeld() is content. */
    public static function assumeHeld(bool $isAssumed = true): void
    {
        self::$isAssumed = $isAssumed;
    }

    /**
     * That of a function or method, or else of its class, or of what that extends.
     *
     * @param class-string $class
     *
     * @internal
     */
    public static function of(\ReflectionFunctionAbstract $function, string $class): ?self
    {
        $found = $function->getAttributes(self::class);
        for ($of = new \ReflectionClass($class); $found === [] && $of !== false; $of = $of->getParentClass()) {
            $found = $of->getAttributes(self::class);
        }
        return $found === [] ? null : $found[0]->newInstance();
    }

    /**
     * The class of what a closure calls.
     *
     * @return class-string
     *
     * @internal
     */
    public static function classOf(\ReflectionFunction $function): string
    {
        $object = $function->getClosureThis();
        return $object === null ? ($function->getClosureScopeClass()?->name ?? \Closure::class) : $object::class;
    }

    /**
     * @param array<mixed>|object $arguments
     * @throws \LogicException there is nothing for a placeholder
     *
     * @internal
     */
    public function resourceFor(array|object $arguments): string
    {
        return preg_replace_callback(
            '/\{([A-Za-z_]\w*(?:\.\w+)*)\}/',
            fn (array $match): string => $this->valueOf($match[1], $arguments),
            $this->resource,
        );
    }

    /** @param array<mixed>|object $arguments */
    private function valueOf(string $placeholder, array|object $arguments): string
    {
        $value = array_reduce(explode('.', $placeholder), self::partOf(...), $arguments);
        $value = $value instanceof \BackedEnum ? $value->value : $value;
        $isName = is_int($value) || is_string($value) || $value instanceof \Stringable;
        return $isName && (string) $value !== ''
            ? (string) $value
            : throw new \LogicException("{{$placeholder}} in the lock \"$this->resource\" is " . get_debug_type($value) . ($isName ? ' and empty' : ''));
    }

    private static function partOf(mixed $whole, string $name): mixed
    {
        if (!is_object($whole)) {
            return $whole[$name] ?? null;
        }
        if (isset($whole->$name)) {
            return $whole->$name;
        }
        foreach ([$name, "get$name"] as $method) {
            if (method_exists($whole, $method) && is_callable([$whole, $method])) {
                return $whole->$method();
            }
        }
        return null;
    }
}
