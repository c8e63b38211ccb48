/*
 * What becomes of one call, whatever its server does: a request alone against a scripted
 * server. Each row of the tables has three parts:
 *
 *   - How it begins. Nothing: there is no connection yet. idle: there is one; gone: which the
 *     server has closed since; dead: just now, so that nobody looks; none: of which the system
 *     takes nothing, and says that it is broken; part: once it has taken a part of the request, in
 *     turn of every length; large: a request of which it takes a part only; down: nobody listens;
 *     over: the deadline has passed; tcp: over TCP; cluster: in a cluster. final: there is no undo;
 *     alone: the call may go with its first key alone; hasty: its caller tries again by itself;
 *     read: replicas do not matter to it.
 *   - What the server does, as scripted.h says. If an answer is cut or halted, in turn behind each
 *     of its bytes.
 *   - What comes of it, in this order:
 *     the status, or a refusal's code;
 *     M: the fate is unknown, 1: a copy is out, F: too_few, T: is_transient;
 *     which of the sendings that were seen sent_at precedes, 1 is the first; 0: none was tried;
 *     how long it took in ms, rounded up to tens; the deadline is at 10000;
 *     what was added to the route's requests + reconnects;
 *     and what the servers have seen. The last is the next call, n: where it found a connection,
 *     this one's was kept, and where it needed a new one, A:n, it was not.
 */
#define _GNU_SOURCE
#include "testing.h"
#include "clock.h"
#include "faults.h"
#include "scripted.h"
#include "throwaway.h"

#include "call/call.h"
#include "route/deployment.h"

#include <poll.h>
#include <sys/socket.h>

static struct throwaway place; /* its folder has the server's socket */

/* One row, and what comes of it. */
struct row {
	char begins[32], server[80], outcome[96];
	size_t cut_at;
	bool is_whole; /* nothing was cut any more */
	bool is_last;
};

static bool begins(const struct row *row, const char *how)
{
	return strstr(row->begins, how) != NULL;
}

/* --- a call --- */

static const struct rl_call *undo(struct rl_call *call)
{
	static const struct rl_call undo = {
		.eval = { .script = &scripted_undo, .keys = { { "{job}", 5 } }, .key_count = 1 }
	};

	return &undo;
}

/* Another call, before or after the row's. `closes`: then the server closes the connection. */
static void call_plainly(struct rl_route *route, bool closes)
{
	struct rl_call call = {
		.eval = { .script = &scripted_next, .keys = { { "{job}", 5 } }, .key_count = 1 }
	};
	struct rl_request request;
	struct rl_error error;

	scripted.closes = closes;
	rl_request_begin(&request, route, &call, rl_now() + SCRIPTED_TIME);
	if (rl_request_run(&request, &error) != RL_OK) {
		fail_msg("%s: %s", scripted.seen, error.message);
	}
	if (closes) {
		int fd = request.exchange.connection->transport->fd;

		poll(&(struct pollfd){ fd, POLLRDHUP, 0 }, 1, 10000);
	}
	rl_request_end(&request);
	scripted.closes = false;
}

static unsigned sending_after(rl_time moment)
{
	unsigned i = 0;

	while (i < scripted.sending_count && scripted.sendings[i] < moment) {
		i++;
	}
	return i + 1;
}

static void run_call(struct row *row, struct rl_route *route)
{
	static char large[1024 * 1024];
	struct rl_call call = { .eval.script = &scripted_call,
		.eval.keys = { { "{job}", 5 }, { "{job}2", 6 } },
		.eval.key_count = 2,
		.eval.args = { { large, begins(row, "large") ? sizeof large : 1 }, { "0", 1 } },
		.eval.arg_count = 2,
		.eval.until_arg = 1,
		.undo = begins(row, "final") ? NULL : undo,
		.lock_key_alone_ok = begins(row, "alone"),
		.is_hasty = begins(row, "hasty"),
		.replicated_up_to = begins(row, "read") ? 0 : 1 };
	rl_time began = rl_now(), tens;
	struct rl_request request;
	struct rl_error error;
	enum rl_status status;
	bool failed;

	scripted.deadline = began + (begins(row, "over") ? 0 : SCRIPTED_TIME);
	route->requests = route->reconnects = 0;
	rl_request_begin(&request, route, &call, scripted.deadline);
	status = rl_request_run(&request, &error);
	rl_request_end(&request);
	failed = status != RL_OK;
	if (failed && status != RL_REFUSED) {
		assert_int_equal(status, RL_UNREACHABLE);
		strcpy(error.code, "unreachable");
	}
	tens = (rl_now() - began + 9 * RL_MILLISECOND) / (10 * RL_MILLISECOND);
	snprintf(row->outcome, sizeof row->outcome, "%s %c%u%c%c %u %d %d+%d",
		failed ? error.code : "ok", "-M"[call.doubt.fate_unknown], call.doubt.copy_out,
		"-F"[call.too_few], "-T"[failed && call.is_transient],
		call.sent_at ? sending_after(call.sent_at) : 0,
		(int)(10 * tens), (int)route->requests, (int)route->reconnects);
}

