/*
 * rlock doctor: asks the servers what they are and allow, does with a lock of its own what locks
 * are for, and says what is missing, what that means and what to do. It leaves no key behind.
 */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/redis/address_syntax.h"
#include "../src/route/sentinel.h"
#include "checks.h"
#include "findings.h"
#include "holder.h"
#include "owner.h"
#include "signals.h"

#define OWN          "rlock-doctor-" /* is how our locks' names begin */
#define LEASE_MS     5000
#define SEARCH_MAX   (5 * RL_SECOND) /* for what is under the prefix */
#define WOKEN_WITHIN (RL_SECOND / 2) /* one that nobody wakes asks again after 1 s */
#define CLOCK_WITHIN 2000            /* ms */

struct doctor {
	struct cli_checks checks;
	struct rl_owner *holder, *waiter;
	struct rl_text prefix;
	char name[64]; /* of the lock */
	rl_time released_at, search_ends;
	int64_t fence;
	size_t found, foreign, endless; /* locks under the prefix */
};

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

	enum rl_status status;

	rl_owner_begin_call(owner);
	status = rl_owner_acquire(owner, &request, error);
	rl_owner_end_call(owner);
	return status;
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

	if (status != RL_OK) {
		return status;
	}
	status = acquire(doctor, doctor->waiter, false, 0, error);
	if (status != RL_NO) {
		return status == RL_OK ? rl_fail(error, RL_LOST, "Two have it at once") : status;
	}
	status = rl_owner_lease(doctor->holder, rl_text_of(doctor->name), &view, error);
	doctor->fence = view.fence;
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
	return !cli_signals_ended_by();
}

static enum rl_status try_wait(struct doctor *doctor, struct rl_error *error)
{
	enum rl_status status = acquire(doctor, doctor->holder, false, 0, error);

	doctor->released_at = 0;
	if (status == RL_OK) {
		status = acquire(doctor, doctor->waiter, false, 2 * RL_SECOND, error);
	}
	if (status == RL_OK && doctor->checks.route->node_count) {
		return rl_fail(error, RL_MISUSE,
			"On a majority nobody is woken; the waiter got it when it asked again");
	}
	if (status == RL_OK
		&& (doctor->checks.polls || rl_now() - doctor->released_at > WOKEN_WITHIN)) {
		return rl_fail(error, RL_NO,
			"The waiter was not woken (that takes rpush and blpop), but got it when it asked again");
	}
	return status == RL_NO ? rl_fail(error, RL_LOST, "A lock that was released did not come")
						   : status;
}

static enum rl_status try_hand_over(struct doctor *doctor, struct rl_error *error)
{
	struct rl_token token;
	enum rl_status status = acquire(doctor, doctor->holder, false, 0, error);

	if (status == RL_OK) {
		status = rl_owner_hand_over(
			doctor->holder, rl_text_of(doctor->name), LEASE_MS, &token, error);
	}
	if (status == RL_OK) {
		status = rl_owner_adopt(doctor->waiter, rl_text_of(doctor->name),
			(struct rl_text){ token.text, token.length }, 0, error);
		rl_token_free(&token);
	}
	return status;
}

static enum rl_status try_break(struct doctor *doctor, struct rl_error *error)
{
	enum rl_status status = acquire(doctor, doctor->holder, false, 0, error);

