/*
 * rlock doctor: does with a lock of its own what locks are for, asks the server what it is and what
 * it allows, and says what is missing, what that means and what to do. It leaves no key behind.
 */
#include "commands.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/call/query.h"
#include "../src/lock/keys.h"
#include "holder.h"
#include "owner.h"
#include "tell.h"

#define LEASE_MS     5000
#define SEARCH_MAX   (5 * RL_SECOND) /* for what is under the prefix */
#define WOKEN_WITHIN (RL_SECOND / 2) /* one that nobody wakes asks again after 1 s */
#define CLOCK_WITHIN 2000            /* ms */
#define MIB          (1024.0 * 1024)
#define WORDS_MAX    12                    /* of a question */
#define FAR          (20 * RL_MILLISECOND) /* round trips */

enum finding {
	FINE,
	PRICE,
	FAILS,
	SKIPPED
};

struct doctor {
	const struct cli_options *options;
	struct rl_owner *holder, *waiter;
	struct rl_route *route;
	struct rl_server *server; /* that is asked */
	char name[64];            /* of the lock */
	struct rl_keys keys;
	rl_time released_at, search_ends;
	int64_t fence;
	size_t found, foreign, endless; /* locks under the prefix */
	bool has_told, fails;
	bool is_sentinel, polls; /* the server; a waiter */
};

static void tell(struct doctor *doctor, enum finding finding, const char *check,
	const char *advice, const char *format, ...) RL_CHECK_FORMAT(5, 6);

