--TEST--
Sessions by Sentinel, also through a failover, and over TLS
--EXTENSIONS--
session
--SKIPIF--
<?php require __DIR__ . '/../tls/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/session.inc';
require __DIR__ . '/../tls/tls.inc';

$group = new SentinelGroup();
$settings = ['rlock.servers' => $group->url(), 'session.use_strict_mode' => '1'];
$id = new_id();
$add = 'session_start(); var_dump(session_id() === $args["id"]); $_SESSION["n"]++;';
($group->master->client())('SET', data_key($id), 'n|i:1;');
run_page('at the master', $add, ['id' => $id], $settings);
say('data', ($group->master->client())('GET', data_key($id)));
await_replicas($group->master->client());
$page = holder($id, '$_SESSION["n"]++; session_write_close(); echo "goes on\n";', $settings);
await_replicas($group->master->client());
$group->failOver();
$page->say('go on');
say('written to the new one', [printed($page), ($group->master->client())('GET', data_key($id))]);
run_page('and read there', $add, ['id' => $id], $settings);
run_page('as save_path', $add, ['id' => $id], ['session.save_path' => $group->url()] + $settings);

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost,IP:127.0.0.1'));
$code = 'if (session_start()) { $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; echo $_SESSION["n"], "\n"; }';
run_page('rediss', $code, ['id' => $id], ['rlock.servers' => $tls->url("cafile=$authority->file")]);
run_page('tls', $code, ['id' => $id], ['session.save_path' => "tls://localhost:$tls->port?stream[cafile]=$authority->file&timeout=5"]);
run_page('tls, not verified', $code, ['id' => $id], ['session.save_path' => "tls://127.0.0.1:$tls->port?stream[verify_peer]=0&stream[verify_peer_name]=0"]);
run_page('tls, of an unknown authority', $code, ['id' => $id], ['session.save_path' => "tls://localhost:$tls->port"]);
?>
--EXPECT--
at the master:
    bool(true)
data: n|i:2;
written to the new one: ["goes on","n|i:3;"]
and read there:
    bool(true)
as save_path:
    bool(true)
rediss:
    1
tls:
    2
tls, not verified:
    3
tls, of an unknown authority:
    Warning: session_start(): The session could not be started: Cannot connect to Redis at localhost:PORT: its certificate is not accepted: self-signed certificate in certificate chain; cafile= must name a file with the authority that signed it
    Warning: session_start(): Failed to read session data: rlock
