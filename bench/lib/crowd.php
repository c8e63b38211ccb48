<?php
/*
 * Many processes want one lock. Burst: one holds it, N wait, each has it once. Loop: N processes
 * take it again and again for a while.
 */

declare(strict_types=1);

const WAKES = ['wake', 'wake again', 'wake + check', 'wake + trip'];

/** Whether it is one of these floors, which are no locks: a list has an element for each place. */
function is_wake(string $name): bool
{
    return str_starts_with($name, 'wake');
}

/** What a crowd's turns show, if so many may have it at a time. */
final class Seen
{
    /** @var list<Turn> by when they were granted */
    private readonly array $turns;

    /** @param list<Turn> $turns */
    public function __construct(array $turns, private readonly int $places = 1)
    {
        usort($turns, fn (Turn $a, Turn $b) => $a->granted <=> $b->granted);
        $this->turns = $turns;
    }

    public function count(): int
    {
        return count($this->turns);
    }

    /** @return list<float> from a release to the grant that it made room for, if that one was waiting by then; ms */
    public function hand_overs(): array
    {
        $releases = array_map(fn (Turn $turn) => $turn->releasing, $this->turns);
        sort($releases);
        $times = [];
        for ($i = $this->places; $i < count($this->turns); $i++) {
            $release = $releases[$i - $this->places];
            if ($this->turns[$i]->asked < $release) {
                $times[] = ($this->turns[$i]->granted - $release) / 1e6;
            }
        }
        return $times;
    }

    /** From grant to grant, ms. */
    public function turn(): float
    {
        $last = count($this->turns) - 1;
        return $last < 1 ? NAN : ($this->turns[$last]->granted - $this->turns[0]->granted) / $last / 1e6;
    }

    /** Turns that began when there was no place: must be none. */
    public function overlaps(): int
    {
        $overlaps = 0;
        $ends = [];                                         // of those who are inside
        foreach ($this->turns as $turn) {
            $ends = array_filter($ends, fn (int $end) => $end > $turn->granted);
            $overlaps += count($ends) >= $this->places ? 1 : 0;
            $ends[] = $turn->releasing;
        }
        return $overlaps;
    }

    /** The share of turns granted within three places of the order of asking, %. */
    public function in_order(): float
    {
        $by_asked = $this->turns;
        usort($by_asked, fn (Turn $a, Turn $b) => $a->asked <=> $b->asked);
        $place = [];
        foreach ($by_asked as $number => $turn) {
            $place[spl_object_id($turn)] = $number;
        }
        $near = 0;
        foreach ($this->turns as $number => $turn) {
            $near += abs($place[spl_object_id($turn)] - $number) <= 3 ? 1 : 0;
        }
        return 100 * $near / max(1, count($this->turns));
    }

    /** @param list<int> $workers @return list<int> how many turns each has had */
    public function shares(array $workers): array
    {
        $shares = array_fill_keys($workers, 0);
        foreach ($this->turns as $turn) {
            $shares[$turn->worker]++;
        }
        return array_values($shares);
    }

    public function before(int $time): self
    {
        return new self(array_filter($this->turns, fn (Turn $turn) => $turn->granted < $time), $this->places);
    }
}

final class Crowd
{
    /** @var list<Worker> the first is the holder of a burst */
    public readonly array $workers;
    /** @var array{int, int} CPU time when what was played last began */
    private array $before;
    /** How many turns there have been, those of bursts that were tried again, too. */
    private int $granted = 0;

    /** @param ?string $holder another contender, which has the same lock first */
    public function __construct(
        private readonly Server $server,
        string $address,
        public readonly string $name,
        int $size,
        int $lease_ms = 30_000,
        ?string $holder = null,
        private readonly int $places = 1,
    ) {
        $key = "bench:crowd:$name:$size";
        if (is_wake($name)) {
            $server->ask('DEL', $key);
            $server->ask('RPUSH', $key, ...array_fill(0, $places, '1'));
        }
        $workers = [];
        for ($number = 0; $number <= $size; $number++) {
            $workers[] = contender($number === 0 ? $holder ?? $name : $name, $address, $key, $lease_ms);
        }
        $this->workers = $workers;
    }

    public function ready(): void
    {
        array_map(fn (Worker $worker) => $worker->ready(), $this->workers);
    }

    /** Connected, scripts loaded. */
    public function warm_up(): void
    {
        array_map(fn (Worker $worker) => $worker->tell(1), $this->workers);
        array_map(fn (Worker $worker) => $worker->turns(), $this->workers);
    }

    /** @return array<string, int|float> */
    public function burst(int $hold_us): array
    {
        return $this->measures(new Seen($this->burst_turns($hold_us), $this->places));
    }

    /** One holds the lock, all others wait for it; tries again if they came too late. @return list<Turn> the holder's first */
    public function burst_turns(int $hold_us): array
    {
        $waiters = count($this->workers) - 1;
        for ($patience_us = 20_000 + 1_000 * $waiters; ; $patience_us *= 2) {
            $this->before = $this->cpu();
            $this->workers[0]->tell(1, 0, $patience_us);
            usleep(5_000);                                  // it has the lock, or this is tried again
            foreach (array_slice($this->workers, 1) as $worker) {
                $worker->tell(1, 0, $hold_us);
            }
            $turns = array_merge(...array_map(fn (Worker $worker) => $worker->turns(), $this->workers));
            $this->granted += count($turns);
            $asked = array_map(fn (Turn $turn) => $turn->asked, array_slice($turns, 1));
            if (max($asked) < $turns[0]->releasing && min($asked) > $turns[0]->granted) {
                return $turns;
            }
        }
    }

