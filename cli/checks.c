#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/route/sentinel.h"
#include "findings.h"

#define WORDS_MAX  12                    /* of a question */
#define FOUND_SIZE 80                    /* of a value that is shown */
#define NODES_MAX  4096                  /* what sentinels say of some tens of replicas */
#define FAR        (20 * RL_MILLISECOND) /* round trips */
#define MIB        (1024.0 * 1024)

enum rl_status cli_checks_ask(struct cli_checks *checks, const char *question,
	cli_checks_read *read, struct rl_error *error)
{
	static const char letters[] = "LFWQSHTR";
	struct rl_text rest = rl_text_of(question), words[WORDS_MAX];
	struct rl_query query = {
		.words = words, .reply_nodes = NODES_MAX, .read = read, .context = checks
	};

	checks->question = question;
	while (rest.length > 0) {
		struct rl_text word = rl_text_cut(&rest, rl_text_find(rest, ' '));
		const char *letter = word.length == 3 && word.data[0] == '{'
			? strchr(letters, word.data[1])
			: NULL;

		words[query.count++] = letter ? checks->keys.of[letter - letters] : word;
	}
	return rl_query_run(
		&query, checks->route, checks->server, rl_now() + checks->route->timeout, error);
}

static bool is_denied(enum rl_status status, const struct rl_error *error)
{
	return status == RL_REFUSED
		&& (strcmp(error->code, "NOPERM") == 0 || strstr(error->message, "unknown command")
			|| strstr(error->message, "nknown subcommand"));
}

/* --- what it says of itself --- */

/* What a value of a field means. The first sign of a field that fits counts. */
static const struct sign {
	const char *check, *question, *field;
	const char *value; /* NULL: any */
	enum cli_finding finding;
	const char *means, *advice;
	bool of_majority; /* it means that on a majority's servers */
} signs[] = {
	{ "server", "INFO", "role", "slave", CLI_FAILS, "locks are on masters",
		"Give the address of the master, or of its sentinels", false },
	{ "server", "INFO cluster", "cluster_enabled", "1", CLI_PRICE,
		"locks whose slots are on other nodes are refused",
		"Write cluster://", false },
	{ "slots", "CLUSTER INFO", "cluster_slots_ok", "16384", CLI_FINE,
		"each slot has a master", NULL, false },
	{ "slots", "CLUSTER INFO", "cluster_slots_ok", NULL, CLI_FAILS,
		"locks whose slots have no master cannot be had",
		"See CLUSTER SLOTS, and give each slot a master that lives", false },
	{ "persistence", "INFO", "aof_enabled", "1", CLI_FINE,
		"a restart keeps locks", NULL, false },
	{ "persistence", "INFO", "aof_enabled", "0", CLI_PRICE,
		"a restart frees locks while their holders still work",
		"Set appendonly yes, unless fences guard the data", false },
	{ "appendfsync", "CONFIG GET appendfsync", "appendfsync", "always", CLI_FINE,
		"a power failure loses no lock", NULL, false },
	{ "appendfsync", "CONFIG GET appendfsync", "appendfsync", "everysec", CLI_PRICE,
		"a power failure may lose the locks of the last second or two, and with that server's vote a second majority may be formed",
		"Set appendfsync always on each of the servers", true },
	{ "appendfsync", "CONFIG GET appendfsync", "appendfsync", "everysec", CLI_FINE,
		"a power failure may lose the locks of the last second or two, but no `durable` one", NULL, false },
	{ "appendfsync", "CONFIG GET appendfsync", "appendfsync", "no", CLI_PRICE,
		"a power failure may lose the locks of half a minute, and none gets `durable`",
		"Set appendfsync everysec, or always", false },
	{ "disk", "INFO", "aof_last_write_status", "err", CLI_PRICE,
		"it may refuse every lock (MISCONF)",
		"See the server's log", false },
	{ "disk", "INFO", "rdb_last_bgsave_status", "err", CLI_PRICE,
		"it may refuse every lock (MISCONF)", "See the server's log", false },
};

