<?php

/*
 * Prints what classes of RLock declare to others, as JSON: describe.php FILE|FOLDER
 *
 * FILE declares them all, and FOLDER has one in each of its files. Runs without the extension (php -n).
 */

declare(strict_types=1);

function type(?ReflectionType $type): ?string
{
    $names = $type instanceof ReflectionUnionType ? array_map(strval(...), $type->getTypes()) : [(string) $type];
    sort($names);
    return implode('|', $names);
}

function parameter(ReflectionParameter $parameter): string
{
    $attributes = array_map(fn ($attribute) => "#[{$attribute->getName()}] ", $parameter->getAttributes());
    $default = match (true) {
        !$parameter->isDefaultValueAvailable() => '',
        $parameter->isDefaultValueConstant() => ' = ' . ltrim($parameter->getDefaultValueConstantName(), '\\'),
        default => ' = ' . var_export($parameter->getDefaultValue(), true),
    };
    return implode($attributes) . type($parameter->getType()) . " \${$parameter->getName()}$default";
}

function method(ReflectionMethod $method): string
{
    $modifiers = implode(' ', Reflection::getModifierNames($method->getModifiers()));
    $parameters = implode(', ', array_map(parameter(...), $method->getParameters()));
    return "$modifiers function {$method->getName()}($parameters): " . type($method->getReturnType());
}

function property(ReflectionProperty $property): string
{
    $modifiers = implode(' ', Reflection::getModifierNames($property->getModifiers()));
    return "$modifiers " . type($property->getType()) . " \${$property->getName()}";
}

/* Not what PHP calls by itself: there the extension has handlers instead. */
function is_part_of_it(ReflectionMethod $method): bool
{
    return $method->getName() === '__construct' || (!$method->isPrivate() && !str_starts_with($method->getName(), '__'));
}

function describe(ReflectionClass $class): array
{
    $own = fn (Reflector $member) => $member->class === $class->name;
    $members = [
        ...array_map(method(...), array_filter($class->getMethods(), fn ($m) => $own($m) && is_part_of_it($m))),
        ...array_map(property(...), array_filter($class->getProperties(), fn ($p) => $own($p) && !$p->isPrivate())),
        ...array_map(
            fn ($constant) => $constant->isEnumCase()
                ? "case {$constant->getName()}"
                : "const {$constant->getName()} = {$constant->getValue()}",
            array_filter($class->getReflectionConstants(), $own),
        ),
    ];
    sort($members);
    $interfaces = $class->getInterfaceNames();
    sort($interfaces);
    return [
        'kind' => $class->isInterface() ? 'interface' : implode(' ', Reflection::getModifierNames($class->getModifiers())),
        'parent' => $class->getParentClass() ? $class->getParentClass()->name : null,
        'interfaces' => $interfaces,
        'members' => $members,
    ];
}

spl_autoload_register(function (string $class): void {
    require glob(dirname(__DIR__) . '/{classes,src,shared}/' . basename(strtr($class, '\\', '/')) . '.php', GLOB_BRACE)[0];
});

$before = [...get_declared_classes(), ...get_declared_interfaces()];
foreach (is_dir($argv[1]) ? glob("$argv[1]/*.php") : [$argv[1]] as $file) {
    require_once $file;
}
$declared = array_filter(array_diff([...get_declared_classes(), ...get_declared_interfaces()], $before), fn ($name) => !preg_match('/^RLock.Client/', $name));
$described = [];
foreach ($declared as $name) {
    $described[$name] = describe(new ReflectionClass($name));
}
ksort($described);
echo json_encode($described);
