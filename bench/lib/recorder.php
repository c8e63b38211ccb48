<?php
/*
 * Who was inside, and when: what sections (workers/faults/section.php) and the one who plays the faults write into one
 * pipe, and what is to be said of it. The order is that of the pipe, whatever any client believes.
 */

declare(strict_types=1);

final class Mark
{
    public function __construct(
        public readonly string $who,
        public readonly string $what,
        public readonly int $at,
        public readonly string $text,
    ) {
    }
}

final class Recorder
{
    public readonly string $path;
    /** @var resource */ private $pipe;
    /** @var list<Mark> */ private array $marks = [];
    private string $rest = '';

    public function __construct(string $directory)
    {
        $this->path = "$directory/recorder";
        posix_mkfifo($this->path, 0600) || throw new RuntimeException('cannot make a pipe');
        $this->pipe = fopen($this->path, 'r+');             // so it has no end while nobody writes
        stream_set_blocking($this->pipe, false);
    }

    /** What is done to them goes through the same pipe. */
    public function note(string $who, string $what): void
    {
        fwrite($this->pipe, "$who $what " . hrtime(true) . "\n");
    }

    /** The first mark of that kind, when it has come. */
    public function await(string $who, string ...$what): Mark
    {
        return $this->look($who, $what, hrtime(true) + PATIENCE) ?? throw new RuntimeException(
            "$who: nothing of " . implode(', ', $what) . " has come\n" . implode("\n", $this->log()));
    }

    /** The first mark of that kind, if it has come until then. @param list<string> $what */
    public function look(string $who, array $what, int $until): ?Mark
    {
        do {
            foreach ($this->marks as $mark) {
                if ($mark->who === $who && in_array($mark->what, $what, true)) {
                    return $mark;
                }
            }
        } while ($this->read($until));
        return null;
    }

    /** Reads what comes until then. */
    public function pass(float $seconds): void
    {
        for ($until = hrtime(true) + (int) ($seconds * 1e9); $this->read($until);) {
        }
    }

    private function read(int $until): bool
    {
        $left = intdiv($until - hrtime(true), 1000);
        $read = [$this->pipe];
        $none = null;
        if ($left <= 0 || !stream_select($read, $none, $none, 0, min($left, 100_000))) {
            return $left > 0;
        }
        $lines = explode("\n", $this->rest . fread($this->pipe, 65536));
        $this->rest = array_pop($lines);
        foreach ($lines as $line) {
            [$who, $what, $at, $text] = [...explode(' ', $line, 4), ''];
            $this->marks[] = new Mark($who, $what, (int) $at, $text);
        }
        return true;
    }

    public function verdict(): Verdict
    {
        return new Verdict($this->marks);
    }

    /** @return list<string> */
    public function log(): array
    {
        return array_map(fn (Mark $mark) => "$mark->who $mark->what $mark->at $mark->text", $this->marks);
    }
}

/** What is to be said of one cell. */
final class Verdict
{
    /** Writes that a holder made after another had come in. */
    public readonly int $writes;
    /** Whether the next one, as it waited, got an exception, and asked once more. */
    public readonly bool $failed;
    /** From the fault, or the end of the holder's section if that came later; null: nobody was in. */
    public readonly ?float $next;
    /**
     * Was whoever lost the lock told so: `before` it wrote again, or `after`; `no`; `error`: something was thrown that does not
     * say so, but it wrote nothing late; `none`: nobody lost it, and nothing was thrown
     */
    public readonly string $told;

    private const ENDS = ['out', 'gone', 'told', 'error'];

    /** @param list<Mark> $marks */
    public function __construct(private readonly array $marks)
    {
        $writes = 0;
        $told = [];
        foreach ($this->places('in') as $who => $in) {
            $late = $this->lateWrites($who, $in);
            $writes += $late ?? 0;
            $told[] = $this->wasTold($who, $late);
        }
        $this->writes = $writes;
        $this->told = array_values(array_diff($told, ['none']))[0] ?? 'none';
        $this->next = $this->next();
        $this->failed = $this->place('B', 'failed') < PHP_INT_MAX;
    }

    /** In one line, without the steps. */
    public function line(): string
    {
        $begin = $this->marks[$this->place('A', 'in')]->at;
        $parts = [];
        foreach ($this->marks as $i => $mark) {
            $is_shown = $mark->who[0] !== 'w' && !in_array($mark->what, ['ready', 'step', 'asks'], true);
            if ($is_shown && $i >= $this->place('A', 'in') && $i === $this->place($mark->who, $mark->what)) {
                $parts[] = sprintf('%.2f %s %s', ($mark->at - $begin) / 1e9, strtr($mark->who, '_', ' '), $mark->what)
                    . ($mark->text === '' ? '' : ' (' . self::shortened($mark->text) . ')');
            }
        }
        return implode(', ', $parts);
    }

    private static function shortened(string $text): string
    {
        $text = preg_replace(['~(/\S+)+/~', '/\b[0-9a-f]{12,}\b/', '/[^ -~]/'], ['.../', '...', '?'], $text);
        return strlen($text) > 90 ? substr($text, 0, 87) . '...' : $text;
    }

    /** @return array<string, int> who: which mark */
    private function places(string $what): array
    {
        $places = [];
        foreach ($this->marks as $i => $mark) {
            if ($mark->what === $what) {
                $places[$mark->who] ??= $i;
            }
        }
        return $places;
    }

    private function place(string $who, string $what): int
    {
        return $this->places($what)[$who] ?? PHP_INT_MAX;
    }

    private function end(string $who): int
    {
        return min(array_map(fn (string $what) => $this->place($who, $what), self::ENDS));
    }

    /** Null if nobody came in while it was inside. */
    private function lateWrites(string $who, int $in): ?int
    {
        $end = $this->end($who);
        $others = array_filter($this->places('in'), fn (int $place) => $place > $in && $place < $end);
        if ($others === []) {
            return null;
        }
        $writes = 0;
        foreach ($this->marks as $i => $mark) {
            $writes += $mark->who === $who && $mark->what === 'step' && $i > min($others) ? 1 : 0;
        }
        return $writes;
    }

    private function wasTold(string $who, ?int $late): string
    {
        return match (true) {
            $this->place($who, 'told') < PHP_INT_MAX => $late > 0 ? 'after' : 'before',
            $this->place($who, 'error') < PHP_INT_MAX => $late > 0 ? 'no' : 'error',
            default => $late === null ? 'none' : 'no',
        };
    }

    private function next(): ?float
    {
        $next = $this->place('B', 'in');
        if ($next === PHP_INT_MAX) {
            return null;
        }
        $from = $this->marks[$this->place('fault', 'strikes')]->at;
        $end = $this->end('A');
        if ($end < $next) {
            $from = max($from, $this->marks[$end]->at);
        }
        return max(0.0, ($this->marks[$next]->at - $from) / 1e9);
    }
}