static void tell(struct doctor *doctor, enum finding finding, const char *check,
	const char *advice, const char *format, ...)
{
	static const char *const for_programs[] = { "ok", "warn", "fail", "skipped" };
	static const char *const for_people[] = { "OK", "WARN", "FAIL", "skipped" };
	struct rl_error says;
	char text[RL_ERROR_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	rl_fail(&says, RL_OK, "%s", text);
	if (doctor->options->json) {
		struct cli_json object;

		fputs(doctor->has_told ? ",\n" : "\n", stdout);
		object = cli_json_begin(stdout);
		cli_json_text(&object, "check", rl_text_of(check));
		cli_json_text(&object, "status", rl_text_of(for_programs[finding]));
		cli_json_text(&object, "says", rl_text_of(says.message));
		cli_json_text(&object, "do", advice ? rl_text_of(advice) : (struct rl_text){ NULL, 0 });
		cli_json_end(&object);
	} else {
		printf("%-8s %-12s %s%s%s\n", for_people[finding], check, says.message,
			advice ? ". " : "", advice ? advice : "");
	}
	doctor->has_told = true;
	doctor->fails |= finding == FAILS;
	fflush(stdout);
}

/* --- what a server says of itself --- */

static bool info_is(const struct rl_reply *info, const char *field, const char *value)
{
	size_t length;
	const char *text = rl_reply_info_field(info, field, &length);

	return text && length == strlen(value) && memcmp(text, value, length) == 0;
}

static double info_number(const struct rl_reply *info, const char *field)
{
	size_t length;
	const char *text = rl_reply_info_field(info, field, &length);

	return text ? strtod(text, NULL) : 0;
}

static void judge_kind(struct doctor *doctor, const struct rl_reply *info)
{
	const char *name = rl_server_address(doctor->server)->name;

	if (info_is(info, "redis_mode", "sentinel") || info_is(info, "server_mode", "sentinel")) {
		doctor->is_sentinel = true;
		tell(doctor, FAILS, "server", "Write sentinel://HOST/NAME-OF-THE-MASTER",
			"%s is a sentinel, which has no keys", name);
	} else if (info_is(info, "role", "slave")) {
		tell(doctor, FAILS, "server", "Give the address of the master, or of its sentinels",
			"%s is a replica: locks are on masters", name);
	} else if (info_is(info, "cluster_enabled", "1") && !doctor->route->kind->list) {
		tell(doctor, PRICE, "server", "Write cluster://",
			"%s is a node of a cluster: locks whose slots are elsewhere are refused", name);
	}
}

static void judge_memory(struct doctor *doctor, const struct rl_reply *info)
{
	double limit = info_number(info, "maxmemory"), used = info_number(info, "used_memory");

	if (rl_server_facts(doctor->server)->may_evict) {
		tell(doctor, PRICE, "eviction", "Set maxmemory-policy noeviction",
			"When its memory is full it evicts keys, and a lock may vanish while it is held");
	} else {
		tell(doctor, FINE, "eviction", NULL, "No lock is evicted");
	}
	if (limit > 0 && used > 0.9 * limit) {
		tell(doctor, PRICE, "memory", "Raise maxmemory, or see what fills it",
			"%.1f of %.1f MiB are used: no lock is granted when it is full", used / MIB, limit / MIB);
	}
}

static void judge_persistence(struct doctor *doctor, const struct rl_reply *info)
{
	if (info_is(info, "aof_enabled", "1")) {
		tell(doctor, FINE, "persistence", NULL,
			"appendonly is on: a restart keeps locks, up to what appendfsync may lose");
	} else {
		tell(doctor, PRICE, "persistence", "Set appendonly yes, unless fences guard the data",
			"appendonly is off: a restart frees locks while their holders still work");
	}
	if (info_is(info, "rdb_last_bgsave_status", "err")
		|| info_is(info, "aof_last_write_status", "err")) {
		tell(doctor, PRICE, "disk", "See the server's log",
			"Its last write to disk failed; it may refuse every lock (MISCONF)");
	}
	tell(doctor, FINE, "replicas", NULL, "%.0f connected: `replicas` may ask for as many",
		info_number(info, "connected_slaves"));
}

static enum rl_status read_info(void *context, struct rl_connection *connection,
	const struct rl_reply *info, struct rl_error *error)
{
	struct doctor *doctor = context;
	const struct rl_facts *facts = rl_server_facts(doctor->server);
	const char *name = rl_server_address(doctor->server)->name;

	if (facts->version[0] && facts->run_id[0]) {
		tell(doctor, FINE, "version", NULL, "%s speaks as Redis %s", name, facts->version);
	} else {
		tell(doctor, PRICE, "version", "Let rlock connect to the server itself",
			"%s does not say what it is: perhaps it is a proxy", name);
	}
	judge_kind(doctor, info);
	judge_memory(doctor, info);
	judge_persistence(doctor, info);
	return RL_OK;
}

static enum rl_status read_cluster(void *context, struct rl_connection *connection,
	const struct rl_reply *info, struct rl_error *error)
{
	double slots = info_number(info, "cluster_slots_ok");

	if (slots < 16384 || !info_is(info, "cluster_state", "ok")) {
		tell(context, FAILS, "slots", "See CLUSTER SLOTS, and give each slot a master that lives",
			"To one of its nodes, the cluster covers %.0f of 16384 slots", slots);
	} else {
		tell(context, FINE, "slots", NULL, "To one of its nodes, the cluster covers all slots");
	}
	return RL_OK;
}

/* --- questions --- */

/* Words between spaces; L, F and Q stand for keys of the lock. */
static enum rl_status ask(struct doctor *doctor, const char *question,
	enum rl_status (*read)(void *context, struct rl_connection *connection,
		const struct rl_reply *reply, struct rl_error *error),
	struct rl_error *error)
{
	static const char letters[] = "LFWQSHTR";
	struct rl_text rest = rl_text_of(question), words[WORDS_MAX];
	struct rl_query query = { .words = words, .read = read, .context = doctor };

	while (rest.length > 0) {
		struct rl_text word = rl_text_cut(&rest, rl_text_find(rest, ' '));
		const char *letter = word.length == 1 ? strchr(letters, word.data[0]) : NULL;

		words[query.count++] = letter
			? (struct rl_text){ doctor->keys.text[letter - letters],
				  doctor->keys.length[letter - letters] }
			: word;
	}
	return rl_query_run(
		&query, doctor->route, doctor->server, rl_now() + doctor->route->timeout, error);
}

struct right {
	const char *name, *question;
	enum finding without;
	const char *means;
};

static const struct right rights[] = {
	{ "eval", "EVAL return(1) 0", FAILS, "no lock can be acquired" },
	{ "evalsha", "EVALSHA 0000000000000000000000000000000000000000 0", FAILS,
		"no lock can be acquired" },
	{ "set", "SET L x PX 1000", FAILS, "no lock can be acquired" },
	{ "mget", "MGET L F", FAILS, "no lock can be acquired" },
	{ "setrange", "SETRANGE L 0 x", FAILS, "calls fail" },
	{ "exists", "EXISTS L", FAILS, "calls fail" },
	{ "pexpire", "PEXPIRE L 1000", FAILS, "calls fail" },
	{ "pttl", "PTTL L", FAILS, "calls fail" },
	{ "getrange", "GETRANGE L 0 1", FAILS, "calls fail" },
	{ "del", "DEL L", FAILS, "no lock can be released" },
	{ "time", "TIME", PRICE, "fences are mere counters, and a delayed request may take a lock" },
	{ "rpush", "RPUSH Q x", PRICE, "a release wakes nobody" },
	{ "lindex", "LINDEX Q 0", PRICE, "a lock that is being passed on is shown without an owner" },
	{ "blpop", "BLPOP Q 1", PRICE, "waiters ask every 50 to 100 ms, in no order" },
	{ "lpop", "LPOP Q", PRICE, "a lock that was passed to a dead waiter stays taken for a second" },
	{ "client|setname", "CLIENT SETNAME rlock:doctor", PRICE, "nobody can see who waits" },
	{ "client|list", "CLIENT LIST ID 0", PRICE, "`rlock ls --waiting` and `graph` cannot ask" },
	{ "client|id", "CLIENT ID", PRICE, "who gives up waiting closes its connection" },
	{ "client|unblock", "CLIENT UNBLOCK 0", PRICE, "who gives up waiting closes its connection" },
	{ "scan", "SCAN 0 COUNT 1", PRICE, "`holders()` and `rlock ls` cannot ask" },
	{ "wait", "WAIT 0 1", PRICE, "`replicas` is refused" },
};

static bool is_denied(enum rl_status status, const struct rl_error *error)
{
	return status == RL_REFUSED
		&& (strcmp(error->code, "NOPERM") == 0 || strstr(error->message, "unknown command")
			|| strstr(error->message, "nknown subcommand"));
}

static void try_rights(struct doctor *doctor)
{
	struct rl_error error;
	size_t denied = 0;

	if (is_denied(ask(doctor, "PTTL L", NULL, &error), &error)
		&& (strstr(error.message, "one of the keys") || strstr(error.message, "access a key"))) {
		tell(doctor, FAILS, "rights", "ACL SETUSER ... ~PREFIX* ~rlock:*",
			"This user may not use the keys of locks");
		return;
	}
	for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
		char advice[64];

		if (is_denied(ask(doctor, rights[i].question, NULL, &error), &error)) {
			denied++;
			doctor->polls |= strcmp(rights[i].name, "blpop") == 0;
			snprintf(advice, sizeof advice, "ACL SETUSER ... +%s", rights[i].name);
			tell(doctor, rights[i].without, "rights", advice, "Without %s, %s", rights[i].name,
				rights[i].means);
		}
	}
	if (denied == 0) {
		tell(doctor, FINE, "rights", NULL, "This user may do all that locks need");
	}
	if (ask(doctor, "WAITAOF 0 0 1", NULL, &error) == RL_OK) {
		tell(doctor, FINE, "durable", NULL, "The server has WAITAOF");
	} else {
		tell(doctor, SKIPPED, "durable", NULL, "`durable` is refused here: %s", error.message);
	}
}