    /** All take turns for so long. Turns that are granted later do not count. @return array<string, int|float> */
    public function loop(int $hold_us, int $length_ms): array
    {
        $this->before = $this->cpu();
        $workers = array_slice($this->workers, 1);
        $until = hrtime(true) + $length_ms * 1_000_000;
        foreach ($workers as $worker) {
            $worker->tell(PHP_INT_MAX, $until, $hold_us);
        }
        $turns = array_merge(...array_map(fn (Worker $worker) => $worker->turns(), $workers));
        $this->granted += count($turns);
        $all = new Seen($turns, $this->places);
        $seen = $all->before($until);
        $shares = $seen->shares(array_map(fn (Worker $worker) => $worker->pid, $workers));
        return $this->measures($all) + [
            'turn' => $seen->turn(),
            'most - fewest' => max($shares) - min($shares),
            'without a turn' => count(array_keys($shares, 0, true)),
            'within 3 places' => $seen->in_order(),
        ];
    }

    /** @return array<string, float> requests and commands, for each grant of what is played */
    public function counted(callable $play): array
    {
        $before = $this->granted;
        $this->server->count();
        $play();
        return array_map(fn (int $count) => $count / ($this->granted - $before), $this->server->counted());
    }

    /** @return array{int, int} of the server, of the workers, ns */
    public function cpu(): array
    {
        return [$this->server->cpu(), array_sum(array_map(fn (Worker $worker) => $worker->cpu(), $this->workers))];
    }

    /** @return array{'server CPU': float, 'client CPU': float} of each of so many grants of what was played last, us */
    public function cost(int $grants): array
    {
        [$server, $workers] = $this->cpu();
        return [
            'server CPU' => ($server - $this->before[0]) / $grants / 1e3,
            'client CPU' => ($workers - $this->before[1]) / $grants / 1e3,
        ];
    }

    /** @return array<string, int|float> */
    private function measures(Seen $seen): array
    {
        $hand_overs = $seen->hand_overs();
        return [
            'hand-over' => $hand_overs === [] ? NAN : quantile($hand_overs, 0.5),
            'hand-over, 95 %' => $hand_overs === [] ? NAN : quantile($hand_overs, 0.95),
            'overlaps' => $seen->overlaps(),
            ...$this->cost($seen->count()),
        ];
    }
}

const CROWD_MEASURES = [
    'hand-over' => 'ms', 'hand-over, 95 %' => 'ms', 'turn' => 'ms', 'most - fewest' => 'turns', 'without a turn' => 'processes',
    'within 3 places' => '%', 'server CPU' => 'us', 'client CPU' => 'us', 'overlaps' => 'turns',
];

/**
 * Plays rounds of one kind and prints their rows: ratios of hand-over and turn to `wake`, and
 * requests and commands for each grant, counted in a round of their own.
 *
 * @param array<string, Crowd> $crowds
 * @param callable(Crowd): array<string, int|float> $play
 * @param list<string> $seldom who besides the peers does not take part in every round
 */
function measure_crowds(array $crowds, string $case, int $rounds, callable $play, array $seldom = []): void
{
    $seen = interleave(array_keys($crowds), $rounds, fn (string $name) => $play($crowds[$name]), [...peers(), ...$seldom]);
    foreach ($crowds as $name => $crowd) {
        $measures = array_map(fn (array $values) => array_filter($values, fn ($value) => !is_nan((float) $value)), $seen[$name]);
        foreach (array_filter(array_intersect_key($measures, CROWD_MEASURES)) as $measure => $values) {
            if ($measure === 'overlaps') {
                $values = [array_sum($values)];             // in all rounds
            } elseif ($measure === 'without a turn') {
                $values = [max($values)];
            }
            row($case, $name, $measure, CROWD_MEASURES[$measure], $values);
            if ($name !== 'wake' && in_array($measure, ['hand-over', 'turn'], true)) {
                ratio_row($case, $name, $measure, $values, 'wake', $seen['wake'][$measure]);
            }
            if ($measure === 'hand-over' && isset($crowds['rlock']) && in_array($name, BESIDE_RLOCK, true)) {
                ratio_row($case, $name, $measure, $values, 'rlock', $seen['rlock'][$measure]);
            }
        }
        foreach ($crowd->counted(fn () => $play($crowd)) as $measure => $count) {
            row($case, $name, $measure, 'per grant', [$count]);
        }
    }
}

/** @param list<string> $who @return array<string, Crowd> */
function crowds(Server $server, string $address, array $who, int $size): array
{
    $crowds = [];
    foreach ($who as $name) {
        $crowds[$name] = new Crowd($server, $address, $name, $size);
    }
    array_map(fn (Crowd $crowd) => $crowd->ready(), $crowds);
    array_map(fn (Crowd $crowd) => $crowd->warm_up(), $crowds);
    return $crowds;
}
