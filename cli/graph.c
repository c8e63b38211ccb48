/*
 * rlock graph: who waits for whom. A wait leads to the waits of those that hold what it waits for;
 * where that leads back to where it began, none of them can end before a lease does.
 */
#include "commands.h"
#include "holder.h"
#include "owner.h"
#include "tell.h"
#include "waits.h"

#include <stdlib.h>
#include <string.h>

struct graph {
	struct cli_waits waits;
	const struct cli_wait **path; /* from the first wait to the one that is looked at */
	size_t length;
	FILE *to; /* where cycles are printed; NULL: they are only marked */
	const struct cli_options *options;
	size_t cycles;
};

/* --- cycles --- */

static void put_cycle_as_json(const struct graph *graph, size_t from)
{
	fputs(graph->cycles > 1 ? ",\n[" : "\n[", graph->to);
	for (size_t i = from; i < graph->length; i++) {
		const struct cli_wait *wait = graph->path[i];
		size_t next = i + 1 < graph->length ? i + 1 : from;
		struct cli_json object;

		fputs(i > from ? "," : "", graph->to);
		object = cli_json_begin(graph->to);
		cli_json_key(&object, cli_wait_key(wait));
		cli_json_text(&object, "waiter", rl_text_of(wait->process));
		cli_json_text(&object, "holder", rl_text_of(graph->path[next]->process));
		cli_json_end(&object);
	}
	putc(']', graph->to);
}

static void print_cycle(const struct graph *graph, size_t from)
{
	char name[CLI_NAME_SIZE];

	for (size_t i = from; i < graph->length; i++) {
		size_t next = i + 1 < graph->length ? i + 1 : from;

		fprintf(graph->to, "%s%s waits for \"%s\" of %s", i > from ? ", " : "Deadlock: ",
			graph->path[i]->process, cli_tell_name(name, cli_wait_key(graph->path[i])),
			graph->path[next]->process);
	}
	putc('\n', graph->to);
}

static void note_cycle(struct graph *graph, const struct cli_wait *first)
{
	size_t from = 0;

	while (graph->path[from] != first) {
		from++;
	}
	for (size_t i = from; i < graph->length; i++) {
		((struct cli_wait *)graph->path[i])->is_in_cycle = true;
	}
	graph->cycles++;
	if (graph->to && graph->options->json) {
		put_cycle_as_json(graph, from);
	} else if (graph->to) {
		print_cycle(graph, from);
	}
}

static bool is_held_by(const struct cli_wait *wait, const char *process)
{
	for (size_t i = 0; i < wait->lock->count; i++) {
		if (strcmp(wait->lock->holdings[i].process, process) == 0) {
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

		if (!is_held_by(wait, next->process)) {
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

static void find_cycles(struct graph *graph, FILE *to)
{
	graph->to = to;
	graph->cycles = 0;
	for (size_t i = 0; i < graph->waits.count; i++) {
		graph->waits.waits[i].was_seen = false;
	}
	for (size_t i = 0; i < graph->waits.count; i++) {
		if (!graph->waits.waits[i].was_seen) {
			follow(graph, &graph->waits.waits[i]);
		}
	}
}

/* --- the whole --- */

static const char *name_of(const struct cli_holding *holding)
{
	return holding->process[0] ? holding->process : "a client that is not rlock's";
}

static void print_wait(const struct cli_wait *wait)
{
	const struct cli_waited_for *lock = wait->lock;
	char since[CLI_HOLDER_SINCE_SIZE];

	fputs(wait->is_in_cycle ? "* " : "  ", stdout);
	cli_wait_print(stdout, cli_wait_key(wait), wait);
	for (size_t i = 0; i < lock->count; i++) {
		printf("%s %s since %s", i ? "," : ", held by", name_of(&lock->holdings[i]),
			cli_since(since, lock->holdings[i].since_ms));
	}
	putchar('\n');
}

static void put_wait_as_json(const struct cli_wait *wait)
{
	struct cli_json object = cli_json_begin(stdout);

	cli_json_key(&object, cli_wait_key(wait));
	cli_wait_put_json(&object, wait);
	cli_json_name(&object, "holders");
	putchar('[');
	for (size_t i = 0; i < wait->lock->count; i++) {
		fputs(i ? "," : "", stdout);
		cli_json_put_text(stdout, rl_text_of(wait->lock->holdings[i].process));
	}
	putchar(']');
	cli_json_end(&object);
}

static void put_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		fputs(*text == '"' || *text == '\\' ? "\\" : "", stdout);
		putchar(*text);
	}
	putchar('"');
}

static void put_wait_as_dot(const struct cli_wait *wait)
{
	char name[CLI_NAME_SIZE];

	for (size_t i = 0; i < wait->lock->count; i++) {
		putchar('\t');
		put_quoted(wait->process);
		fputs(" -> ", stdout);
		put_quoted(name_of(&wait->lock->holdings[i]));
		fputs(" [label=", stdout);
		put_quoted(cli_tell_name(name, cli_wait_key(wait)));
		puts(wait->is_in_cycle ? ", color=red];" : "];");
	}
}

static void print(struct graph *graph)
{
	bool json = graph->options->json, dot = graph->options->dot;

	fputs(json ? "{\"waits\":[" : dot ? "digraph rlock {\n"
									  : "",
		stdout);
	for (size_t i = 0; i < graph->waits.count; i++) {
		const struct cli_wait *wait = &graph->waits.waits[i];

		if (json) {
			fputs(i ? ",\n" : "\n", stdout);
			put_wait_as_json(wait);
		} else if (dot) {
			put_wait_as_dot(wait);
		} else {
			print_wait(wait);
		}
	}
	fputs(json ? "\n],\"cycles\":[" : dot ? "}\n"
										  : "",
		stdout);
	find_cycles(graph, dot ? NULL : stdout);
	fputs(json ? "\n]}\n" : "", stdout);
}

static enum rl_status look(struct graph *graph, struct rl_owner *owner, struct rl_error *error)
{
	enum rl_status status = cli_waits_find(
		&graph->waits, owner, rl_text_of("*"), true, error);

	graph->path = calloc(graph->waits.count + 1, sizeof *graph->path);
	if (!graph->path) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (status == RL_OK) {
		find_cycles(graph, NULL);
	}
	return status;
}

static void forget(struct graph *graph)
{
	cli_waits_clear(&graph->waits);
	free(graph->path);
	graph->path = NULL;
}

int cli_graph(const struct cli_options *options)
{
	struct graph graph = { .options = options };
	struct rl_owner *owner;
	struct rl_error error;
	int result = cli_owner_open(options, (struct rl_wait_hook){ 0 }, NULL, &owner);
	enum rl_status status;

	if (result != CLI_OK) {
		return result;
	}
	status = look(&graph, owner, &error);
	if (status == RL_OK && graph.cycles > 0) {
		/* It was not seen all at one moment. A deadlock is still there when one looks again. */
		forget(&graph);
		status = look(&graph, owner, &error);
	}
	if (status == RL_OK) {
		print(&graph);
		result = graph.cycles > 0 ? CLI_DEADLOCK : CLI_OK;
		if (graph.waits.count == 0 && !options->json) {
			cli_tell(options, CLI_NEWS, "none", "Nobody waits");
		}
	} else {
		result = cli_owner_failed(options, status, &error);
	}
	forget(&graph);
	cli_owner_close(owner, rl_now());
	return result;
}