/* --- a row --- */

static struct rl_route *route_to(const char *kind, const char *address)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = SCRIPTED_TIME, .timeout = SCRIPTED_TIME
	};
	char text[160];
	struct rl_text texts[] = { { text, strlen(kind) + strlen(address) } };
	struct rl_deployment *deployment;
	struct rl_route *route;
	struct rl_error error;

	snprintf(text, sizeof text, "%s%s", kind, address);
	assert_int_equal(rl_deployment_read(texts, 1, &defaults, &deployment, &error), RL_OK);
	route = rl_deployment_route(deployment, NULL);
	assert_non_null(route);
	return route;
}

static void prepare(struct row *row, struct rl_route *route)
{
	bool closed = begins(row, "gone") || begins(row, "dead"), breaks = begins(row, "none");
	bool in_part = begins(row, "part");

	clock_stop(1000 * RL_SECOND);
	if (closed || breaks || in_part || begins(row, "idle")) {
		call_plainly(route, closed);
		clock_advance(begins(row, "dead") ? 0 : RL_MILLISECOND);
	}
	if (begins(row, "down")) {
		scripted.dead = true;
		shutdown(scripted.servers[0].listener, SHUT_RDWR);
	}
	scripted_say(row->server);
	scripted.cut_at = row->cut_at;
	scripted.cuts = 0;
	faults_break_sending(in_part ? (long)row->cut_at + 1 : breaks - 1);
}

static void run(struct row *row)
{
	bool in_cluster = begins(row, "cluster"), at_port = in_cluster || begins(row, "tcp");
	const char *at_a_port = in_cluster ? "cluster://" : "redis://";
	struct rl_route *route;

	assert_true(scripted_start(at_port ? NULL : place.folder));
	route = route_to(at_port ? at_a_port : "", scripted.servers[0].address);
	route->replicas = begins(row, "replicas") ? SCRIPTED_REPLICAS : 0;
	prepare(row, route);
	run_call(row, route);
	row->is_whole = begins(row, "part") && !faults_sending_broke();
	row->is_last = begins(row, "part") ? row->is_whole : row->cut_at + 1 >= scripted.cuts;
	faults_break_sending(-1);
	AWAIT(!scripted.silent);
	scripted_hear_left();
	if (!scripted.dead) {
		call_plainly(route, false);
	}
	snprintf(row->outcome + strlen(row->outcome), sizeof row->outcome - strlen(row->outcome),
		"%s%s%s", *scripted.seen ? " " : "", scripted.seen, *scripted.rest ? " and stops" : "");
	route->kind->free(route);
	scripted_stop();
}

/* The part of a row up to the next bar, with no more than one space in a row. */
static const char *read_part(const char *text, char *part)
{
	size_t length = 0;

	for (; *text && *text != '|'; text++) {
		if (*text != ' ' || (length > 0 && part[length - 1] != ' ')) {
			part[length++] = *text;
		}
	}
	part[length - (length > 0 && part[length - 1] == ' ')] = '\0';
	return *text ? text + 1 : text;
}

static unsigned check_row(const char *text, const char *kind)
{
	struct row row = { .cut_at = 0 };
	char expected[sizeof row.outcome];
	unsigned failures = 0;

	read_part(read_part(read_part(text, row.begins), row.server), expected);
	strcat(row.begins, kind);
	for (; !row.is_last; row.cut_at++) {
		run(&row);
		if (!row.is_whole && strcmp(row.outcome, expected) != 0) {
			print_error("%s\n    cut at %zu: %s\n", text, row.cut_at, row.outcome);
			failures++;
		}
	}
	return failures;
}

