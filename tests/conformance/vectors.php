<?php
/*
 * Makes cases of the vectors: what is said to the client, which request shows what it makes of it, and what of an answer.
 */

require_once __DIR__ . '/names.php';
require_once __DIR__ . '/schema.php';

final class Vectors
{
    /* A lease that is not over while a case is played, and one that soon is; ms. */
    private const LONG = 10_000;
    private const SHORT = 40;

    /** @return list<array> cases, as those of wire/ are */
    public static function cases(): array
    {
        $cases = [];
        foreach (['names' => self::name(...), 'values' => self::value(...), 'times' => self::time(...), 'replies' => self::reply(...)] as $kind => $make) {
            foreach (read_fitting(__DIR__ . "/vectors/$kind.json", $kind) as $vector) {
                $cases[] = ['rule' => $vector['rule'], 'level' => 'core', ...$make($vector)];
            }
        }
        return $cases;
    }

    private static function take(int|string $ttl, mixed $answer, array $more = []): array
    {
        return [
            ['say' => ['do' => 'take', 'key' => 'k', 'wait' => 0, 'ttl' => $ttl, ...$more]],
            ['expect' => ['acquire', '{value}' . (isset($more['metadata']) ? ":$more[metadata]" : ''), (string) $ttl, '{until}', '0']],
            ['answer' => $answer],
            ['hear' => ['result' => true]],
        ];
    }

    private static function share(int $ttl): array
    {
        return [
            ['say' => ['do' => 'share', 'key' => 'k', 'wait' => 0, 'ttl' => $ttl]],
            ['expect' => ['enter', '{value}', (string) $ttl, '{until}', '0', '0']],
            ['answer' => ['{grant}', $ttl]],
            ['hear' => ['result' => true]],
        ];
    }

    private static function name(array $vector): array
    {
        $lock = $vector['lock'];
        if ($vector['verdict'] === 'valid' && [slot($lock), names($lock, 'f')[1]] !== [$vector['slot'], $vector['fence']]) {
            throw new LogicException("names.php and the vector do not agree on $vector[fence]");
        }
        $steps = [['say' => ['do' => 'take', 'key' => $lock, 'wait' => 0, 'ttl' => 1000]]];
        return ['title' => 'the keys of ' . to_json($lock), 'prefix' => '', 'lock' => $lock, 'steps' => $vector['verdict'] === 'valid'
            ? [...$steps, ['expect' => ['acquire', '{value}', '1000', '{until}', '0']], ['answer' => [0, 1000]], ['hear' => ['result' => false]]]
            : [...$steps, ['hear' => ['error' => 'refused']]]];
    }

    private static function value(array $vector): array
    {
        if (isset($vector['written'])) {
            $steps = self::take(1000, '{grant}', ['metadata' => $vector['written']]);
            return ['title' => 'metadata ' . to_json($vector['written']), 'steps' => $steps];
        }
        $holder = $vector['kind'] === null ? null : array_intersect_key($vector, array_flip(['kind', 'owner', 'metadata', 'fence']));
        if (is_string($holder['fence'] ?? null)) {
            $holder['fence'] = (int) $holder['fence'];
        }
        $hear = $holder === null ? [] : ['hear' => ['result' => $holder]];
        return ['title' => 'the holder ' . to_json($vector['held']), 'steps' => [
            ['say' => ['do' => 'holder', 'key' => 'k']],
            ['expect' => ['inspect']],
            ['answer' => [$vector['held'], 9000, $vector['fence'], 0]],
            $holder === null || $vector['verdict'] === 'may' ? ['hear' => ['result' => null], 'or' => ['result' => ['owner' => '{*}']]] : $hear,
        ]];
    }

