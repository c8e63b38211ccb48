#include "search.h"
#include "route.h"

#include <stdlib.h>

void rl_search_ask(struct rl_search *search, struct rl_server *server,
	const struct rl_search_question *question)
{
	search->next = server;
	search->question = question;
}

static struct rl_search *begin(
	const struct rl_search_kind *kind, struct rl_route *route, rl_time deadline)
{
	struct rl_search *search = calloc(1, sizeof *search);

	if (search) {
		search->route = route;
		search->kind = kind;
		search->deadline = deadline;
		search->failed = RL_UNREACHABLE;
	}
	return search;
}

/* --- one server --- */

/* A third of the time that is left, and no longer than a connection may take. */
static rl_time answer_by(const struct rl_search *search)
{
	rl_time now = rl_now(), part = (search->deadline - now) / 3;

	return now + rl_time_earlier(part, search->route->connect_timeout);
}

static void begin_exchange(struct rl_search *search)
{
	search->exchange = (struct rl_exchange){
		.server = search->next,
		.loan = { .connect_timeout = search->route->connect_timeout,
			.deadline = answer_by(search) },
		.count = 1,
		.write = search->question->write,
		.context = search,
		.reply_nodes = search->question->reply_nodes,
	};
	rl_exchange_begin(&search->exchange);
	rl_server_unref(search->next);
	search->next = NULL;
	search->is_asking = true;
}

static void end_exchange(struct rl_search *search)
{
	if (search->is_asking) {
		rl_exchange_end(&search->exchange);
		search->is_asking = false;
	}
}

static enum rl_status judge_answer(struct rl_search *search, struct rl_error *error)
{
	const struct rl_reply *reply = search->exchange.reply;

	if (reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(search->exchange.connection, reply, error);
		if (!search->question->may_be_refused) {
			return RL_REFUSED;
		}
	}
	return search->question->read(search, reply, error);
}

/* RL_NO: it is being asked, or others are to be asked, too. */
static enum rl_status ask(struct rl_search *search, struct rl_error *error)
{
	enum rl_status status = rl_exchange_go_on(&search->exchange, error);

	if (status == RL_NO) {
		return RL_NO;
	}
	if (status == RL_OK) {
		status = judge_answer(search, error);
	}
	end_exchange(search);
	return status;
}

/* --- all of them --- */

static enum rl_status step(struct rl_search *search, struct rl_error *error)
{
	struct rl_error last;
	enum rl_status status;

	if (!search->is_asking) {
		status = search->next ? RL_OK : search->kind->next(search, error);
		if (status != RL_OK) {
			return status == RL_NO ? search->failed : status;
		}
		begin_exchange(search);
	}
	status = ask(search, &last);
	if (status == RL_OK || status == RL_NO) {
		return status;
	}
	if (status == RL_NO_MEMORY || search->failed != RL_REFUSED || !search->kind->refusal_stays) {
		search->failed = status;
		*error = last;
	}
	return status == RL_NO_MEMORY ? status : RL_NO;
}

enum rl_status rl_search_go_on(struct rl_search **search, const struct rl_search_kind *kind,
	struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	if (!*search) {
		*search = begin(kind, route, deadline);
	}
	if (!*search) {
		return rl_fail_for_memory(error);
	}
	do {
		status = step(*search, error);
	} while (status == RL_NO && !(*search)->is_asking);
	if (status != RL_NO) {
		rl_search_end(search);
	}
	return status;
}

void rl_search_awaits(const struct rl_search *search, struct rl_polls *polls)
{
	rl_exchange_awaits(&search->exchange, polls);
}

void rl_search_wait(const struct rl_search *search)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	rl_search_awaits(search, &polls);
	rl_polls_wait(&polls);
}

void rl_search_end(struct rl_search **search)
{
	if (!*search) {
		return;
	}
	end_exchange(*search);
	if ((*search)->next) {
		rl_server_unref((*search)->next);
	}
	if ((*search)->named) {
		rl_server_unref((*search)->named);
	}
	free(*search);
	*search = NULL;
}