static int compare_times(const void *a, const void *b)
{
	rl_time one = *(const rl_time *)a, other = *(const rl_time *)b;

	return (one > other) - (one < other);
}

static void measure(struct doctor *doctor)
{
	rl_time took[9];
	struct rl_error error;

	for (size_t i = 0; i < sizeof took / sizeof took[0]; i++) {
		rl_time began = rl_now();

		ask(doctor, "EXISTS L", NULL, &error);
		took[i] = rl_now() - began;
	}
	qsort(took, sizeof took / sizeof took[0], sizeof took[0], compare_times);
	tell(doctor, took[4] > FAR ? PRICE : FINE, "round trip",
		took[4] > FAR ? "Put the server nearer to its clients" : NULL, "%.2f ms",
		(double)took[4] / RL_MILLISECOND);
}

static void judge_transport(struct doctor *doctor)
{
	const struct rl_address *address = rl_server_address(doctor->server);

	if (address->tls) {
		tell(doctor, address->verify ? FINE : PRICE, "tls",
			address->verify ? NULL : "Leave verify=0 out, and name the authority by cafile",
			address->verify ? "The server's certificate was verified"
							: "Any certificate is accepted");
	} else {
		tell(doctor, SKIPPED, "tls", NULL, "The address asks for none");
	}
}

