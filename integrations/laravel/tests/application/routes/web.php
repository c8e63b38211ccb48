<?php

declare(strict_types=1);

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;

$count = function (Request $request): string {
    $count = $request->session()->get('count', 0) + 1;
    usleep(10_000);
    $request->session()->put('count', $count);
    return (string) $count;
};
Route::get('/blocking', $count)->block(lockSeconds: 30, waitSeconds: 30);
Route::get('/at-once', $count);
Route::get('/impatient', $count)->block(lockSeconds: 30, waitSeconds: 0);
