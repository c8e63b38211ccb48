--TEST--
rlock/session around PHP's handler of files, with PHP's own defaults: strict or not, nothing is deprecated
--EXTENSIONS--
session
--SKIPIF--
<?php
if (!is_dir(__DIR__ . '/../../integrations/session')) {
    die('skip the package of the extension does not have it');
}
?>
--FILE--
<?php
require __DIR__ . '/session.inc';

$folder = temporary_folder();
$code = 'spl_autoload_register(fn (string $class) => require $args["sources"] . strrchr(strtr($class, "\\\\", "/"), "/") . ".php");
    session_set_save_handler(new RLock\Session\LockedSessionHandler(new SessionHandler(), new RLock($args["url"]), wait: 10.0));
    session_start();
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    $args["regenerates"] && session_regenerate_id(true);
    echo $_SESSION["n"], session_id() === $args["id"] ? "" : " under another id", "\n";
    session_id() === $args["id"] || $parent->say(session_id());';
$visit = function (string $what, string $id, array $settings, bool $regenerates = false) use ($code, $folder): Child {
    $page = page($code, ['sources' => __DIR__ . '/../../integrations/session/src', 'url' => shared_url(), 'id' => $id, 'regenerates' => $regenerates],
        ['session.save_handler' => 'files', 'session.save_path' => $folder] + $settings);
    say($what, printed($page));
    return $page;
};
foreach (['0', '1'] as $strict) {
    say('strict', $strict);
    $settings = ['session.use_strict_mode' => $strict];
    $page = $visit('an id of nobody', $id = new_id(), $settings);
    $id = $strict ? $page->hear() : $id;
    $visit('again', $id, $settings);
    $id = $visit('regenerated', $id, $settings, true)->hear();
    $visit('under the new one', $id, $settings);
}
?>
--EXPECT--
strict: 0
an id of nobody: 1
again: 2
regenerated: 3 under another id
under the new one: 4
strict: 1
an id of nobody: 1 under another id
again: 2
regenerated: 3 under another id
under the new one: 4