struct rl_text cli_checks_value(const struct rl_reply *reply, const char *field)
{
	struct rl_text value = { .data = NULL };

	if (reply->type != RL_REPLY_ARRAY) {
		value.data = rl_reply_info_field(reply, field, &value.length);
	}
	for (size_t i = 0; reply->type == RL_REPLY_ARRAY && i + 1 < reply->count; i += 2) {
		if (reply->elements[i].text && strcmp(reply->elements[i].text, field) == 0) {
			value = (struct rl_text){ reply->elements[i + 1].text, reply->elements[i + 1].length };
		}
	}
	return value;
}

static enum rl_status read_signs(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	struct cli_checks *checks = context;
	const char *told = "";

	for (const struct sign *sign = signs; sign < signs + sizeof signs / sizeof *signs; sign++) {
		struct rl_text value = { .data = NULL };

		if (strcmp(sign->question, checks->question) == 0 && strcmp(sign->field, told) != 0) {
			value = cli_checks_value(reply, sign->field);
		}
		if (value.data && (!sign->value || rl_text_equals(value, sign->value))
			&& (!sign->of_majority || checks->route->node_count)) {
			char found[FOUND_SIZE];

			told = sign->field;
			cli_findings_tell(sign->finding, sign->check, sign->advice, "%s is %s: %s", sign->field,
				rl_text_printable(found, sizeof found, value), sign->means);
		}
	}
	return RL_OK;
}

static void ask_signs(struct cli_checks *checks, const char *check, const char *question)
{
	struct rl_error error;

	if (cli_checks_ask(checks, question, read_signs, &error) != RL_OK) {
		cli_findings_tell(
			CLI_SKIPPED, check, NULL, "%s is not answered: %s", question, error.message);
	}
}

/* --- its version --- */

/* What release notes say was mended, and matters to locks. */
static const struct fault {
	bool is_valkey;
	const char *since, *until; /* the first version that has it, and the first that does not */
	const char *means;
} faults[] = {
	/* redis/redis#10160 */
	{ false, "6.2.0", "6.2.7",
		"Scripts ignore min-replicas-to-write: a master that was cut off goes on granting locks" },
	/* redis/redis#12620 */
	{ false, "7.2.0", "7.2.2",
		"WAITAOF may time out where nothing else is written: `durable` locks are refused then" },
	/* redis/redis#13004 */
	{ false, "7.2.0", "7.2.5",
		"A BLPOP that was woken in vain begins anew: a wait may be too long" },
	{ true, "7.2.0", "7.2.6",
		"A BLPOP that was woken in vain begins anew: a wait may be too long" },
};

/* redis/redis#14545, valkey-io/valkey#3984: EXEC in the append-only file asks for its rights. */
#define REDIS_REMEMBERS  "8.6.0"
#define VALKEY_REMEMBERS "9.1.2"

/* Versions in their order. */
static long number_of(const char *version)
{
	int major = 0, minor = 0, patch = 0;

	sscanf(version, "%d.%d.%d", &major, &minor, &patch);
	return (major * 1000L + minor) * 1000 + patch;
}

static void judge_version(struct cli_checks *checks, const struct rl_reply *info)
{
	const char *name = rl_server_address(checks->server)->name;
	struct rl_text valkey = cli_checks_value(info, "valkey_version");
	char version[RL_VERSION_SIZE];
	long number;

	rl_text_printable(version, sizeof version,
		valkey.data ? valkey : rl_text_of(rl_server_facts(checks->server)->version));
	number = number_of(version);
	checks->forgets = number < number_of(valkey.data ? VALKEY_REMEMBERS : REDIS_REMEMBERS);
	if (!version[0] || !rl_server_facts(checks->server)->run_id[0]) {
		cli_findings_tell(CLI_PRICE, "version", "Let rlock connect to the server itself",
			"%s does not say what it is: perhaps it is a proxy", name);
		return;
	}
	cli_findings_tell(
		CLI_FINE, "version", NULL, "%s is %s %s", name, valkey.data ? "Valkey" : "Redis", version);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		const struct fault *fault = &faults[i];

		if (fault->is_valkey == (valkey.data != NULL) && number >= number_of(fault->since)
			&& number < number_of(fault->until)) {
			char advice[64];

			snprintf(advice, sizeof advice, "Upgrade to %s or later", fault->until);
			cli_findings_tell(CLI_PRICE, "version", advice, "%s", fault->means);
		}
	}
}

