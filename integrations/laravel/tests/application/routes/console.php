<?php

declare(strict_types=1);

use Illuminate\Console\Events\ScheduledBackgroundTaskFinished;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Schedule;

use function App\note;
use function App\work;

Artisan::command('nightly', fn () => note('nightly'));
Artisan::command('long', fn () => work('long'));
Artisan::command('slow', fn () => work(getenv('SLOW')));
Artisan::command('behind', fn () => work('behind'));
Artisan::command('late', fn () => work('late-background'));
Artisan::command('wedged', function () {
    note('wedged: ' . getmypid());
    work('wedged');
});
Artisan::command('funnel', fn () => Cache::funnel('funnel')->limit(2)->releaseAfter(60)->block(60)->sleep(5)->then(function () {
    note('in');
    usleep(20_000);
    note('out');
}));

Schedule::command('nightly')->everyMinute()->onOneServer();
Schedule::command('long')->everyMinute()->withoutOverlapping();
Schedule::command('slow')->everyMinute()->withoutOverlapping()->when(fn () => getenv('SLOW') !== false);
Schedule::command('behind')->everyMinute()->withoutOverlapping(100)->runInBackground()->when(fn () => getenv('BEHIND') !== false);
Schedule::command('late')->everyMinute()->withoutOverlapping(0.05)->runInBackground()->when(fn () => getenv('LATE') !== false);
Schedule::command('wedged')->everyMinute()->when((bool) getenv('WEDGED'))->withoutOverlapping(0.05);   // 3 s
Event::listen(ScheduledBackgroundTaskFinished::class, fn () => note('finished'));