static void check(const char *const *rows, const char *kind)
{
	unsigned failures = 0;

	for (; *rows; rows++) {
		failures += check_row(*rows, kind);
	}
	assert_int_equal(failures, 0);
}

/* --- the tables --- */

static const char *const one_server_rows[] = {
	/* Answers, whole and byte by byte; in the last there is more than one. */
	"          | :1                                    | ok          -0-- 1     0 1+0 A:hn",
	"          | drip :1                               | ok          -0-- 1     0 1+0 A:hn",
	"          | $-1                                   | ok          -0-- 1     0 1+0 A:hn",
	"          | drip *2 :1 :5                         | ok          -0-- 1     0 1+0 A:hn",
	"idle      | :1                                    | ok          -0-- 1     0 1+0 a:hn",
	"          | *1 :1 :5                              | ok          -0-- 1     0 1+0 A:h A:n",
	/* Not run, for what is known now. */
	"          | -NOSCRIPT, :1                         | ok          -0-- 2     0 2+0 A:htn",
	"          | 3x -NOSCRIPT, :1                      | ok          -0-- 4    10 4+0 A:htthn",
	"          | -LATE 9, :1                           | ok          -0-- 2     0 2+0 A:hTn",
	"          | -LATE, :1                             | ok          -0-- 2     0 2+0 A:htn",
	"          | -LATE 9, -NOSCRIPT, :1                | ok          -0-- 3     0 3+0 A:hTTn",
	"          | -NOSCRIPT, -LATE 9, :1                | ok          -0-- 3     0 3+0 A:htHn",
	"          | 3x -LATE 9, :1                        | ok          -0-- 4    10 4+0 A:hTHHn",
	"          | 2x -LATE 9, late -LATE 9              | unreachable -0-T 3 10000 3+0 A:hTHn",
	"          | -NOSCRIPT, cut, :1                    | ok          -1-- 2     0 3+1 A:ht A:hn",
	"          | cut, -NOSCRIPT, :1                    | ok          -1-- 1     0 3+1 A:h A:htn",
	"          | cut, -LATE 9, :1                      | ok          -1-- 1     0 3+1 A:h A:hTn",
	/* The connection ends. */
	"          | cut :1, :1                            | ok          -1-- 1     0 2+1 A:h A:hn",
	"          | cut *2 :1 :5, :1                      | ok          -1-- 1     0 2+1 A:h A:hn",
	"          | cut -BUSY, :1                         | ok          -1-- 1     0 2+1 A:h A:hn",
	"tcp       | reset, :1                             | ok          -1-- 1     0 2+1 A:h A:hn",
	"          | cut, cut :1, :1                       | ok          -1-- 1    10 3+1 A:h A:h A:hn",
	"          | cut, -OOM                             | OOM         M1-- 1     0 2+1 A:h A:hn",
	"          | cut, -BUSY, :1                        | ok          -1-- 1    10 3+1 A:h A:hhn",
	"          | cut, late -BUSY                       | BUSY        M1-T 1 10000 2+1 A:h A:hn",
	"          | cut, -BUSY, cut, :1                   | ok          -1-- 1    20 4+1 A:h A:hh A:hn",
	"          | -BUSY, cut, :1                        | ok          -1-- 2    10 3+1 A:hh A:hn",
	"          | die cut                               | unreachable M1-- 1     0 1+1 A:h",
	"          | cut, (cut, :1                         | ok          -1-- 1    10 2+1 A:h A: A:hn",
	"          | cut, (-NOAUTH                         | NOAUTH      M1-- 1     0 1+1 A:h A: A:n",
	"gone      | :1                                    | ok          -0-- 1     0 1+1 A:hn",
	"gone      | cut, :1                               | ok          -1-- 1    10 2+2 A:h A:hn",
	"gone down |                                       | unreachable -0-- 0     0 0+1",
	"dead      | :1                                    | ok          -0-- 1     0 2+1 A:hn",
	"dead      | cut, :1                               | ok          -1-- 1    10 3+1 A:h A:hn",
	"dead down |                                       | unreachable -0-- 1     0 1+1",
	"tcp dead  | :1                                    | ok          -1-- 1     0 2+1 A:hn",
	/* The request is not taken, or in part. */
	"none      | :1                                    | ok          -0-- 1     0 2+1 A:hn",
	"none      | cut, :1                               | ok          -1-- 1    10 3+1 A:h A:hn",
	"part      | :1                                    | ok          -1-- 1     0 2+1 A:hn",
	"part      | cut, :1                               | ok          -1-- 1    10 3+1 A:h A:hn",
	"part      | -OOM                                  | OOM         M1-- 1     0 2+1 A:hn",
	"part      | halt                                  | unreachable M1-- 1 10000 2+1 A:hu A:n",
	"large     | torn, torn, (-NOAUTH                  | NOAUTH      M1-- 1    10 2+1 A: A: A: A:n",
	"large     | stuck                                 | unreachable M1-- 1 10000 1+0 A: A:n",
	/* Silence. */
	"          | halt :1                               | unreachable M1-- 1 10000 1+0 A:hu A:n",
	"          | halt *2 :1 :5                         | unreachable M1-- 1 10000 1+0 A:hu A:n",
	"final     | halt                                  | unreachable M1-- 1 10000 1+0 A:h A:n",
	"          | cut, halt                             | unreachable M1-- 1 10000 2+1 A:h A:hu A:n",
	"          | -BUSY, halt                           | BUSY        M1-T 2 10000 2+0 A:hhu A:n",
	"          | -BUSY, cut, halt                     | BUSY        M1-T 2 10000 3+1 A:hh A:hu A:n",
	"          | -LOADING, (halt                       | LOADING     -0-T 1 10000 1+0 A:h A: A:n",
	/* That of a connection that was idle is not the server's. */
	"idle      | leave, :1                             | ok          -1-- 1  5000 2+1 a:h A:hn",
	"idle      | leave, halt                           | unreachable M1-- 1 10000 2+1 a:h A:hu a:u A:n",
	"idle      | leave, (halt                          | unreachable M1-- 1 10000 1+1 a:h A: a:u A:n",
	"idle      | leave, -OOM                           | OOM         M1-- 1  5000 2+1 a:h A:h a:u a:n",
	"idle      | leave, cut, :1                        | ok          -1-- 1  5010 3+1 a:h A:h A:hn",
	/* It is heard there, too, until the other has something to answer; then there at last. */
	"idle      | leave, (first :1                      | ok          -0-- 1  5000 1+1 a:h A: a:n",
	"idle      | leave, (first -LATE 9, :1             | ok          -0-- 2  5000 2+1 a:h A: a:Tn",
	"idle      | leave, (first -BUSY, :1               | ok          -0-- 2  5010 2+1 a:h A: a:hn",
	"idle      | leave, (first -OOM                    | OOM         -0-- 1  5000 1+1 a:h A: a:n",
	"idle      | leave, both :1                        | ok          -1-- 1  5000 2+1 a:h A:hn",
	"idle      | leave, first :1                       | ok          -1-- 1 10000 2+1 a:h A:h a:n",
	"idle      | leave, first -OOM                     | OOM         M1-- 1 10000 2+1 a:h A:h a:n",
	"idle      | -BUSY, halt                           | BUSY        M1-T 2 10000 2+0 a:hhu A:n",
	"idle over | hold                                  | unreachable M1-- 1     0 1+0 a:hu A:n",
	"over      |                                       | unreachable -0-- 0     0 0+0 A: A:n",
	/* Refusals that pass. */
	"          | -BUSY, :1                             | ok          -0-- 2    10 2+0 A:hhn",
	"          | -CLUSTERDOWN, :1                      | ok          -0-- 2    10 2+0 A:hhn",
	"          | -NOREPLICAS, :1                       | ok          -0-- 2    10 2+0 A:hhn",
	"          | -TRYAGAIN, :1                         | ok          -0-- 2    10 2+0 A:hhn",
	"          | -ERR max number of clients, :1        | ok          -0-- 2    10 2+0 A:hhn",
	"       | -ERR attempted to access a non local key, :1 | ok          -0-- 2    10 2+0 A:hhn",
	"      | -ERR Error running script @user_script -BUSY, :1 | ok          -0-- 2    10 2+0 A:hhn",
	"          | -LOADING, :1                          | ok          -0-- 2    10 2+0 A:h A:hn",
	"          | -MASTERDOWN, :1                       | ok          -0-- 2    10 2+0 A:h A:hn",
	"          | -READONLY, :1                         | ok          -0-- 2    10 2+0 A:h A:hn",
	"          | -UNBLOCKED, :1                        | ok          -0-- 2    10 2+0 A:h A:hn",
	"          | 2x -LOADING, :1                       | ok          -0-- 3    20 3+0 A:h A:h A:hn",
	"          | -BUSY, -OOM                           | OOM         -0-- 2    10 2+0 A:hhn",
	"          | late -BUSY                            | BUSY        -0-T 1 10000 1+0 A:hn",
	"          | die -BUSY, :1                         | ok          -0-- 2    10 2+0 A:hh",
	"          | die -LOADING                          | unreachable -0-- 1    10 1+0 A:h",
	"alone     | -TRYAGAIN, :1                         | ok          -0-- 2     0 2+0 A:hh1n",
	"alone     | 2x -TRYAGAIN, :1                      | ok          -0-- 3    10 3+0 A:hh1h1n",
	"alone     | -TRYAGAIN, cut, :1                    | ok          -1-- 2     0 3+1 A:hh1 A:h1n",
	"hasty     | -BUSY                                 | BUSY        -0-T 1     0 1+0 A:hn",
	/* Refusals that last. */
	"          | -OOM                                  | OOM         -0-- 1     0 1+0 A:hn",
	"          | -MISCONF                              | MISCONF     -0-- 1     0 1+0 A:hn",
	"          | -NOPERM                               | NOPERM      -0-- 1     0 1+0 A:hn",
	"          | -ERR                                  | ERR         -0-- 1     0 1+0 A:hn",
	"          | -MOVED @1                             | MOVED       -0-- 1     0 1+0 A:hn",
	"          | -ASK @1                               | ASK         -0-- 1     0 1+0 A:hn",
	/* Nonsense. */
	"          | nonsense, :1                          | ok          -1-- 1     0 2+1 A:h A:hn",
	"          | nonsense, nonsense                    | unreachable M1-- 1     0 2+1 A:h A:h A:n",
	"          | -ERR unknown command 'GET', :1        | ok          -1-- 1     0 2+1 A:h A:hn",
	"          | -LATE 9000000000000, :1, :1           | ok          -1-- 2     0 3+1 A:hT A:hn",
	" | -LATE 9000000000000, cut, -LATE 9000000000000, :1 | ok          -1-- 2     0 4+1 A:hT A:hTn",
	"          | 2x *1 *1 *1 *1 :1                     | unreachable M1-- 1     0 2+1 A:h A:h A:n",
	/* No connection. */
	"down      |                                       | unreachable -0-- 0     0 0+0",
	"          | (cut, :1                              | ok          -0-- 1    10 1+0 A: A:hn",
	"          | (halt                                 | unreachable -0-- 0 10000 0+0 A: A:n",
	"          | (-NOAUTH                              | NOAUTH      -0-- 0     0 0+0 A: A:n",
	"          | (-DENIED protected mode               | DENIED      -0-- 0     0 0+0 A: A:n",
	"          | (-LOADING, :1                         | ok          -0-- 1     0 1+0 A:hn",
	"          | (-ERR max number of clients, :1       | ok          -0-- 1    10 1+0 A: A:hn",
	"          | (-ERR max number of clients, late -BUSY | BUSY        -0-T 1 10000 1+0 A: A:hn",
	"          | -LOADING, (cut, :1                    | ok          -0-- 2    20 2+0 A:h A: A:hn",
	"       | -LOADING, (-ERR max number of clients, :1 | ok          -0-- 2    20 2+0 A:h A: A:hn",
	NULL
};