static enum rl_status read_right_of_default(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	if (reply->text && strcmp(reply->text, "OK") == 0) {
		return RL_OK;
	}
	cli_findings_tell(CLI_PRICE, "default user",
		"ACL SETUSER default allkeys +@all (it may be off), or upgrade to Valkey " VALKEY_REMEMBERS
		" or Redis " REDIS_REMEMBERS,
		"A restart may drop what scripts wrote to the append-only file, and with it all locks: "
		"the user \"default\" may not SET their keys");
	return RL_OK;
}

/* Who logs in as the default user has its rights, which are looked at anyway. */
static void judge_default_user(struct cli_checks *checks)
{
	const char *user = rl_server_address(checks->server)->user;
	struct rl_error error;

	if (checks->forgets && checks->has_file && user && strcmp(user, "default") != 0
		&& cli_checks_ask(checks, "ACL DRYRUN default SET {L} x", read_right_of_default, &error)
			!= RL_OK) {
		cli_findings_tell(CLI_SKIPPED, "default user", NULL,
			"ACL DRYRUN is denied: if the user \"default\" may not SET their keys, a restart may "
			"drop all locks, though they are in the append-only file");
	}
}

/* --- the rest of INFO --- */

static double number_in(const struct rl_reply *info, const char *field)
{
	struct rl_text value = cli_checks_value(info, field);

	return value.data ? strtod(value.data, NULL) : 0;
}

/* Without a limit nothing is evicted, whatever the policy. */
static void judge_eviction(struct cli_checks *checks, const struct rl_reply *info)
{
	struct rl_text policy = cli_checks_value(info, "maxmemory_policy");
	double evicted = number_in(info, "evicted_keys");
	char found[FOUND_SIZE];

	rl_text_printable(found, sizeof found, policy);
	if (!policy.data) {
		cli_findings_tell(CLI_SKIPPED, "eviction", NULL, "INFO does not tell");
	} else if (!rl_server_facts(checks->server)->may_evict) {
		cli_findings_tell(CLI_FINE, "eviction", NULL,
			"maxmemory_policy is %s, maxmemory %.0f: no lock is evicted", found,
			number_in(info, "maxmemory"));
	} else if (evicted > 0) {
		cli_findings_tell(CLI_FAILS, "eviction", "Set maxmemory-policy noeviction",
			"maxmemory_policy is %s, and evicted_keys %.0f: locks vanish while they are held", found,
			evicted);
	} else {
		cli_findings_tell(CLI_PRICE, "eviction", "Set maxmemory-policy noeviction",
			"maxmemory_policy is %s: when its memory is full it evicts keys, and a lock may vanish while it is held",
			found);
	}
}

static void judge_memory(struct cli_checks *checks, const struct rl_reply *info)
{
	double limit = number_in(info, "maxmemory"), used = number_in(info, "used_memory");

	if (limit > 0 && used > 0.9 * limit) {
		cli_findings_tell(CLI_PRICE, "memory", "Raise maxmemory, or see what fills it",
			"%.1f of %.1f MiB are used: no lock is granted when it is full", used / MIB, limit / MIB);
	}
}

static enum rl_status read_info(void *context, struct rl_connection *connection,
	const struct rl_reply *info, struct rl_error *error)
{
	struct cli_checks *checks = context;

	judge_version(checks, info);
	checks->is_sentinel = rl_text_equals(cli_checks_value(info, "redis_mode"), "sentinel")
		|| rl_text_equals(cli_checks_value(info, "server_mode"), "sentinel"); /* Valkey's */
	if (checks->is_sentinel) {
		cli_findings_tell(CLI_FAILS, "server", "Write sentinel://HOST/NAME-OF-THE-MASTER",
			"It is a sentinel, which has no keys");
		return RL_OK;
	}
	read_signs(context, connection, info, error);
	judge_eviction(checks, info);
	judge_memory(checks, info);
	checks->has_file = number_in(info, "aof_enabled") > 0;
	if (cli_checks_value(info, "connected_slaves").data) {
		cli_findings_tell(CLI_FINE, "replicas", NULL,
			"%.0f connected: `replicas` may ask for as many", number_in(info, "connected_slaves"));
	}
	return RL_OK;
}

