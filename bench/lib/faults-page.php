<?php
/* What docs/project/faults.md shows of bench/faults.tsv. */

declare(strict_types=1);

const FAULT_PAGE = 'docs/project/faults.md';
const FAULT_RESULTS = 'bench/faults.tsv';

/** The locks, in the order of the columns: how they are called there, and the peer of bench/peers that they need. */
const LOCKS = [
    'rlock' => ['name' => 'rlock', 'peer' => null],
    'rlock-renewing' => ['name' => 'rlock, autoRenew', 'peer' => null],
    'phpredis' => ['name' => 'phpredis, by hand', 'peer' => 'phpredis'],
    'session' => ['name' => "phpredis' sessions", 'peer' => 'phpredis'],
    'symfony' => ['name' => 'Symfony Lock', 'peer' => 'Symfony'],
    'laravel' => ['name' => 'Laravel', 'peer' => 'Laravel'],
    'redlock' => ['name' => 'redlock', 'peer' => 'redlock'],
    'redis-semaphore' => ['name' => 'redis-semaphore', 'peer' => 'redis-semaphore'],
    'redis-py' => ['name' => 'redis-py', 'peer' => 'redis-py'],
];

/** What the loser of a lock was told, in the words of the page; after its last write, the number of these says it. */
const TOLD = ['none' => '–', 'before' => 'told', 'after' => '', 'error' => 'an error', 'no' => 'not told'];

/** A cell of the results: what a line of the file has. */
final class FaultRow
{
    public function __construct(
        public readonly string $fault,
        public readonly string $lock,
        public readonly int $writes,
        public readonly ?float $next,
        public readonly string $told,
        public readonly bool $failed,
        public readonly string $log,
    ) {
    }

    public static function of(string $line): self
    {
        [$fault, $lock, $writes, $next, $told, $failed, $log] = explode("\t", $line);
        return new self($fault, $lock, (int) $writes, $next === '-' ? null : (float) $next, $told, $failed === 'failed', $log);
    }

    public function cell(): string
    {
        return implode(', ', array_filter([$this->writes > 0 ? "**$this->writes**" : '', TOLD[$this->told]]));
    }
}

final class FaultResults
{
    /** @var list<array{string, string}> */
    public readonly array $facts;
    /** @var array<string, array<string, FaultRow>> by fault and lock */
    public readonly array $rows;

    public function __construct(string $file)
    {
        $facts = $rows = [];
        foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
            if (str_starts_with($line, '# ')) {
                $facts[] = explode("\t", substr($line, 2), 2);
            } else {
                $row = FaultRow::of($line);
                $rows[$row->fault][$row->lock] = $row;
            }
        }
        [$this->facts, $this->rows] = [$facts, $rows];
    }

    public function fact(string $name): string
    {
        return array_column($this->facts, 1, 0)[$name];
    }

    /** The locks that took part. @return list<string> */
    public function locks(): array
    {
        return array_keys(array_intersect_key(LOCKS, array_merge(...array_values($this->rows))));
    }
}

/** @return array<string, callable(FaultResults): string> */
function fault_blocks(): array
{
    return [
        'faults' => function (FaultResults $results): string {
            $locks = $results->locks();
            $rows = [['', ...array_map(fn (string $lock) => LOCKS[$lock]['name'], $locks)]];
            foreach (FAULTS as $fault => $what) {
                $cells = array_map(fn (string $lock) => ($results->rows[$fault][$lock] ?? null)?->cell() ?? '', $locks);
                if (array_diff($cells, [TOLD['none'], ''])) {
                    $rows[] = [$what, ...$cells];
                }
            }
            return str_replace('--:', '---', markdown($rows));
        },
        'faults-run' => function (FaultResults $results): string {
            $versions = [];
            foreach ($results->facts as [$name, $value]) {
                [$name, $value] = $name === 'peer' ? explode("\t", $value) : [$name, $value];
                $versions[] = preg_match('/^\d[^ ,]*/', $value, $match) && !in_array($name, ['date', 'seed'], true) ? "$name $match[0]" : '';
            }
            return wordwrap("Of {$results->fact('date')}: " . implode(', ', array_filter($versions)) . ".\n", 120);
        },
    ];
}
