<?php
/*
 * A store that is safe even from a writer whose lock has run out without its noticing.
 *
 * Every grant of a lock comes with a fence, a number that only rises. The store keeps, beside
 * each report, the highest fence it has seen, and every write names its own: one conditional
 * UPDATE decides. Any database with an atomic UPDATE can do this.
 */

declare(strict_types=1);

final class ReportStore
{
    private readonly PDO $db;

    public function __construct(string $file)
    {
        $this->db = new PDO("sqlite:$file", options: [PDO::ATTR_TIMEOUT => 5]);
        $this->db->exec('CREATE TABLE IF NOT EXISTS report (
            day TEXT PRIMARY KEY, fence INTEGER NOT NULL, body TEXT)');
    }

    /** Makes known that the holder of this fence is at work on the day. False: a later holder has been here. */
    public function begin(string $day, int $fence): bool
    {
        return $this->run('INSERT INTO report (day, fence) VALUES (:day, :fence)
            ON CONFLICT (day) DO UPDATE SET fence = :fence WHERE fence < :fence',
            ['day' => $day, 'fence' => $fence]) === 1;
    }

    /** False, and nothing written: a later holder has been here. */
    public function save(string $day, int $fence, string $body): bool
    {
        return $this->run('UPDATE report SET body = :body WHERE day = :day AND fence = :fence',
            ['day' => $day, 'fence' => $fence, 'body' => $body]) === 1;
    }

    public function isDone(string $day): bool
    {
        return $this->body($day) !== null;
    }

    public function body(string $day): ?string
    {
        $row = $this->db->prepare('SELECT body FROM report WHERE day = ?');
        $row->execute([$day]);
        return $row->fetchColumn() ?: null;
    }

    /** How many rows it changed. */
    private function run(string $sql, array $values): int
    {
        $statement = $this->db->prepare($sql);
        foreach ($values as $name => $value) {
            $statement->bindValue($name, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
        }
        $statement->execute();
        return $statement->rowCount();
    }
}
