<?php
defined('MOODLE_INTERNAL') || die();

$plugin->component = 'local_rlock';
$plugin->version = 2026112900;
$plugin->requires = 2023112400;     // the one that was run
