--TEST--
Where the locale writes numbers with a comma, messages and settings do not
--SKIPIF--
<?php
exec('command -v localedef', $output, $status);
if ($status !== 0 || !is_dir('/usr/share/i18n/charmaps')) die('skip localedef is not there, or has no charmaps');
?>
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* No such locale need be installed: this one has nothing but the comma. */
$folder = temporary_folder();
file_put_contents("$folder/source", "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
exec('localedef -c -i ' . escapeshellarg("$folder/source") . ' ' . escapeshellarg("$folder/comma") . ' 2>&1');
putenv("LOCPATH=$folder");
say('locale', [setlocale(LC_NUMERIC, 'comma'), sprintf('%.1f', 0.5)]);

$url = shared_url('timeout=10.5&connect_timeout=10.5');
$client = shared_client();
$numbers = function (callable $call): void {
    try {
        say('result', $call());
    } catch (Throwable $e) {
        preg_match_all('/-?\d+[.,]\d+(?= s )|returned|-\d[.,]\d*/', $e->getMessage(), $match);
        say($e::class, preg_replace('/\d/', '0', implode(' ', $match[0])));
    }
};
$lock = new RLock($url, ttl: 0.5);
$other = new RLock($url);
foreach (['timed out', 'lost', 'prolonged'] as $end) {
    $key = unique_key();
    take_briefly($lock->getLock(...), $key);
    await('expiry', fn () => !$client('EXISTS', lock_key($key)));
    $end !== 'lost' || $other->getLock($key);
    $numbers(fn () => $end === 'prolonged' ? $lock->prolongate($key) : $lock->releaseLock($key));
}
$key = unique_key();
ignore($other->getLock($key));
$lock = new RLock($url, retry: new class implements RLock\RetryStrategy {
    public function nextBackoff(int $attempt): ?float
    {
        return -1.5;
    }
});
$numbers(fn () => $lock->getLock($key, wait: 20.0));
$lock = new RLock($url);
say_within('a wait', seconds(fn () => say('busy', $lock->getLock($key, wait: 0.2))), 0.15, 5.0);
ini_set('rlock.ttl', '0.5');
$numbers(fn () => answered(fn () => (new RLock($url))->getLock(unique_key())));
?>
--EXPECT--
locale: ["comma","0,5"]
RLock\TimeoutException: 0.000
RLock\LostLockException: 0.000
RLock\TimeoutException: 0.000
ValueError: -0.0 returned
busy: false
a wait: in time
result: true
