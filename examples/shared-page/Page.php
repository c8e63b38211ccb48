<?php
/*
 * A page in several files, which readers must find as they belong together, and which is rebuilt when its source has
 * changed: by one reader, while nobody reads. To copy from.
 */

declare(strict_types=1);

use RLock\Locker;

final class Page
{
    private const PARTS = 10;

    public function __construct(private readonly ?Locker $locks, private readonly string $folder)
    {
    }

    /** @return list<string> its parts, rebuilt if that is necessary */
    public function show(): array
    {
        if ($this->locks === null) { // what happens then is seen in play.php
            $this->isStale() && $this->rebuild();
            return $this->read();
        }
        $this->locks->getSharedLock('page', wait: 30.0) || throw new RuntimeException('The page is being rebuilt');
        try {
            if ($this->isStale()) {
                $this->rebuildAlone($this->locks);
            }
            return $this->read();
        } finally {
            $this->locks->releaseLock('page');
        }
    }

    /** With a share at the beginning and at the end. Nobody waits for others to give up a share while it has one. */
    private function rebuildAlone(Locker $locks): void
    {
        $locks->releaseLock('page');
        $locks->getLock('page', wait: 30.0) || throw new RuntimeException('The page is being read');
        if ($this->isStale()) { // nobody was faster
            $this->rebuild();
        }
        $locks->downgrade('page'); // the other readers come in, and no other writer
    }

    private function isStale(): bool
    {
        return @file_get_contents("$this->folder/built") !== file_get_contents("$this->folder/source");
    }

    private function rebuild(): void
    {
        $source = file_get_contents("$this->folder/source");
        file_put_contents("$this->folder/rebuilt", "$source\n", FILE_APPEND);
        for ($i = 0; $i < self::PARTS; $i++) {
            usleep(500); // a query
            file_put_contents("$this->folder/part$i", $source);
        }
        file_put_contents("$this->folder/built", $source);
    }

    /** @return list<string> */
    private function read(): array
    {
        return array_map(fn (int $i): string => (string) @file_get_contents("$this->folder/part$i"), range(0, self::PARTS - 1));
    }
}