static const char *const with_replicas_rows[] = {
	/* Enough of them, or nothing was done. */
	"        | :1, :2                          | ok          -0-- 1     0 2+0 A:hwn",
	"        | *2 :1 :5, :2                    | ok          -0-- 1     0 2+0 A:hwn",
	"read    | :1                              | ok          -0-- 1     0 1+0 A:hn",
	"        | :0, :0                          | ok          -0-- 1     0 2+0 A:hwn",
	"        | :2, :0                          | ok          -0-- 1     0 2+0 A:hwn",
	"        | :0, hold                        | ok          -0-- 1    10 2+0 A:hw A:n",
	"        | late :0, hold                   | ok          -0-- 1 10000 2+0 A:hw A:n",
	"        | :0, cut                         | ok          -0-- 1     0 2+0 A:hw A:n",
	"        | :0 &, -ERR                      | ok          -0-- 1     0 2+0 A:hwn",
	/* Its time was up, and there is more. */
	"        | :1, late :1, :2                 | ok          -0-- 1 10000 3+0 A:hwwn",
	"        | :1, late :1, :1                 | NOREPLICAS  M0FT 1 10000 3+0 A:hwwn",
	/* Too few, or nobody knows. */
	"        | :1, :1                          | NOREPLICAS  M0FT 1     0 2+0 A:hwn",
	"        | *2 :1 :5, :0                    | NOREPLICAS  M0FT 1     0 2+0 A:hwn",
	"        | :1, halt :2                     | NOREPLICAS  M0FT 1 10000 2+0 A:hwu A:n",
	"        | :1, -ERR                        | ERR         M0F- 1     0 2+0 A:hwn",
	"        | :1, -LOADING                    | LOADING     M0FT 1     0 2+0 A:hw A:n",
	"        | :1, cut :2, :1, :2              | ok          -1-- 1     0 4+1 A:hw A:hwn",
	"        | :1, cut, :1, cut, :1, :2        | ok          -1-- 1    10 6+1 A:hw A:hw A:hwn",
	"        | :1, cut, :0, :0                 | ok          -1-- 1     0 4+1 A:hw A:hwn",
	"        | :1, cut, -OOM &, :0             | OOM         M1-- 1     0 4+1 A:hw A:hwn",
	"        | :1, +OK, :1, :2                 | ok          -1-- 1     0 4+1 A:hwhwn",
	"        | :1, +OK, :1, +OK                | unreachable M1-- 1     0 4+1 A:hwhwn",
	"        | :1, nonsense, :1, :2            | ok          -1-- 1     0 4+1 A:hw A:hwn",
	"cluster | :1, :1                          | NOREPLICAS  M0FT 1     0 2+0 A:mhwn",
	"cluster | :1, -LOADING                    | LOADING     M0FT 1     0 2+0 A:mhw A:n",
	/* The call's own answer. */
	"        | halt :1                         | unreachable M1-- 1 10000 2+0 A:hwu A:n",
	"        | cut :1, :1, :2                  | ok          -1-- 1     0 4+1 A:h A:hwn",
	"        | -NOSCRIPT &, :0, :1, :2         | ok          -0-- 2     0 4+0 A:hwtwn",
	"        | -NOSCRIPT, hold, :1, :2         | ok          -0-- 2    10 4+0 A:hw A:twn",
	"        | -NOSCRIPT, cut, :1, :2          | ok          -0-- 2     0 4+0 A:hw A:twn",
	"        | -NOSCRIPT &, :0, :1, :1         | NOREPLICAS  M0FT 2     0 4+0 A:hwtwn",
	"        | -NOSCRIPT &, :0, cut, :1, :2    | ok          -1-- 2     0 6+1 A:hwt A:hwn",
	"        | -LATE 9 &, :0, :1, :2           | ok          -0-- 2     0 4+0 A:hwTwn",
	"        | -LATE 9, hold, :1, :2           | ok          -0-- 2    10 4+0 A:hw A:Twn",
	"        | die -NOSCRIPT, hold             | unreachable -0-- 1    10 2+0 A:hw",
	"        | -OOM &, :0                      | OOM         -0-- 1     0 2+0 A:hwn",
	"        | -OOM, hold                      | OOM         -0-- 1    10 2+0 A:hw A:n",
	"        | -OOM, cut                       | OOM         -0-- 1     0 2+0 A:hw A:n",
	"        | -BUSY &, :0, :1, :2             | ok          -0-- 2    10 4+0 A:hwhwn",
	"        | -BUSY, hold, :1, :2             | ok          -0-- 2    20 4+0 A:hw A:hwn",
	"        | -BUSY &, :0, :1, :1             | NOREPLICAS  M0FT 2    10 4+0 A:hwhwn",
	"        | -BUSY &, :0, :1, halt           | NOREPLICAS  M0FT 2 10000 4+0 A:hwhwu A:n",
	"        | -BUSY &, late :0                | BUSY        -0-T 1 10000 2+0 A:hwn",
	"        | -NOREPLICAS &, :0, :1, :2       | ok          -0-- 2    10 4+0 A:hwhwn",
	"        | -LOADING &, :0, :1, :2          | ok          -0-- 2    10 4+0 A:hw A:hwn",
	"alone   | -TRYAGAIN &, :0, :1, :2         | ok          -0-- 2     0 4+0 A:hwh1wn",
	"dead    | :1, :2                          | ok          -0-- 1     0 4+1 A:hwn",
	/* A connection that was idle is heard by the next try, too. */
	"idle    | leave, (first :1, :2            | ok          -0-- 1  5000 2+1 a:h A: a:wn",
	"idle    | leave, (cut, (first :1, :2      | ok          -1-- 1  5010 2+1 a:h A: A: a:wn",
	"idle    | leave, (cut, (first :1, :1, :2  | ok          -1-- 1  5010 3+1 a:h A: A: a:wwn",
	"cluster | -MOVED @2 &, :0, :1, :2         | ok          -0-- 2     0 4+0 A:mhw B:hwn",
	"cluster | -ASK @2 &, :0, +OK, :1, :2      | ok          -0-- 2     0 4+0 A:mhw B:?hw a:n",
	"cluster | -ASK @2, hold, +OK, -NOSCRIPT, hold, +OK, :1, :2 | "
	"ok          -0-- 3    20 6+0 A:mhw B:?hw B:?tw A:n",
	NULL
};

