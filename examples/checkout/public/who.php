<?php
/*
 * Who holds what, live. holders() asks the server, and changes nothing: any process may look.
 * It never tells the token by which a holder proves itself.
 */

declare(strict_types=1);

require __DIR__ . '/../Shop.php';

$shop = new Shop($_SERVER['SHOP']);
$holders = (new RLock())->holders('checkout:*');

header('Content-Type: text/html; charset=utf-8');
header('Cache-Control: no-store');

function e(string|int $text): string
{
    return htmlspecialchars((string) $text);
}

/** @return list<string|int> */
function describe(?RLock\Holder $holder): array
{
    return $holder === null ? ['free', '', '', '', ''] : [
        match ($holder->kind) {
            RLock\Kind::HandOver => 'on its way to the next',
            RLock\Kind::Cooldown => "nobody yet, after $holder->owner",
            RLock\Kind::Foreign => 'a foreign client',
            default => $holder->owner,
        },
        $holder->metadata ?? '',
        $holder->fence ?? 'none',
        $holder->ttl === null ? 'for ever' : sprintf('%.1f s', $holder->ttl),
        $holder->contended ? 'yes' : '',
    ];
}
?>
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<title>Who holds what</title>
<style>
    body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; }
    table { border-collapse: collapse; }
    th, td { border-bottom: 1px solid #ccc; padding: .3rem 1rem .3rem 0; text-align: left; font-variant-numeric: tabular-nums; }
</style>
<h1>Who holds what</h1>
<table>
    <tr><th>item</th><th>left</th><th>held by</th><th>who</th><th>fence</th><th>lease</th><th>waited for</th></tr>
<?php foreach ($shop->stock() as $item => $left): ?>
    <tr>
<?php foreach ([$item, $left, ...describe($holders["checkout:$item"] ?? null)] as $cell): ?>
        <td><?= e($cell) ?></td>
<?php endforeach ?>
    </tr>
<?php endforeach ?>
</table>
<p>It is <?= e(date('H:i:s')) ?>. This page asks again every second.</p>