/* False: it cannot be asked. */
static bool look_at_server(struct doctor *doctor, struct rl_server *server, bool has_lock)
{
	struct rl_error error;
	enum rl_status status;

	doctor->server = server;
	status = ask(doctor, "INFO", read_info, &error);
	if (status != RL_OK && !is_denied(status, &error)) {
		tell(doctor, doctor->route->node_count ? PRICE : FAILS, "server", NULL, "%s",
			error.message);
		return false;
	}
	if (status != RL_OK) {
		tell(doctor, PRICE, "rights", "ACL SETUSER ... +info",
			"Without info nothing is known of %s", rl_server_address(server)->name);
	}
	if (doctor->is_sentinel) {
		return false;
	}
	judge_transport(doctor);
	if (doctor->route->kind->list && !doctor->route->node_count
		&& ask(doctor, "CLUSTER INFO", read_cluster, &error) != RL_OK) {
		tell(doctor, SKIPPED, "slots", NULL, "%s", error.message);
	}
	if (has_lock) {
		measure(doctor);
		try_rights(doctor);
	}
	return true;
}

/* --- the lock --- */

static enum rl_status acquire(struct doctor *doctor, struct rl_owner *owner, bool is_shared,
	rl_time wait, struct rl_error *error)
{
	const struct rl_acquire request = { .key = rl_text_of(doctor->name),
		.is_shared = is_shared,
		.metadata = rl_text_of("rlock doctor"),
		.lease_ms = LEASE_MS,
		.wait = wait,
		.policy = RL_POLICY_WAIT };

	return rl_owner_acquire(owner, &request, error);
}

static enum rl_status release(
	struct doctor *doctor, struct rl_owner *owner, struct rl_error *error)
{
	return rl_owner_release(owner, rl_text_of(doctor->name),
		(struct rl_release_terms){ .confirm = true }, error);
}

static enum rl_status try_take(struct doctor *doctor, struct rl_error *error)
{
	struct rl_lease_view view;
	enum rl_status status = acquire(doctor, doctor->holder, false, 0, error);

	if (status == RL_OK) {
		status = acquire(doctor, doctor->waiter, false, 0, error);
		status = status == RL_NO ? RL_OK : rl_fail(error, RL_LOST, "Two have it at once");
	}
	if (status == RL_OK) {
		status = rl_owner_lease(doctor->holder, rl_text_of(doctor->name), &view, error);
		doctor->fence = view.fence;
	}
	return status;
}

/* The waiter's hook, which runs when it is parked. */
static bool give_way(void *context)
{
	struct doctor *doctor = context;
	struct rl_error ignored;

	if (!doctor->released_at) {
		doctor->released_at = rl_now();
		release(doctor, doctor->holder, &ignored);
	}
	return true;
}

static enum rl_status try_wait(struct doctor *doctor, struct rl_error *error)
{
	enum rl_status status = acquire(doctor, doctor->waiter, false, 2 * RL_SECOND, error);

	if (status == RL_OK && doctor->route->node_count) {
		return rl_fail(error, RL_MISUSE,
			"On a majority nobody is woken; the waiter got it when it asked again");
	}
	if (status == RL_OK
		&& (doctor->polls || rl_now() - doctor->released_at > WOKEN_WITHIN)) {
		return rl_fail(error, RL_NO, "The waiter was not woken, but got it when it asked again");
	}
	return status == RL_NO ? rl_fail(error, RL_LOST, "A lock that was released did not come")
						   : status;
}

