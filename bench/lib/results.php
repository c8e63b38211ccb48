<?php
/* The file of rows that bench/run makes of what the sections print (section.php), and its head of facts. */

declare(strict_types=1);

final class Row
{
    public function __construct(
        public readonly string $section,
        public readonly string $case,
        public readonly string $who,
        public readonly string $measure,
        public readonly string $unit,
        public readonly string $against,
        public readonly int $rounds,
        public readonly float $low,
        public readonly float $median,
        public readonly float $high,
    ) {
    }
}

final class Results
{
    /** @var list<array{string, string}> */
    public readonly array $facts;
    /** @var list<Row> */
    public readonly array $rows;
    /** @var array<string, Row> */
    private readonly array $index;

    public function __construct(string $file)
    {
        $facts = $rows = $index = [];
        foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
            if (str_starts_with($line, '# ')) {
                $facts[] = explode("\t", substr($line, 2), 2);
            } else {
                [$section, $case, $who, $measure, $unit, $against, $rounds, $low, $median, $high] = explode("\t", $line);
                $rows[] = $row = new Row($section, $case, $who, $measure, $unit, $against,
                    (int) $rounds, (float) $low, (float) $median, (float) $high);
                $index[self::name($section, $case, $who, $measure, $against)] = $row;
            }
        }
        [$this->facts, $this->rows, $this->index] = [$facts, $rows, $index];
    }

    public function row(string $section, string $case, string $who, string $measure, string $against = '-'): ?Row
    {
        return $this->index[self::name($section, $case, $who, $measure, $against)] ?? null;
    }

    /** @return list<string> all facts of this name */
    public function facts(string $name): array
    {
        return array_column(array_filter($this->facts, fn (array $fact) => $fact[0] === $name), 1);
    }

    private static function name(string ...$parts): string
    {
        return implode("\t", $parts);
    }
}

/** Three digits that count. */
function short(float $number): string
{
    if ($number == 0) {
        return '0';
    }
    $digits = 2 - (int) floor(log10(abs($number)));
    return $digits <= 0 ? number_format($number) : rtrim(rtrim(number_format($number, $digits), '0'), '.');
}

function with_quartiles(?Row $row): string
{
    return match (true) {
        $row === null => '',
        $row->rounds === 1 => short($row->median),
        default => sprintf('%s (%s..%s)', short($row->median), short($row->low), short($row->high)),
    };
}
