/*
 * rlock graph: who waits for whom. A wait leads to the waits of those that hold what it waits for;
 * where that leads back to where it began, none of them can end before a lease does.
 */
#include "commands.h"
#include "owner.h"
#include "tell.h"
#include "waits.h"

#include <stdlib.h>
#include <string.h>

struct graph {
	struct cli_waits waits;
	struct cli_wait **path; /* from the first wait to the one that is looked at */
	size_t length;
	FILE *told; /* what is to be told of cycles, as `text` once it is closed */
	char *text;
	size_t size, cycles;
	const struct cli_options *options;
};

/* --- cycles --- */

static void put_link(const struct graph *graph, size_t from, size_t i)
{
	const struct cli_wait *wait = graph->path[i];
	const struct cli_wait *next = graph->path[i + 1 < graph->length ? i + 1 : from];
	char name[CLI_NAME_SIZE];
	struct cli_json object;

	if (!graph->options->json) {
		fprintf(graph->told, "%s%s waits for \"%s\" of %s", i > from ? ", " : "Deadlock: ",
			wait->process, cli_tell_name(name, cli_wait_key(wait)), next->process);
		return;
	}
	fputs(i > from ? "," : graph->cycles > 1 ? ",\n["
											 : "\n[",
		graph->told);
	object = cli_json_begin(graph->told);
	cli_json_key(&object, cli_wait_key(wait));
	cli_json_text(&object, "waiter", rl_text_of(wait->process));
	cli_json_text(&object, "holder", rl_text_of(next->process));
	cli_json_end(&object);
}

/* The path ends in a wait for what the first one's process holds. */
static void note_cycle(struct graph *graph, const struct cli_wait *first)
{
	size_t from = 0;

	while (graph->path[from] != first) {
		from++;
	}
	graph->cycles++;
	for (size_t i = from; i < graph->length; i++) {
		graph->path[i]->is_in_cycle = true;
		put_link(graph, from, i);
	}
	putc(graph->options->json ? ']' : '\n', graph->told);
}

/* Whether another process has what it waits for, and waits itself without an end. */
static bool is_stuck(
	const struct graph *graph, const struct cli_wait *waits, const struct cli_holding *holding)
{
	if (!holding->is_its_own || cli_wait_is_for_namesake(waits, holding)) {
		return false;
	}
	for (size_t i = 0; i < graph->waits.count; i++) {
		const struct cli_wait *wait = &graph->waits.waits[i];

		if (!wait->goes_on && strcmp(wait->process, holding->process) == 0) {
			return true;
		}
	}
	return false;
}

/* Who wants a share among others waits for one of them; otherwise it is for all. */
static bool may_go_on(const struct graph *graph, const struct cli_wait *wait)
{
	const struct cli_waited_for *lock = wait->lock;
	size_t stuck = 0;

	for (size_t i = 0; i < lock->count; i++) {
		stuck += is_stuck(graph, wait, &lock->holdings[i]);
	}
	return stuck == 0
		|| (wait->waiter.is_shared && lock->holdings[0].is_shared && stuck < lock->count);
}

/* What is left waits for each other, or for those that do. */
static void leave_out_who_goes_on(struct graph *graph)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (size_t i = 0; i < graph->waits.count; i++) {
			struct cli_wait *wait = &graph->waits.waits[i];

			if (!wait->goes_on && may_go_on(graph, wait)) {
				wait->goes_on = has_changed = true;
			}
		}
	}
}

static bool is_held_by(const struct cli_wait *wait, const char *process)
{
	for (size_t i = 0; i < wait->lock->count; i++) {
		const struct cli_holding *holding = &wait->lock->holdings[i];

		if (holding->is_its_own && !cli_wait_is_for_namesake(wait, holding)
			&& strcmp(holding->process, process) == 0) {
			return true;
		}
	}
	return false;
}

/* Each wait is followed once, so that of cycles that share all of their waits one is told. */
static void follow(struct graph *graph, struct cli_wait *wait)
{
	wait->was_seen = wait->is_on_path = true;
	graph->path[graph->length++] = wait;
	for (size_t i = 0; i < graph->waits.count; i++) {
		struct cli_wait *next = &graph->waits.waits[i];

		if (next->goes_on || !is_held_by(wait, next->process)) {
			continue;
		}
		if (next->is_on_path) {
			note_cycle(graph, next);
		} else if (!next->was_seen) {
			follow(graph, next);
		}
	}
	wait->is_on_path = false;
	graph->length--;
}

