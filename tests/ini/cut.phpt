--TEST--
An address that an ini file cuts, since it stands there without quotes, is refused with a word of that
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* What PHP makes of each, as php.ini: a sign that it knows ends the value. */
foreach ([
    'rlock.servers = redis://:p;w@h' => 'redis://:p',
    'rlock.servers = redis://:p!w@h' => 'redis://:p',
    'rlock.servers = redis://:p&w@h' => '0',
    'rlock.servers = redis://h?timeout=0.5' => 'redis://h?timeout',
    'rlock.servers = "redis://:p;w@h:0"' => 'redis://:p;w@h:0',
    'rlock.servers = "unix:///a%"' => 'unix:///a%',
] as $line => $value) {
    ini_set('rlock.servers', $value);
    try {
        new RLock();
    } catch (ValueError $e) {
        echo $line, "\n    ", $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
rlock.servers = redis://:p;w@h
    The ini setting rlock.servers is invalid: The server address cannot be read: the host is missing; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
rlock.servers = redis://:p!w@h
    The ini setting rlock.servers is invalid: The server address cannot be read: the host is missing; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
rlock.servers = redis://:p&w@h
    The ini setting rlock.servers is invalid: The server address cannot be read: a host alone, or with its port, is written redis://host:6379; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
rlock.servers = redis://h?timeout=0.5
    The ini setting rlock.servers is invalid: The server address cannot be read: the option "timeout" has no value; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
rlock.servers = "redis://:p;w@h:0"
    The ini setting rlock.servers is invalid: The server address cannot be read: the port must be a whole number from 1 to 65535
rlock.servers = "unix:///a%"
    The ini setting rlock.servers is invalid: The server address cannot be read: a '%' in the path is not followed by two hex digits (a plain '%' is written %25); in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it