/* --- rights --- */

/* In an order that leaves no key that lasts, whichever of them are denied. */
static const struct right {
	const char *name, *question;
	enum cli_finding without;
	const char *means;
} rights[] = {
	{ "eval", "EVAL return(1) 0", CLI_FAILS, "no lock can be acquired" },
	{ "evalsha", "EVALSHA 0000000000000000000000000000000000000000 0", CLI_FAILS,
		"no lock can be acquired" },
	{ "set", "SET {L} x PX 1000", CLI_FAILS, "no lock can be acquired" },
	{ "mget", "MGET {L} {F}", CLI_FAILS, "calls fail" },
	{ "setrange", "SETRANGE {L} -1 x", CLI_FAILS, "calls fail" },
	{ "exists", "EXISTS {L}", CLI_FAILS, "calls fail" },
	{ "pexpire", "PEXPIRE {L} 0", CLI_FAILS, "calls fail" },
	{ "pttl", "PTTL {L}", CLI_FAILS, "calls fail" },
	{ "getrange", "GETRANGE {L} 0 1", CLI_FAILS, "calls fail" },
	{ "del", "DEL {L}", CLI_FAILS, "no lock can be released" },
	{ "time", "TIME", CLI_PRICE,
		"fences are mere counters, a delayed request may take a lock, and shares fail" },
	{ "rpush", "RPUSH {Q} x", CLI_PRICE, "a release wakes nobody" },
	{ "lindex", "LINDEX {Q} 0", CLI_PRICE,
		"a lock that is being passed on is shown without an owner" },
	{ "blpop", "BLPOP {Q} 0.01", CLI_PRICE, "waiters ask every 50 to 100 ms, in no order" },
	{ "lpop", "LPOP {Q}", CLI_PRICE,
		"a lock that was passed to a dead waiter stays taken for a second" },
	{ "client|setname", "CLIENT SETNAME rlock:doctor", CLI_PRICE, "nobody can see who waits" },
	{ "client|list", "CLIENT LIST ID 0", CLI_PRICE, "`rlock ls --waiting` and `graph` cannot ask" },
	{ "client|id", "CLIENT ID", CLI_PRICE, "who gives up waiting closes its connection" },
	{ "client|unblock", "CLIENT UNBLOCK 0", CLI_PRICE,
		"who gives up waiting closes its connection" },
	{ "scan", "SCAN 0 COUNT 1", CLI_PRICE, "`holders()` and `rlock ls` cannot ask" },
	{ "wait", "WAIT 0 1", CLI_PRICE, "`replicas` is refused" },
};

static bool lacks_keys(const struct rl_error *denied)
{
	return strstr(denied->message, "one of the keys") || strstr(denied->message, "access a key");
}

static void tell_denied(struct cli_checks *checks, const struct right *right)
{
	char advice[64];

	checks->polls |= strcmp(right->name, "blpop") == 0;
	snprintf(advice, sizeof advice, "ACL SETUSER ... +%s", right->name);
	cli_findings_tell(
		right->without, "rights", advice, "Without %s, %s", right->name, right->means);
}

/* False: the server does not answer any more. */
static bool try_rights(struct cli_checks *checks)
{
	struct rl_error error;
	bool has_all = true;

	for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
		enum rl_status status = cli_checks_ask(checks, rights[i].question, NULL, &error);

		if (status == RL_UNREACHABLE) {
			cli_findings_tell(CLI_FAILS, "server", NULL, "%s", error.message);
			return false;
		}
		if (is_denied(status, &error) && lacks_keys(&error)) {
			cli_findings_tell(CLI_FAILS, "rights", "ACL SETUSER ... ~PREFIX* ~rlock:*",
				"This user may not use all keys of locks");
			return true;
		}
		if (is_denied(status, &error)) {
			has_all = false;
			tell_denied(checks, &rights[i]);
		}
	}
	if (has_all) {
		cli_findings_tell(CLI_FINE, "rights", NULL, "This user may do all that locks need");
	}
	return true;
}

