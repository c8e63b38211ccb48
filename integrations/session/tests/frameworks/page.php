<?php

/*
 * A page that counts its visits in a session of Symfony's, or in one of PHP's own around which a handler stands:
 * ?how=..., and ?do=... for what else it does.
 */

declare(strict_types=1);

use Symfony\Component\Cache\Marshaller\DefaultMarshaller;
use Symfony\Component\Cache\Marshaller\DeflateMarshaller;
use Symfony\Component\HttpFoundation\Session\Session;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\MarshallingSessionHandler;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;
use Symfony\Component\HttpFoundation\Session\Storage\NativeSessionStorage;

require getenv('APP') . '/vendor/autoload.php';

/** As the manual of PHP shows it. */
final class EncryptedSessionHandler extends SessionHandler
{
    private const CIPHER = 'aes-256-ctr';

    public function read(string $id): string|false
    {
        $data = parent::read($id);
        if ($data === false || $data === '') {
            return $data;
        }
        return openssl_decrypt(substr($data, 16), self::CIPHER, 'a key', OPENSSL_RAW_DATA, substr($data, 0, 16));
    }

    public function write(string $id, string $data): bool
    {
        $start = random_bytes(16);
        return parent::write($id, $start . openssl_encrypt($data, self::CIPHER, 'a key', OPENSSL_RAW_DATA, $start));
    }
}

/** Throws where it is told to, before or after what it stands around. */
final class FailingSessionHandler extends SessionHandler
{
    private function fail(string $function, string $when): void
    {
        if (($_GET['fail'] ?? '') === "$when $function") {
            throw new DomainException("$when $function");
        }
    }

    public function open(string $path, string $name): bool
    {
        $this->fail('open', 'before');
        $done = parent::open($path, $name);
        $this->fail('open', 'after');
        return $done;
    }

    public function close(): bool
    {
        $this->fail('close', 'before');
        $done = parent::close();
        $this->fail('close', 'after');
        return $done;
    }

    public function read(string $id): string|false
    {
        $this->fail('read', 'before');
        $data = parent::read($id);
        $this->fail('read', 'after');
        return $data;
    }

    public function write(string $id, string $data): bool
    {
        $this->fail('write', 'before');
        $done = parent::write($id, $data);
        $this->fail('write', 'after');
        return $done;
    }
}

/** A session of Symfony's, with the handler or with its default. */
function symfony(mixed $handler = null): Session
{
    return new Session(new NativeSessionStorage([], $handler));
}

/** @return int how many visits this session has seen */
function count_in_symfony(Session $session): int
{
    if ($session->has('end')) {
        $session->invalidate();
    }
    $session->set('n', $count = $session->get('n', 0) + 1);
    usleep((int) ($_GET['work'] ?? 0));
    match ($_GET['do'] ?? '') {
        'migrate' => $session->migrate(true),
        'keep' => $session->migrate(),
        'invalidate' => $session->set('end', true),
        'throw' => throw new DomainException('the page fails'),
        default => null,
    };
    $session->save();
    return $count;
}

function count_in_php(SessionHandler $handler): int
{
    session_set_save_handler($handler);
    session_start(['use_strict_mode' => true]);
    $_SESSION['n'] = $count = ($_SESSION['n'] ?? 0) + 1;
    usleep((int) ($_GET['work'] ?? 0));
    match ($_GET['do'] ?? '') {
        'migrate' => session_regenerate_id(true),
        'keep' => session_regenerate_id(),
        'throw' => throw new DomainException('the page fails'),
        default => null,
    };
    session_write_close();
    return $count;
}

$marshaller = new DeflateMarshaller(new DefaultMarshaller());
echo match ($_GET['how']) {
    'symfony' => count_in_symfony(symfony()),
    'symfony, marshalled' => count_in_symfony(
        symfony(new MarshallingSessionHandler(new StrictSessionHandler(new SessionHandler()), $marshaller)),
    ),
    'encrypted' => count_in_php(new EncryptedSessionHandler()),
    'failing' => count_in_php(new FailingSessionHandler()),
};
