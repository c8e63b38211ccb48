<?php

namespace Laravel\Octane\Events;

use Illuminate\Foundation\Application;
use Laravel\Octane\Contracts\OperationTerminated;

class TickTerminated implements OperationTerminated
{
    public function __construct(public Application $app, public Application $sandbox)
    {
    }

    public function app(): Application
    {
        return $this->app;
    }

    public function sandbox(): Application
    {
        return $this->sandbox;
    }
}
