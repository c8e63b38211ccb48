<?php
/*
 * As much of JSON Schema as schema.json needs.
 */

/** @return ?string what is wrong, and where; null: nothing */
function misfit(mixed $value, array $schema, string $at = ''): ?string
{
    if (isset($schema['type']) && array_filter((array) $schema['type'], fn (string $type) => is_of_type($value, $type)) === []) {
        return "$at is no " . implode(' or ', (array) $schema['type']);
    }
    if (isset($schema['enum']) && !in_array($value, $schema['enum'], true)) {
        return "$at is none of " . json_encode($schema['enum']);
    }
    if (isset($schema['pattern']) && !preg_match("/$schema[pattern]/D", $value)) {
        return "$at does not match $schema[pattern]";
    }
    if ($value < ($schema['minimum'] ?? $value) || $value > ($schema['maximum'] ?? $value)) {
        return "$at is out of its bounds";
    }
    foreach ($schema['required'] ?? [] as $name) {
        if (!array_key_exists($name, $value)) {
            return "$at lacks $name";
        }
    }
    foreach (isset($schema['properties']) || isset($schema['items']) ? $value : [] as $name => $member) {
        $inner = $schema['items'] ?? $schema['properties'][$name] ?? null;
        if ($inner === null) {
            return "$at has $name, which is not known";
        }
        if (($why = misfit($member, $inner, "$at/$name")) !== null) {
            return $why;
        }
    }
    return null;
}

function is_of_type(mixed $value, string $type): bool
{
    return match ($type) {
        'array' => is_array($value) && array_is_list($value),
        'object' => is_array($value) && ($value === [] || !array_is_list($value)),
        'integer' => is_int($value),
        'number' => is_int($value) || is_float($value),
        'string' => is_string($value),
        'boolean' => is_bool($value),
        'null' => $value === null,
    };
}

/* The content of a file of vectors or cases, which must be as schema.json says. */
function read_fitting(string $path, string $kind): array
{
    $schema = json_decode(file_get_contents(__DIR__ . '/schema.json'), true, flags: JSON_THROW_ON_ERROR);
    $content = from_json(file_get_contents($path));
    $why = misfit($content, $schema['$defs'][$kind]);
    return $why === null ? $content : throw new LogicException(basename($path) . ": $why");
}