	if (status == RL_OK) {
		status = rl_owner_break(doctor->waiter, rl_text_of(doctor->name), 0, error);
	}
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

/* Each begins with a lock that is free, and all need what the first one tries. */
static const struct trial {
	const char *check, *says, *advice;
	enum rl_status (*run)(struct doctor *doctor, struct rl_error *error);
	enum cli_finding otherwise;
} trials[] = {
	{ "take", "One has it, and another finds it busy", NULL, try_take, CLI_FAILS },
	{ "wait", "A release wakes who waits", NULL, try_wait, CLI_FAILS },
	{ "hand over", "It can be handed over and adopted", NULL, try_hand_over, CLI_FAILS },
	{ "break", "It can be broken, which its holder learns", NULL, try_break, CLI_FAILS },
	{ "share", "Two can share it", "See the rights that shares need, in docs/operations.md", try_share,
		CLI_PRICE },
};

static void tell_trial(
	const struct trial *trial, enum rl_status status, const struct rl_error *error)
{
	if (status == RL_OK) {
		cli_findings_tell(CLI_FINE, trial->check, NULL, "%s", trial->says);
	} else if (status == RL_MISUSE && trial->run != try_take) {
		cli_findings_tell(CLI_SKIPPED, trial->check, NULL, "%s", error->message);
	} else {
		cli_findings_tell(status == RL_NO ? CLI_PRICE : trial->otherwise, trial->check,
			status == RL_NO ? NULL : trial->advice, "%s", error->message);
	}
}

static bool give_back_all(struct doctor *doctor)
{
	struct rl_release_summary held, waited;

	rl_owner_release_all(doctor->holder, &held);
	rl_owner_release_all(doctor->waiter, &waited);
	return held.failed + waited.failed == 0;
}

static void try_lock(struct doctor *doctor)
{
	bool is_free = true;
	struct rl_error error;

	for (size_t i = 0; i < sizeof trials / sizeof trials[0] && !cli_signals_ended_by(); i++) {
		const struct trial *trial = &trials[i];
		enum rl_status status;

		if (!is_free) {
			cli_findings_tell(CLI_SKIPPED, trial->check, NULL,
				"It needs a lock that can be taken and given back");
			continue;
		}
		rl_fail(&error, RL_NO, "The lock was not free, or not held, as it should have been");
		status = trial->run(doctor, &error);
		tell_trial(trial, status, &error);
		is_free = give_back_all(doctor) && (status == RL_OK || trial->run != try_take);
	}
}

static void judge_clock(const struct doctor *doctor)
{
	const struct rl_holder holder = { .fence = doctor->fence };
	int64_t server_ms = cli_holder_since_ms(&holder);
	int64_t ahead_ms = server_ms - (int64_t)time(NULL) * 1000;

	if (doctor->fence == 0) {
		return; /* it was not granted */
	}
	if (server_ms == 0) {
		cli_findings_tell(CLI_PRICE, "clock", "Let scripts use TIME (+time)",
			"Scripts cannot read the server's clock: fences are mere counters");
	} else if (ahead_ms > CLOCK_WITHIN || ahead_ms < -CLOCK_WITHIN) {
		cli_findings_tell(CLI_PRICE, "clock", "Set both by NTP",
			"The server's clock is %.0f s from ours", (double)ahead_ms / 1000);
	} else {
		cli_findings_tell(CLI_FINE, "clock", NULL, "The server's clock is ours, within 2 s");
	}
}

/* --- what else is there --- */

static bool count(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct doctor *doctor = context;

	if (rl_text_skip(&name, OWN)) {
		return true;
	}
	doctor->found++;
	doctor->foreign += holder->kind == RL_HOLDER_FOREIGN;
	doctor->endless += holder->left_ms < 0;
	return true;
}

static bool is_in_time(void *context)
{
	struct doctor *doctor = context;

	return !cli_signals_ended_by() && (!doctor->search_ends || rl_now() < doctor->search_ends);
}

static void search(struct doctor *doctor)
{
	const struct rl_holders request = {
		.pattern = rl_text_of("*"), .limit = SIZE_MAX, .found = count, .context = doctor
	};
	struct rl_error error;
	enum rl_status status;
	bool are_odd;

	cli_findings_are_of(NULL);
	doctor->search_ends = rl_now() + SEARCH_MAX;
	rl_owner_begin_call(doctor->holder);
	status = rl_owner_holders(doctor->holder, &request, &error);
	rl_owner_end_call(doctor->holder);
	if (status != RL_OK && status != RL_INTERRUPTED) {
		cli_findings_tell(CLI_SKIPPED, "keys", NULL, "%s", error.message);
		return;
	}
	are_odd = doctor->foreign || doctor->endless;
	cli_findings_tell(are_odd ? CLI_PRICE : CLI_FINE, "keys",
		are_odd ? "See `rlock ls --foreign`; give locks a prefix of their own" : NULL,
		"Locks under the prefix: %zu; of other clients than rlock: %zu; without an end: %zu%s",
		doctor->found, doctor->foreign, doctor->endless,
		status == RL_INTERRUPTED ? "; there are more" : "");
}

/* --- sentinels --- */

static enum rl_status read_quorum(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	const struct cli_checks *checks = context;
	struct rl_text says = rl_text_of(reply->text ? reply->text : "");

	rl_text_skip(&says, "OK ");
	cli_findings_tell(CLI_FINE, "sentinel", NULL, "%s: %s",
		rl_server_address(checks->server)->name, says.data);
	return RL_OK;
}

/* One that may have to take over: does it let us in, and has it the name that is told of it? */
static void try_replica(struct cli_checks *checks, const char *host, int port)
{
	const struct rl_seed_addresses *sentinels = rl_sentinel_addresses(checks->route);
	struct rl_address *address;
	struct rl_error error;
	enum rl_status status;

	if (!rl_seed_addresses_vouch_for(sentinels, host)) {
		cli_findings_tell(CLI_PRICE, "replica",
			"Leave sentinel_tls=0 out, or say by sni= which name the certificates of the servers have",
			"%s, which a sentinel names, is not in the address, and is not asked", host);
		return;
	}
	address = rl_address_at(sentinels->login, host, port, NULL);
	checks->server = address ? rl_server_new(address) : NULL;
	if (!checks->server) {
		return;
	}
	error.code[0] = '\0';
	status = cli_checks_ask(checks, "INFO replication", NULL, &error);
	if (status == RL_OK || strcmp(error.code, "NOPERM") == 0) {
		cli_findings_tell(CLI_FINE, "replica", NULL, "%s lets this user in",
			rl_server_address(checks->server)->name);
	} else {
		cli_findings_tell(CLI_PRICE, "replica",
			"If it takes over, no lock can be had: give it the users and the names that the master has",
			"%s", error.message);
	}
	rl_server_unref(checks->server);
}

static enum rl_status read_replicas(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	for (size_t i = 0; reply->type == RL_REPLY_ARRAY && i < reply->count; i++) {
		struct rl_text host = cli_checks_value(&reply->elements[i], "ip"),
					   port = cli_checks_value(&reply->elements[i], "port");

		if (host.data && port.data && rl_address_syntax_is_host(host)) {
			try_replica(context, host.data, atoi(port.data));
		}
	}
	return RL_OK;
}

static void ask_sentinel(struct cli_checks *checks, struct rl_server *server, const char *master)
{
	char question[256];
	struct rl_error error;
	enum rl_status status;

	checks->server = server;
	snprintf(question, sizeof question, "SENTINEL CKQUORUM %s", master);
	status = cli_checks_ask(checks, question, read_quorum, &error);
	if (status != RL_OK) {
		cli_findings_tell(CLI_PRICE, "sentinel",
			status == RL_UNREACHABLE || strcmp(error.code, "NOQUORUM") == 0
				? "Start what is missing: while too few sentinels agree, nothing follows a master that fails"
				: "See whether it is one of this master's sentinels",
			"%s", error.message);
	}
}

/* How each of those in the address sees its master, and the others; and whom it can name. */
static void ask_sentinels(struct cli_checks *checks)
{
	const struct rl_seed_addresses *sentinels = rl_sentinel_addresses(checks->route);
	bool has_replicas = false;

	for (size_t i = 0; sentinels && i < sentinels->count; i++) {
		struct rl_address *copy = rl_address_copy(sentinels->hosts[i]);
		struct rl_server *sentinel = copy ? rl_server_of_sentinel(NULL, copy) : NULL;
		char question[256];
		struct rl_error ignored;

		if (!sentinel) {
			continue;
		}
		ask_sentinel(checks, sentinel, sentinels->master);
		checks->server = sentinel;
		snprintf(question, sizeof question, "SENTINEL REPLICAS %s", sentinels->master);
		has_replicas = has_replicas
			|| cli_checks_ask(checks, question, read_replicas, &ignored) == RL_OK;
		rl_server_unref(sentinel);
	}
}

/* --- the whole --- */

static bool make_keys(struct doctor *doctor, int number)
{
	rl_keys_free(&doctor->checks.keys);
	snprintf(doctor->name, sizeof doctor->name, OWN "%lld-%ld-%d", (long long)time(NULL),
		rl_system_pid(), number);
	if (rl_keys_make(&doctor->checks.keys, doctor->prefix, rl_text_of(doctor->name))
		&& rl_keys_share(&doctor->checks.keys)) {
		return true;
	}
	rl_keys_free(&doctor->checks.keys);
	return false;
}

/* Names a lock that this server has: in a cluster, each has some. False: none was found. */
static bool find_lock_on(struct doctor *doctor, const struct rl_server *server)
{
	struct rl_route *route = doctor->checks.route;
	rl_time deadline = rl_now() + route->timeout;
	struct rl_server *found = NULL;
	struct rl_error ignored;

	for (int number = 1; found != server && make_keys(doctor, number); number++) {
		if (route->node_count) {
			return true; /* all of them have each */
		}
		if (rl_now() >= deadline) {
			return false;
		}
		rl_route_locate(route, doctor->checks.keys.of[RL_KEY_LOCK], deadline, &found, &ignored);
	}
	return found == server;
}

/* Who may not delete them may end them; if not that either, they end by themselves. */
static void leave_nothing(struct cli_checks *checks, struct rl_server *server)
{
	static const char letters[] = "LFWQSHTR";
	char question[] = "PEXPIRE {L} 0";
	char *letter = strchr(question, 'L');
	struct rl_error ignored;

	checks->server = server;
	if (cli_checks_ask(checks, "DEL {L} {F} {W} {Q} {S} {H} {T} {R}", NULL, &ignored)
		!= RL_REFUSED) {
		return;
	}
	for (size_t i = 0; letters[i]; i++) {
		*letter = letters[i];
		cli_checks_ask(checks, question, NULL, &ignored);
	}
}

static void try_everything(struct doctor *doctor)
{
	doctor->fence = 0;
	try_lock(doctor);
	judge_clock(doctor);
}

/* Each of them and, unless they decide together, a lock on each. */
static void look_at_servers(struct doctor *doctor, const struct rl_server_list *servers)
{
	bool decide_together = doctor->checks.route->node_count > 0, may_try = false, has_lock;

	for (size_t i = 0; i < servers->count && !cli_signals_ended_by(); i++) {
		struct rl_server *server = servers->servers[i];

		cli_findings_are_of(servers->count > 1 ? rl_server_address(server)->name : NULL);
		has_lock = find_lock_on(doctor, server);
		if (!doctor->checks.keys.of[RL_KEY_LOCK].data) {
			return; /* out of memory */
		}
		if (cli_checks_server(&doctor->checks, server)) {
			may_try = true;
			if (has_lock && !decide_together && !cli_signals_ended_by()) {
				try_everything(doctor);
			}
		}
		leave_nothing(&doctor->checks, server);
	}
	cli_findings_are_of(NULL);
	if (decide_together && servers->count == 2) {
		cli_findings_tell(CLI_PRICE, "majority", "Name three servers",
			"Both of two servers must agree, so that one that fails stops all");
	}
	if (decide_together && may_try && !cli_signals_ended_by()) {
		try_everything(doctor);
	}
	for (size_t i = 0; decide_together && i < servers->count; i++) {
		leave_nothing(&doctor->checks, servers->servers[i]);
	}
	if (may_try && !cli_signals_ended_by()) {
		search(doctor);
	}
}

static void examine(struct doctor *doctor)
{
	struct rl_route *route = doctor->checks.route;
	struct rl_server_list servers = { .servers = NULL };
	struct rl_error error;

	ask_sentinels(&doctor->checks);
	if (rl_query_list(route, rl_now() + route->timeout, &servers, &error) == RL_OK) {
		look_at_servers(doctor, &servers);
	} else {
		rl_advice_add(route->kind->advice, &error);
		cli_findings_tell(CLI_FAILS, "server", NULL, "%s", error.message);
	}
	rl_server_list_clear(&servers);
	rl_keys_free(&doctor->checks.keys);
}

int cli_doctor(const struct cli_options *options)
{
	struct doctor doctor = { .prefix = options->prefix };
	const struct rl_wait_hook in_time = { .run = is_in_time, .context = &doctor };
	const struct rl_wait_hook yielding = { .run = give_way, .context = &doctor };
	int status = cli_signals_start(options);

	if (status == CLI_OK) {
		cli_signals_ignore_unwritable();
		status = cli_owner_open(options, in_time, NULL, &doctor.holder);
	}
	if (status != CLI_OK) {
		return status;
	}
	status = cli_owner_open(options, yielding, NULL, &doctor.waiter);
	if (status == CLI_OK) {
		doctor.checks.route = rl_owner_route(doctor.holder);
		cli_findings_begin(options->json);
		examine(&doctor);
		status = cli_findings_end() ? CLI_OK : CLI_UNFIT;
		cli_owner_free(doctor.waiter);
	}
	cli_owner_close(doctor.holder, rl_now());
	return cli_signals_ended_by() ? CLI_SIGNAL + cli_signals_ended_by() : status;
}
