<?php

/*
 * For use without Composer. Where the extension is loaded it wins: none of its classes is declared here.
 */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    $name = strtr($class, ['RLock\\Client\\' => 'src/', 'RLock\\' => 'classes/', '\\' => '/']);
    $file = __DIR__ . '/' . ($class === 'RLock' ? 'classes/RLock' : $name) . '.php';
    if (($class === 'RLock' || str_starts_with($class, 'RLock\\')) && is_file($file)) {
        require $file;
    }
});