    private static function time(array $vector): array
    {
        if ($vector['verdict'] === 'invalid') {
            return ['title' => "a lease of $vector[ttl] ms", 'steps' => [
                ['say' => ['do' => 'take', 'key' => 'k', 'wait' => 0, 'ttl' => $vector['ttl']]], ['hear' => ['error' => 'refused']]]];
        }
        if ($vector['verdict'] === 'may') {
            return ['title' => "a lease of $vector[ttl] ms", 'steps' => [
                ['say' => ['do' => 'take', 'key' => 'k', 'wait' => 0, 'ttl' => $vector['ttl']]], ['hear' => ['error' => 'refused'], 'or' => ['result' => true]]]];
        }
        $steps = [
            ...self::take($vector['ttl'], $vector['left'] === null ? '{grant}' : ['{grant}', $vector['left']]),
            ['say' => ['do' => 'lease', 'key' => 'k']],
            ['hear' => ['result' => ['left' => sprintf('{%s..%s}', max(0, $vector['safe'] - 500), $vector['safe']), 'fence' => '{fence}']]],
        ];
        return ['title' => "what is left of $vector[ttl] ms, answered " . to_json($vector['left']), 'steps' => $steps];
    }

    private static function reply(array $vector): array
    {
        $late = $vector['when'] === 'after';
        $ttl = $late ? self::SHORT : self::LONG;
        [$say, $expect] = self::asks(($vector['share'] ?? false ? 'share ' : '') . $vector['do']);
        $isShare = $vector['share'] ?? false;
        $result = isset($vector['error']) ? ['error' => $vector['error'], ...isset($vector['held']) ? ['held' => $vector['held']] : []]
            : ['result' => $vector['result']];
        /* No answer at all: it is asked again, or it fails. */
        $again = isset($vector['then']) ? [['expect' => $expect, 'or_none' => true], ['answer' => $vector['then']]] : [];
        $or = isset($vector['then']) ? ['or' => ['error' => 'connection']] : [];
        $title = $vector['do'] . ($isShare ? ' of a share' : '') . " $vector[when] safe, answered " . to_json($vector['answer']);
        return ['title' => $title, 'level' => $isShare || $vector['do'] === 'downgrade' ? 'shares' : 'core', 'steps' => [
            ...$isShare ? self::share($ttl) : self::take($ttl, '{grant}'),
            ...$late ? [['pause' => self::SHORT + 10]] : [],
            ['say' => ['key' => 'k', ...$say]],
            ['expect' => $expect],
            ['answer' => $vector['answer']],
            ...$again,
            ['hear' => $result, ...$or],
        ]];
    }

    /** @return array{array, list<string>} what is said, and which request that makes */
    private static function asks(string $do): array
    {
        $extend = fn (string $lease, string $how, string ...$more) => ['extend', '{token}', '{fence}', $lease, '{until?}', $how, ...$more];
        return match ($do) {
            'release' => [['do' => 'release'], ['release', '{token}', '{fence}', '{baton}', '0']],
            'check' => [['do' => 'check'], ['release', '{token}', '{fence}', '{baton}', '0']],
            'longer' => [['do' => 'prolong', 'ttl' => 20_000], $extend('20000', 'longer')],
            'again' => [['do' => 'prolong', 'ttl' => 20_000], $extend('20000', 'again', '{value}')],
            'anew' => [['do' => 'prolong', 'ttl' => 2000], $extend('2000', 'anew')],
            'look' => [['do' => 'look'], $extend('0', 'longer')],
            'take' => [['do' => 'take', 'wait' => 0, 'ttl' => 20_000], $extend('20000', 'longer')],
            'share release' => [['do' => 'release'], ['leave', '{token}', '{fence}', '{baton}', '0']],
            'share check' => [['do' => 'check'], ['leave', '{token}', '{fence}', '{baton}', '0']],
            'share longer' => [['do' => 'prolong', 'ttl' => 20_000], ['extend_shared', '{token}', '{fence}', '20000', '{until?}', 'longer']],
            'share take' => [['do' => 'take', 'wait' => 0, 'ttl' => 20_000], ['upgrade', '{value}', '{fence}', '20000', '{until}']],
            'downgrade' => [['do' => 'downgrade'], ['downgrade', '{token}', '{fence}']],
            'hand_over' => [['do' => 'hand_over'], $extend('0', 'anew', '{handed}')],
        };
    }
}
