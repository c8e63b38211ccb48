<?php
/*
 * A shop with a few items in stock. A checkout reads what is left, has the customer pay, which
 * takes a while, and writes down what is left then. Two at once would both sell the last one: whoever
 * calls sell() must hold the lock of the item.
 *
 * As the last line of defence the stock keeps the fence of the lock beside the number, and a
 * checkout with a lower one, whose lease ran out in the midst of it, changes nothing.
 */

declare(strict_types=1);

enum Sale: string
{
    case Sold = 'sold';
    case SoldOut = 'sold out';
    case Overtaken = 'overtaken: paid back';
}

final class Shop
{
    private readonly PDO $db;

    public function __construct(string $file)
    {
        $this->db = new PDO("sqlite:$file", options: [PDO::ATTR_TIMEOUT => 5]);
        $this->db->exec('PRAGMA synchronous = NORMAL');
    }

    /** @param array<string, int> $stock */
    public static function open(string $file, array $stock): self
    {
        $shop = new self($file);
        $shop->db->exec('PRAGMA journal_mode = WAL');
        $shop->db->exec('CREATE TABLE stock (item TEXT PRIMARY KEY, left INTEGER NOT NULL, fence INTEGER NOT NULL)');
        $shop->db->exec('CREATE TABLE sale (item TEXT NOT NULL, customer TEXT NOT NULL)');
        foreach ($stock as $item => $left) {
            $shop->run('INSERT INTO stock VALUES (?, ?, 0)', $item, $left);
        }
        return $shop;
    }

    /** @return array<string, int> what is left of each item */
    public function stock(): array
    {
        return $this->run('SELECT item, left FROM stock ORDER BY item')->fetchAll(PDO::FETCH_KEY_PAIR);
    }

    public function sold(string $item): int
    {
        return (int) $this->run('SELECT count(*) FROM sale WHERE item = ?', $item)->fetchColumn();
    }

    /** Under the lock of the item, whose fence this is. */
    public function sell(string $item, string $customer, int $fence): Sale
    {
        $left = (int) $this->run('SELECT left FROM stock WHERE item = ?', $item)->fetchColumn();
        if ($left < 1) {
            return Sale::SoldOut;
        }
        usleep(2000);                                       // the customer pays

        $this->db->exec('BEGIN IMMEDIATE');
        $written = $this->run('UPDATE stock SET left = ?, fence = ? WHERE item = ? AND fence <= ?',
            $left - 1, $fence, $item, $fence)->rowCount() === 1;
        if ($written) {
            $this->run('INSERT INTO sale VALUES (?, ?)', $item, $customer);
        }
        $this->db->exec('COMMIT');

        return $written ? Sale::Sold : Sale::Overtaken;
    }

    private function run(string $sql, string|int ...$values): PDOStatement
    {
        $statement = $this->db->prepare($sql);
        foreach ($values as $position => $value) {
            $statement->bindValue($position + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
        }
        $statement->execute();
        return $statement;
    }
}