static const char *const in_a_cluster_rows[] = {
	/* Another node has the slot. */
	"      | :1                                  | ok          -0-- 1     0 1+0 A:mhn",
	"      | -MOVED @2, :1                       | ok          -0-- 2     0 2+0 A:mh B:hn",
	"      | -MOVED @2, -MOVED @1, :1            | ok          -0-- 3     0 3+0 A:mh B:h a:hn",
	"      | 6x -MOVED @1, :1                    | ok          -0-- 7    10 7+0 A:mhhhhhhhn",
	"    | 5x -MOVED @1, cut, 5x -MOVED @1, :1 | ok          -1-- 6     0 12+1 A:mhhhhhh A:hhhhhhn",
	"      | 5x -MOVED @1, late -MOVED @1        | MOVED       -0-T 6 10000 6+0 A:mhhhhhh B:m a:n",
	"      | -MOVED 1 ?:1, :1                    | ok          -0-- 2   100 2+0 A:mh B:m a:hn",
	"      | -MOVED @0, :1                       | ok          -0-- 2   100 2+0 A:mh B:m a:hn",
	"      | -MOVED @2, cut, :1                  | ok          -1-- 2     0 3+1 A:mh B:h B:hn",
	"      | -MOVED @2, cut, cut, :1          | ok          -1-- 2   100 4+1 A:mh B:h B:h B:m a:hn",
	"      | -MOVED @2, halt                     | unreachable M1-T 2 10000 2+0 A:mh B:hu B:m a:n",
	/* Another node has it this once. */
	"      | -ASK @2, +OK &, :1                  | ok          -0-- 2     0 2+0 A:mh B:?h a:n",
	"      | -ASK @2, -ERR &, :1                 | ok          -0-- 2     0 2+0 A:mh B:?h a:n",
	"      | -ASK @2, +OK &, -NOSCRIPT, +OK &, :1 | ok          -0-- 3     0 3+0 A:mh B:?h?t a:n",
	"      | -ASK @2, +OK &, -LATE 9, +OK &, :1  | ok          -0-- 3     0 3+0 A:mh B:?h?T a:n",
	"      | -ASK @2, +OK &, -TRYAGAIN, :1       | ok          -0-- 3    10 3+0 A:mh B:?h a:hn",
	"alone | -ASK @2, +OK &, -TRYAGAIN, :1       | ok          -0-- 3     0 3+0 A:mh B:?h a:h1n",
	"      | -ASK @2, +OK &, -MOVED @2, :1       | ok          -0-- 3     0 3+0 A:mh B:?hhn",
	"      | -ASK @2, +OK &, -ASK @1, +OK &, :1  | ok          -0-- 3     0 3+0 A:mh B:?h a:?hn",
	"      | -ASK @2, +OK &, -LOADING, :1        | ok          -0-- 3   100 3+0 A:mh B:?h B:m a:hn",
	"      | -ASK @2, cut +OK, :1                | ok          -1-- 2     0 3+1 A:mh B:? a:hn",
	"      | -ASK @2, +OK &, cut :1, :1          | ok          -1-- 2     0 3+1 A:mh B:?h a:hn",
	"      | -ASK @2, cut, cut, :1            | ok          -1-- 2   100 4+1 A:mh B:? a:h B:m A:hn",
	"      | -ASK @2, +OK, halt :1              | unreachable M1-T 2 10000 2+0 A:mh B:?h?u B:m a:n",
	"      | -TRYAGAIN, -ASK @2, halt          | TRYAGAIN    M1-T 3 10000 3+0 A:mhh B:?h?u B:m a:n",
	"      | -ASK @2, (cut, :1                   | ok          -0-- 2   100 2+0 A:mh B: B:m a:hn",
	"      | -ASK @0, :1                         | ok          -0-- 2   100 2+0 A:mh B:m a:hn",
	"      | -ASK 1 ?:1, :1                      | ok          -0-- 2   100 2+0 A:mhhn",
	"      | late -ASK @0                        | unreachable -0-T 1 10000 1+0 A:mh B:m a:n",
	/* Another one may have it soon. */
	"      | -CLUSTERDOWN, :1                    | ok          -0-- 2   100 2+0 A:mh B:m a:hn",
	"      | -LOADING, :1                        | ok          -0-- 2   100 2+0 A:mh B:m A:hn",
	"alone | -TRYAGAIN, :1                       | ok          -0-- 2     0 2+0 A:mhh1n",
	"hasty | -BUSY                               | BUSY        -0-T 1     0 1+0 A:mhn",
	"hasty | -CLUSTERDOWN, :1                    | ok          -0-- 2   100 2+0 A:mh B:m a:hn",
	"      | late -CLUSTERDOWN                   | CLUSTERDOWN -0-T 1 10000 1+0 A:mh B:m a:n",
	"      | cut :1, :1                          | ok          -1-- 1     0 2+1 A:mh A:hn",
	"      | cut, cut, :1                        | ok          -1-- 1   100 3+1 A:mh A:h B:m A:hn",
	"      | 3x cut, :1                      | ok          -1-- 1   200 4+1 A:mh A:h B:m A:h A:mhn",
	"      | halt :1                             | unreachable M1-T 1 10000 1+0 A:mhu B:m A:n",
	"      | -BUSY, halt                         | BUSY        M1-T 2 10000 2+0 A:mhhu B:m A:n",
	"      | -BUSY, cut, late cut                | BUSY        M1-T 2 10000 3+1 A:mhh A:h B:m A:n",
	"idle  | -READONLY, (cut, :1                 | ok          -0-- 2   100 2+0 a:h B: A:mhn",
	"part  | :1                                  | ok          -1-- 1     0 2+1 A:hn",
	"      | (cut, :1                            | ok          -0-- 1   100 1+0 A: A:mhn",
	"      | (halt                               | unreachable -0-T 0 10000 0+0 A: A:mn",
	NULL
};

static void one_server(void **state)
{
	check(one_server_rows, "");
}

static void with_replicas(void **state)
{
	check(with_replicas_rows, " replicas");
}

static void in_a_cluster(void **state)
{
	check(in_a_cluster_rows, " cluster");
}

static int start(void **state)
{
	return throwaway_start(&place, false, NULL) ? 0 : -1;
}

static int end(void **state)
{
	throwaway_stop(&place);
	return 0;
}

static int clean(void **state)
{
	scripted_stop();
	faults_break_sending(-1);
	clock_reset();
	return 0;
}

int test_exchange(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(one_server, clean),
		cmocka_unit_test_teardown(with_replicas, clean),
		cmocka_unit_test_teardown(in_a_cluster, clean),
	};

	return cmocka_run_group_tests_name("exchange", tests, start, end);
}