static void try_durable(struct cli_checks *checks)
{
	struct rl_error error;

	if (cli_checks_ask(checks, "WAITAOF 1 0 1", NULL, &error) == RL_OK) {
		cli_findings_tell(CLI_FINE, "durable", NULL, "It waits until a lock is on disk");
	} else {
		cli_findings_tell(
			CLI_SKIPPED, "durable", NULL, "`durable` is refused here: %s", error.message);
	}
}

/* --- the way there --- */

static void measure(struct cli_checks *checks)
{
	rl_time best = RL_FOREVER;
	struct rl_error ignored;

	for (int i = 0; i < 9; i++) {
		rl_time began = rl_now();

		if (cli_checks_ask(checks, "EXISTS {L}", NULL, &ignored) == RL_UNREACHABLE) {
			return; /* the next question tells */
		}
		best = rl_time_earlier(best, rl_now() - began);
	}
	cli_findings_tell(best > FAR ? CLI_PRICE : CLI_FINE, "round trip",
		best > FAR ? "Put the server nearer to its clients" : NULL, "%.2f ms at best",
		(double)best / RL_MILLISECOND);
}

static bool is_without_tls_to_sentinels(const struct rl_route *route)
{
	const struct rl_seed_addresses *sentinels = rl_sentinel_addresses(route);

	return sentinels && sentinels->login->tls && !sentinels->hosts[0]->tls;
}

/* A trust that was switched off is told of, whichever it is. */
static void judge_transport(struct cli_checks *checks)
{
	const struct rl_address *address = rl_server_address(checks->server);

	if (is_without_tls_to_sentinels(checks->route)) {
		cli_findings_tell(CLI_PRICE, "tls", "Leave sentinel_tls=0 out",
			"Anybody in between can name another master, and read the sentinels' password");
	}
	if (!address->tls) {
		cli_findings_tell(CLI_SKIPPED, "tls", NULL, "The address asks for none");
	} else if (!address->verify) {
		cli_findings_tell(CLI_PRICE, "tls", "Leave verify=0 out, and name the authority by cafile",
			"Any certificate is accepted");
	} else {
		cli_findings_tell(CLI_FINE, "tls", NULL, "Its certificate was verified, and is for \"%s\"",
			address->sni ? address->sni : address->host);
	}
}

/* False: it cannot be asked. */
static bool ask_info(struct cli_checks *checks)
{
	struct rl_error error;
	enum rl_status status = cli_checks_ask(checks, "INFO", read_info, &error);

	if (is_denied(status, &error)) {
		cli_findings_tell(CLI_PRICE, "rights", "ACL SETUSER ... +info",
			"Without info nothing is known of %s", rl_server_address(checks->server)->name);
	} else if (status != RL_OK) {
		cli_findings_tell(checks->route->node_count ? CLI_PRICE : CLI_FAILS, "server", NULL, "%s",
			error.message);
		return false;
	}
	return true;
}

bool cli_checks_server(struct cli_checks *checks, struct rl_server *server)
{
	bool is_cluster = checks->route->kind->list && !checks->route->node_count;

	checks->server = server;
	checks->is_sentinel = checks->has_file = checks->polls = false;
	if (!ask_info(checks) || checks->is_sentinel) {
		return false;
	}
	judge_transport(checks);
	ask_signs(checks, "slots", is_cluster ? "CLUSTER INFO" : "INFO cluster");
	if (checks->has_file) {
		ask_signs(checks, "appendfsync", "CONFIG GET appendfsync");
		judge_default_user(checks);
	}
	measure(checks);
	if (!try_rights(checks)) {
		return false;
	}
	try_durable(checks);
	return true;
}