static enum rl_status try_hand_over(struct doctor *doctor, struct rl_error *error)
{
	struct rl_token token;
	enum rl_status status = rl_owner_hand_over(
		doctor->waiter, rl_text_of(doctor->name), LEASE_MS, &token, error);

	if (status == RL_OK) {
		status = rl_owner_adopt(doctor->holder, rl_text_of(doctor->name),
			(struct rl_text){ token.text, token.length }, 0, error);
		rl_token_free(&token);
	}
	return status;
}

static enum rl_status try_break(struct doctor *doctor, struct rl_error *error)
{
	enum rl_status status = rl_owner_break(doctor->waiter, rl_text_of(doctor->name), 0, error);

	if (status == RL_OK && release(doctor, doctor->holder, error) == RL_OK) {
		return rl_fail(error, RL_LOST, "The holder was not told that its lock was broken");
	}
	return status;
}

static enum rl_status try_share(struct doctor *doctor, struct rl_error *error)
{
	enum rl_status status = acquire(doctor, doctor->holder, true, 0, error);

	if (status == RL_OK) {
		status = acquire(doctor, doctor->waiter, true, 0, error);
	}
	if (status == RL_OK) {
		status = release(doctor, doctor->waiter, error);
	}
	return status == RL_OK ? release(doctor, doctor->holder, error) : status;
}

static const struct {
	const char *check, *says, *advice;
	enum rl_status (*run)(struct doctor *doctor, struct rl_error *error);
	enum finding otherwise;
} trials[] = {
	{ "take", "One has it, and another finds it busy", NULL, try_take, FAILS },
	{ "wait", "A release wakes who waits", "See the rights to rpush and blpop", try_wait, FAILS },
	{ "hand over", "It can be handed over and adopted", NULL, try_hand_over, FAILS },
	{ "break", "It can be broken, which its holder learns", NULL, try_break, FAILS },
	{ "share", "Two can share it", "docs/operators.md has the rights that shares need", try_share, PRICE },
};

static void try_lock(struct doctor *doctor)
{
	enum rl_status status = RL_OK;
	struct rl_error error;

	for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
		if (status != RL_OK && status != RL_NO) {
			tell(doctor, SKIPPED, trials[i].check, NULL, "After that it was not tried");
			continue;
		}
		rl_fail(&error, RL_NO, "The lock is not where it should be");
		status = trials[i].run(doctor, &error);
		if (status == RL_OK) {
			tell(doctor, FINE, trials[i].check, NULL, "%s", trials[i].says);
		} else if (status == RL_MISUSE) {
			tell(doctor, SKIPPED, trials[i].check, NULL, "%s", error.message);
		} else {
			tell(doctor, status == RL_NO ? PRICE : trials[i].otherwise, trials[i].check,
				trials[i].advice, "%s", error.message);
		}
	}
}

static void judge_clock(struct doctor *doctor)
{
	const struct rl_holder holder = { .fence = doctor->fence };
	int64_t server_ms = cli_holder_since_ms(&holder);
	int64_t ahead_ms = server_ms - (int64_t)time(NULL) * 1000;

	if (doctor->fence == 0) {
		return; /* it was not granted */
	}
	if (server_ms == 0) {
		tell(doctor, PRICE, "clock", "Let scripts use TIME (+time)",
			"Scripts cannot read the server's clock: fences are mere counters");
	} else if (ahead_ms > CLOCK_WITHIN || ahead_ms < -CLOCK_WITHIN) {
		tell(doctor, PRICE, "clock", "Set both by NTP",
			"The server's clock is %.0f s from ours", (double)ahead_ms / 1000);
	} else {
		tell(doctor, FINE, "clock", NULL, "The server's clock is ours, within 2 s");
	}
}

/* --- what else is there --- */

static bool count(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct doctor *doctor = context;

	doctor->found++;
	doctor->foreign += holder->kind == RL_HOLDER_FOREIGN;
	doctor->endless += holder->left_ms < 0;
	return true;
}

static bool is_in_time(void *context)
{
	return rl_now() < ((struct doctor *)context)->search_ends;
}

