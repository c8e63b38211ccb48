<?php

declare(strict_types=1);

use App\Rebuild;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Middleware;
use Illuminate\Http\Middleware\HandleCors;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Route;

array_map(fn (string $file) => require_once $file, glob(dirname(__DIR__) . '/app/*.php'));
Carbon::setTestNow(getenv('NOW') ?: null);

$application = Application::configure(basePath: dirname(__DIR__))
    ->withRouting(
        using: fn () => Route::middleware(StartSession::class)->group(dirname(__DIR__) . '/routes/web.php'),
        commands: dirname(__DIR__) . '/routes/console.php',
    )
    ->withCommands([Rebuild::class])
    ->withMiddleware(fn (Middleware $middleware) => $middleware->remove(HandleCors::class))
    ->withExceptions()
    ->create();
$application->booted(fn () => $application->make('config')->set('cache.stores.rlock.lease', getenv('LEASE') ?: 30));
return $application;
