<?php
namespace local_rlock;

use core\session\manager;

final class session extends \core\session\handler
{
    private ?\Redis $redis = null;

    public function init() {
        ini_set('session.save_handler', 'rlock');
        ini_set('session.save_path', '');       // rlock.servers of php.ini
    }

    public function start() {
        // A read-only page waits for nobody; but what Moodle may give a new id must be open.
        if (!$this->requires_write_lock() && session_start(['read_and_close' => true])
                && manager::session_exists(session_id())) {
            return true;
        }
        set_error_handler(function (int $level, string $message) use (&$why) { $why ??= $message; return true; });
        $started = session_start();
        restore_error_handler();
        if ($why !== null) {
            error_log($why);
        }
        return $started ?: throw new \core\session\exception('generalexceptionmessage', 'error', '', $why);
    }

    private function redis(): \Redis {
        if ($this->redis === null) {
            $this->redis = new \Redis();
            $this->redis->connect('10.0.0.5');
        }
        return $this->redis;
    }

    public function session_exists($sid) {
        return (bool) $this->redis()->exists("PHPREDIS_SESSION:$sid");
    }

    public function destroy(string $id): bool {
        $this->kill_session($id);
        return parent::destroy($id);
    }

    public function destroy_all(): bool {
        $this->kill_all_sessions();
        return parent::destroy_all();
    }

    // Before Moodle had the two above, it called these.
    public function kill_session($sid) {
        $this->redis()->del("PHPREDIS_SESSION:$sid");
    }

    public function kill_all_sessions() {
        global $DB;
        foreach ($DB->get_fieldset_select('sessions', 'sid', '') as $sid) {
            $this->kill_session($sid);
        }
    }
}
