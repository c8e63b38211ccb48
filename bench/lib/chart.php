<?php
/*
 * A chart in SVG: a row for each contender, in it a dot for each series on a logarithmic axis, whiskers
 * from quartile to quartile. Colours follow the reader's light or dark theme; the card has a ground of
 * its own, for a page's theme may be another than the system's.
 */

declare(strict_types=1);

final class Chart
{
    private const WIDTH = 860;
    private const LEFT = 205;
    private const RIGHT = 70;
    private const STEP = 15;

    /** @var array<string, array<string, Row>> */
    private array $rows = [];

    public function __construct(
        private readonly string $title,
        private readonly string $subtitle,
        private readonly string $unit,
    ) {
    }

    public function add(string $who, string $series, ?Row $row): void
    {
        if ($row) {
            $this->rows[$who][$series] = $row;
        }
    }

    public function is_empty(): bool
    {
        return $this->rows === [];
    }

    public function svg(): string
    {
        $series = array_values(array_unique(array_merge(...array_map(array_keys(...), array_values($this->rows)))));
        $group = self::STEP * count($series) + 12;
        $top = count($series) > 1 ? 92 : 70;
        $bottom = $top + $group * count($this->rows);
        $height = $bottom + 58;
        [$from, $to, $ticks] = $this->axis();
        $place = fn (float $value): string => sprintf('%.1f', self::LEFT + (self::WIDTH - self::LEFT - self::RIGHT)
            * log(max($value, $from) / $from) / log($to / $from));

        $svg = sprintf('<svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" '
            . "aria-labelledby=\"title desc\"\n\tfont-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n", self::WIDTH, $height)
            . self::element('title', $this->title, ' id="title"')
            . self::element('desc', $this->description(), ' id="desc"')
            . self::STYLE
            . sprintf("\t<rect class=\"ground\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", self::WIDTH, $height)
            . self::element('text', $this->title, ' x="20" y="30" class="head"')
            . self::element('text', $this->subtitle, ' x="20" y="50" class="soft"');

        if (count($series) > 1) {
            $x = self::LEFT;
            foreach ($series as $number => $name) {
                $svg .= sprintf("\t<rect class=\"s%d\" x=\"%d\" y=\"66\" width=\"10\" height=\"10\" rx=\"2\"/>\n", $number, $x)
                    . self::element('text', $name, sprintf(' x="%d" y="75"', $x + 15));
                $x += 30 + 8 * mb_strlen($name);
            }
        }
        foreach ($ticks as $tick) {
            $svg .= sprintf("\t<path class=\"grid\" d=\"M%s %d V%d\"/>\n", $place($tick), $top, $bottom)
                . self::element('text', short($tick), sprintf(' x="%s" y="%d" text-anchor="middle" class="soft"', $place($tick), $bottom + 18));
        }
        $svg .= self::element('text', $this->unit . ', logarithmic',
            sprintf(' x="%d" y="%d" text-anchor="middle" class="soft"', (self::LEFT + self::WIDTH - self::RIGHT) / 2, $bottom + 40));

        $y = $top;
        foreach ($this->rows as $who => $values) {
            $ours = str_starts_with($who, 'rlock');
            if ($ours) {
                $svg .= sprintf("\t<rect class=\"ours\" x=\"8\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", $y + 1, self::WIDTH - 16, $group - 2);
            }
            $svg .= self::element('text', $who, sprintf(' x="%d" y="%.1f" text-anchor="end"%s',
                self::LEFT - 12, $y + $group / 2 + 4.5, $ours ? ' font-weight="bold"' : ''));
            foreach ($series as $number => $name) {
                if (isset($values[$name])) {
                    $svg .= $this->mark($values[$name], $number, $y + 6 + self::STEP * $number, $place);
                }
            }
            $y += $group;
        }
        return $svg . sprintf("\t<path class=\"axis\" d=\"M%d %d V%d\"/>\n</svg>\n", self::LEFT, $top, $bottom);
    }

    private const STYLE = <<<'CSS'
	<style>
		text { fill: #1f2328 }
		.head { font-weight: bold; font-size: 16px }
		.soft { fill: #59636e; font-size: 12px }
		.ground { fill: #ffffff; stroke: #d1d9e0 }
		.ours { fill: #ddf4ff }
		.grid { stroke: #d1d9e0; fill: none }
		.axis, .whisker { stroke: #59636e; stroke-width: 1.3; fill: none }
		.s0 { fill: #0969da } .s1 { fill: #8250df } .s2 { fill: #bf8700 } .s3 { fill: #1a7f37 }
		@media (prefers-color-scheme: dark) {
			text { fill: #e6edf3 }
			.soft { fill: #9198a1 }
			.ground { fill: #0d1117; stroke: #3d444d }
			.ours { fill: #12253f }
			.grid { stroke: #2a313c }
			.axis, .whisker { stroke: #9198a1 }
			.s0 { fill: #4493f8 } .s1 { fill: #ab7df8 } .s2 { fill: #d29922 } .s3 { fill: #3fb950 }
		}
	</style>

CSS;

    private function mark(Row $row, int $series, int $y, callable $place): string
    {
        $middle = sprintf('%.1f', $y + self::STEP / 2);
        $svg = sprintf("\t<circle class=\"s%d\" cx=\"%s\" cy=\"%s\" r=\"5\"/>\n", $series, $place($row->median), $middle);
        if ($row->rounds > 1) {
            $svg .= sprintf("\t<path class=\"whisker\" d=\"M%1\$s %3\$s H%2\$s M%1\$s %4\$d v6 M%2\$s %4\$d v6\"/>\n",
                $place($row->low), $place($row->high), $middle, $y + 5);
        }
        return $svg . self::element('text', short($row->median),
            sprintf(' x="%.1f" y="%d" class="soft"', max((float) $place($row->median) + 5, (float) $place($row->high)) + 5, $y + 12));
    }

    /** @return array{float, float, list<float>} from, to, ticks */
    private function axis(): array
    {
        $highs = $lows = [];
        foreach ($this->rows as $values) {
            foreach ($values as $row) {
                $highs[] = max($row->high, $row->median);
                $lows[] = $row->low;
            }
        }
        $from = 10 ** floor(log10(max(1e-3, min($lows))));
        $to = 10 ** ceil(log10(max($highs)));
        return [$from, $to, array_map(fn (int $power) => $from * 10 ** $power, range(0, (int) round(log10($to / $from))))];
    }

    /** All that the picture shows, for those who do not see it. */
    private function description(): string
    {
        $lines = [];
        foreach ($this->rows as $who => $values) {
            foreach ($values as $series => $row) {
                $lines[] = sprintf('%s, %s: %s', $who, $series, short($row->median));
            }
        }
        return "$this->subtitle. $this->unit. " . implode('; ', $lines) . '.';
    }

    private static function element(string $name, string $text, string $attributes): string
    {
        return sprintf("\t<%s%s>%s</%1\$s>\n", $name, $attributes, htmlspecialchars($text, ENT_QUOTES | ENT_XML1));
    }
}
