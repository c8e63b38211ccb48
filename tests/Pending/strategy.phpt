--TEST--
Pending: the retry strategy is asked from 1 on, as it is by a call that waits
--FILE--
<?php
require __DIR__ . '/../pending.inc';

final class Noting implements RLock\RetryStrategy
{
    public array $attempts = [];

    public function nextBackoff(int $attempt): ?float
    {
        $this->attempts[] = $attempt;
        return $attempt < 4 ? 0.001 : null;
    }
}

$key = unique_key();
$holder = new RLock(shared_url());
ignore($holder->getLock($key, ttl: 300.0));
$noting = new Noting();
$lock = new RLock(shared_url(), retry: $noting);
say('a call', [$lock->getLock($key, wait: 60.0), $noting->attempts]);
$noting->attempts = [];
say('a request', [decide($lock->requestLock($key, wait: 60.0)), $noting->attempts]);
$noting->attempts = [];
say('another', [decide($lock->requestLock($key, wait: 60.0)), $noting->attempts]);
?>
--EXPECT--
a call: [false,[1,2,3,4]]
a request: [false,[1,2,3,4]]
another: [false,[1,2,3,4]]
