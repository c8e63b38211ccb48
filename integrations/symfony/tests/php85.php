<?php

declare(strict_types=1);

/*
 * A function of PHP 8.5 that the framework calls, as in symfony/polyfill-php85, which not every mirror of Packagist serves.
 */
if (!function_exists('get_error_handler')) {
    function get_error_handler(): ?callable
    {
        $handler = set_error_handler(null);
        restore_error_handler();
        return $handler;
    }
}
