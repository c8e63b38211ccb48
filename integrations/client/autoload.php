<?php

/*
 * For use without Composer. Where the extension is loaded it wins: none of its classes is declared here.
 */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    [$name, $folders] = match (true) {
        str_starts_with($class, 'RLock\\Client\\') => [substr($class, 13), ['src', 'shared']],
        $class === 'RLock', str_starts_with($class, 'RLock\\') => [substr($class, $class === 'RLock' ? 0 : 6), ['classes']],
        default => ['', []],
    };
    foreach ($folders as $folder) {
        $file = __DIR__ . "/$folder/$name.php";
        is_file($file) && require $file;
    }
});
