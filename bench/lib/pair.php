<?php
/* Pairs: take and give back, nobody else there. */

declare(strict_types=1);

const PAIR_MEASURES = ['time' => 'us', 'server CPU' => 'us', 'client CPU' => 'us'];

/** Connected, scripts loaded, caches warm. @param array<string, Worker> $workers */
function warm_up(array $workers, int $pairs): void
{
    foreach ($workers as $worker) {
        $worker->ready();
        $worker->tell($pairs);
        $worker->turns();
    }
}

/** The median of so many pairs, in us. */
function pair_time(Worker $worker, int $pairs): float
{
    $worker->tell($pairs);
    return quantile(array_map(fn (Turn $turn) => $turn->released - $turn->asked, $worker->turns()), 0.5) / 1e3;
}

/**
 * Each of $who does $pairs pairs a round; all of them against `set`, rlock and the second loop of
 * the scripts against `scripts`. A pair's time is a round's median.
 *
 * @param list<string> $who
 */
function measure_pairs(Server $server, string $address, string $case, array $who, int $rounds, int $pairs, ?int $cpu = null): void
{
    $workers = [];
    foreach ($who as $name) {
        $workers[$name] = contender($name, $address, "bench:pair:$name", with: ['alone'], cpu: $cpu);
    }
    warm_up($workers, $pairs);
    $seen = interleave($who, $rounds, function (string $name) use ($workers, $server, $pairs) {
        $worker = $workers[$name];
        [$server_cpu, $client_cpu] = [$server->cpu(), $worker->cpu()];
        return [
            'time' => pair_time($worker, $pairs),
            'server CPU' => ($server->cpu() - $server_cpu) / $pairs / 1e3,
            'client CPU' => ($worker->cpu() - $client_cpu) / $pairs / 1e3,
        ];
    });
    foreach ($who as $name) {
        foreach (PAIR_MEASURES as $measure => $unit) {
            row($case, $name, $measure, $unit, $seen[$name][$measure]);
            if ($measure === 'client CPU') {
                continue;
            }
            if ($name !== 'set') {
                ratio_row($case, $name, $measure, $seen[$name][$measure], 'set', $seen['set'][$measure]);
            }
            if (in_array($name, ['rlock', 'rlock, confirm: false', 'scripts again'], true)) {
                ratio_row($case, $name, $measure, $seen[$name][$measure], 'scripts', $seen['scripts'][$measure]);
            }
            if (in_array($name, BESIDE_RLOCK, true)) {
                ratio_row($case, $name, $measure, $seen[$name][$measure], 'rlock', $seen['rlock'][$measure]);
            }
        }
        $server->count();
        $workers[$name]->tell($pairs);
        $workers[$name]->turns();
        foreach ($server->counted() as $measure => $count) {
            row($case, $name, $measure, 'per pair', [$count / $pairs]);
        }
    }
}