static bool are_same_holdings(const struct cli_waited_for *one, const struct cli_waited_for *other)
{
	bool are_same = one->count == other->count;

	for (size_t i = 0; are_same && i < one->count; i++) {
		are_same = one->holdings[i].fence == other->holdings[i].fence
			&& strcmp(one->holdings[i].process, other->holdings[i].process) == 0;
	}
	return are_same;
}

static bool was_there(const struct cli_waits *before, const struct cli_wait *wait)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct cli_wait *other = &before->waits[i];

		if (wait->waiter.since_ms == other->waiter.since_ms
			&& memcmp(wait->waiter.hash, other->waiter.hash, RL_WAITER_HASH) == 0
			&& strcmp(wait->process, other->process) == 0
			&& are_same_holdings(wait->lock, other->lock)) {
			return true;
		}
	}
	return false;
}

/*
 * What is asked one after the other is not seen at one moment. But waits and grants that are still
 * the same when one looks again, after `before`, were there all at once in between.
 */
static enum rl_status look(struct graph *graph, struct rl_owner *owner,
	const struct cli_waits *before, struct rl_error *error)
{
	enum rl_status status = cli_waits_find(
		&graph->waits, owner, rl_text_of("*"), true, error);

	graph->path = calloc(graph->waits.count + 1, sizeof graph->path[0]);
	graph->told = open_memstream(&graph->text, &graph->size);
	if (!graph->path || !graph->told) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	for (size_t i = 0; status == RL_OK && before && i < graph->waits.count; i++) {
		graph->waits.waits[i].goes_on = !was_there(before, &graph->waits.waits[i]);
	}
	leave_out_who_goes_on(graph);
	for (size_t i = 0; status == RL_OK && i < graph->waits.count; i++) {
		if (!graph->waits.waits[i].goes_on && !graph->waits.waits[i].was_seen) {
			follow(graph, &graph->waits.waits[i]);
		}
	}
	return fflush(graph->told) == 0 ? status : rl_fail(error, RL_NO_MEMORY, "Out of memory");
}

static void forget(struct graph *graph)
{
	cli_waits_clear(&graph->waits);
	free(graph->path);
	if (graph->told) {
		fclose(graph->told);
	}
	free(graph->text);
}

/* --- the whole --- */

static void put_wait_as_dot(const struct graph *graph, const struct cli_wait *wait)
{
	char name[CLI_NAME_SIZE];

	for (size_t i = 0; i < wait->lock->count; i++) {
		const struct cli_holding *holding = &wait->lock->holdings[i];

		putchar('\t');
		cli_json_put_text(stdout, rl_text_of(wait->process)); /* is quoted as dot does */
		fputs(" -> ", stdout);
		cli_json_put_text(stdout, rl_text_of(cli_holding_name(holding)));
		fputs(" [label=", stdout);
		cli_json_put_text(stdout, rl_text_of(cli_tell_name(name, cli_wait_key(wait))));
		puts(wait->is_in_cycle && is_stuck(graph, wait, holding) ? ", color=red];" : "];");
	}
}

static void print(const struct graph *graph)
{
	if (graph->options->dot) {
		puts("digraph rlock {");
		for (size_t i = 0; i < graph->waits.count; i++) {
			put_wait_as_dot(graph, &graph->waits.waits[i]);
		}
		puts("}");
		return;
	}
	fputs(graph->options->json ? "{\"waits\":[" : "", stdout);
	cli_waits_print(&graph->waits, graph->options->json);
	fputs(graph->options->json ? "\n],\"cycles\":[" : "", stdout);
	fputs(graph->text, stdout);
	fputs(graph->options->json ? "\n]}\n" : "", stdout);
	if (graph->waits.count == 0 && !graph->options->json) {
		cli_tell(graph->options, CLI_NEWS, "none", "Nobody waits");
	}
}

int cli_graph(const struct cli_options *options)
{
	struct graph first = { .options = options }, second = first, *seen = &first;
	struct rl_owner *owner;
	struct rl_error error;
	int result = cli_owner_open(options, (struct rl_wait_hook){ 0 }, NULL, &owner);
	enum rl_status status;

	if (result != CLI_OK) {
		return result;
	}
	status = look(&first, owner, NULL, &error);
	if (status == RL_OK && first.cycles > 0) {
		seen = &second;
		status = look(&second, owner, &first.waits, &error);
	}
	if (status == RL_OK) {
		print(seen);
		result = seen->cycles > 0 ? CLI_DEADLOCK : CLI_OK;
	} else {
		result = cli_owner_failed(options, status, &error);
	}
	forget(&first);
	forget(&second);
	cli_owner_close(owner, rl_now());
	return result;
}