static void search(struct doctor *doctor)
{
	const struct rl_holders request = {
		.pattern = rl_text_of("*"), .limit = SIZE_MAX, .found = count, .context = doctor
	};
	struct rl_error error;
	enum rl_status status;

	doctor->search_ends = rl_now() + SEARCH_MAX;
	status = rl_owner_holders(doctor->holder, &request, &error);
	if (status != RL_OK && status != RL_INTERRUPTED) {
		tell(doctor, SKIPPED, "keys", NULL, "%s", error.message);
		return;
	}
	tell(doctor, doctor->foreign || doctor->endless ? PRICE : FINE, "keys",
		doctor->foreign || doctor->endless ? "See `rlock ls`; give locks a prefix of their own"
										   : NULL,
		"%zu locks under the prefix, %zu of them of other clients than rlock, %zu without an end%s",
		doctor->found, doctor->foreign, doctor->endless,
		status == RL_INTERRUPTED ? "; there are more" : "");
}

/* --- the whole --- */

/* RL_NO: none of them is worth a trial. */
static enum rl_status look_at_servers(
	struct doctor *doctor, struct rl_server_list *servers, struct rl_error *error)
{
	const struct rl_text key = { doctor->keys.text[RL_KEY_LOCK], doctor->keys.length[RL_KEY_LOCK] };
	rl_time deadline = rl_now() + doctor->route->timeout;
	struct rl_server *of_lock = NULL;
	enum rl_status status = rl_route_list(doctor->route, deadline, servers, error);
	size_t answered = 0;

	if (status == RL_OK && !doctor->route->node_count) {
		status = rl_route_locate(doctor->route, key, deadline, &of_lock, error);
	}
	for (size_t i = 0; status == RL_OK && i < servers->count; i++) {
		answered += look_at_server(
			doctor, servers->servers[i], !of_lock || of_lock == servers->servers[i]);
	}
	return status == RL_OK && answered == 0 ? RL_NO : status;
}

static void leave_nothing(struct doctor *doctor, const struct rl_server_list *servers)
{
	struct rl_error ignored;

	for (size_t i = 0; i < servers->count; i++) {
		doctor->server = servers->servers[i];
		ask(doctor, "DEL L F W Q S H T R", NULL, &ignored);
	}
}

static void examine(struct doctor *doctor)
{
	struct rl_server_list servers = { .servers = NULL };
	struct rl_error error;
	enum rl_status status = look_at_servers(doctor, &servers, &error);

	if (status == RL_OK) {
		try_lock(doctor);
		judge_clock(doctor);
		search(doctor);
		leave_nothing(doctor, &servers);
	} else if (status != RL_NO) {
		tell(doctor, FAILS, "server", NULL, "%s", error.message);
	}
	rl_server_list_clear(&servers);
}

static bool make_keys(struct doctor *doctor)
{
	snprintf(doctor->name, sizeof doctor->name, "rlock-doctor-%lld-%ld", (long long)time(NULL),
		rl_system_pid());
	return rl_keys_make(&doctor->keys, doctor->options->prefix, rl_text_of(doctor->name))
		&& rl_keys_share(&doctor->keys);
}

int cli_doctor(const struct cli_options *options)
{
	struct doctor doctor = { .options = options };
	const struct rl_wait_hook in_time = { .run = is_in_time, .context = &doctor };
	const struct rl_wait_hook yielding = { .run = give_way, .context = &doctor };
	struct rl_release_summary ignored;
	int status = cli_owner_open(options, in_time, NULL, &doctor.holder);

	if (status != CLI_OK) {
		return status;
	}
	status = cli_owner_open(options, yielding, NULL, &doctor.waiter);
	doctor.route = rl_owner_route(doctor.holder);
	fputs(options->json ? "[" : "", stdout);
	if (status == CLI_OK && make_keys(&doctor)) {
		examine(&doctor);
		status = doctor.fails ? CLI_UNFIT : CLI_OK;
	}
	fputs(options->json ? "\n]\n" : "", stdout);
	rl_keys_free(&doctor.keys);
	if (doctor.waiter) {
		rl_owner_end_all(&doctor.waiter, 1, rl_now(), &ignored);
		rl_owner_free(doctor.waiter);
	}
	cli_owner_close(doctor.holder, rl_now());
	return status;
}
