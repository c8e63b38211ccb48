#include "inquiry.h"
#include "route.h"

#include <stdlib.h>
#include <string.h>

void rl_inquiry_ask(struct rl_inquiry *inquiry, struct rl_server *server,
	const struct rl_inquiry_question *question)
{
	inquiry->next = server;
	inquiry->question = question;
}

static struct rl_inquiry *begin(
	const struct rl_inquiry_kind *kind, struct rl_route *route, rl_time deadline)
{
	struct rl_inquiry *inquiry = calloc(1, sizeof *inquiry);

	if (inquiry) {
		inquiry->route = route;
		inquiry->kind = kind;
		inquiry->deadline = deadline;
		inquiry->failed = RL_UNREACHABLE;
	}
	return inquiry;
}

/* --- one server --- */

/* A third of the time that is left, and no longer than a connection may take. */
static rl_time answer_by(const struct rl_inquiry *inquiry)
{
	rl_time now = rl_now(), part = (inquiry->deadline - now) / 3;

	return now + rl_time_earlier(part, inquiry->route->connect_timeout);
}

static void begin_exchange(struct rl_inquiry *inquiry)
{
	inquiry->asked_until = answer_by(inquiry);
	inquiry->exchange = (struct rl_exchange){
		.server = inquiry->next,
		.loan = { .connect_timeout = inquiry->route->connect_timeout,
			.deadline = inquiry->asked_until },
		.count = 1,
		.write = inquiry->question->write,
		.context = inquiry,
		.reply_nodes = inquiry->question->reply_nodes,
	};
	rl_exchange_begin(&inquiry->exchange);
	rl_server_unref(inquiry->next);
	inquiry->next = NULL;
	inquiry->is_asking = true;
}

static void end_exchange(struct rl_inquiry *inquiry)
{
	if (inquiry->is_asking) {
		rl_exchange_end(&inquiry->exchange);
		inquiry->is_asking = false;
	}
}

static enum rl_status judge_answer(struct rl_inquiry *inquiry, struct rl_error *error)
{
	const struct rl_reply *reply = inquiry->exchange.reply;

	if (reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(inquiry->exchange.connection, reply, error);
		if (!inquiry->question->may_be_refused) {
			return RL_REFUSED;
		}
	}
	return inquiry->question->read(inquiry, reply, error);
}

/* What nobody has looked at in time takes none from those that are asked next. */
static void give_time(struct rl_inquiry *inquiry)
{
	rl_time moved = rl_exchange_deadline(&inquiry->exchange) - inquiry->asked_until;
	rl_time overslept = rl_now() - inquiry->exchange.loan.deadline;

	inquiry->deadline += moved + rl_time_later(overslept, 0);
}

/* RL_NO: it is being asked, or others are to be asked, too. */
static enum rl_status ask(
	struct rl_inquiry *inquiry, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status = rl_exchange_go_on(&inquiry->exchange, polls, error);

	if (status == RL_NO) {
		return RL_NO;
	}
	give_time(inquiry);
	if (status == RL_OK) {
		status = judge_answer(inquiry, error);
	}
	end_exchange(inquiry);
	return status;
}

/* --- all of them --- */

static void note_failure(struct rl_inquiry *inquiry, enum rl_status status,
	const struct rl_error *last, struct rl_error *error)
{
	bool adds = inquiry->kind->tells_all && inquiry->has_failed && status == RL_UNREACHABLE
		&& inquiry->failed == RL_UNREACHABLE;
	struct rl_error before = *error;

	if (adds && strstr(before.message, last->message)) {
		return; /* all of them name the same master, which is away */
	}
	*error = *last;
	if (adds) {
		rl_fail(error, status, "%s; %s", before.message, last->message);
		error->cause = last->cause;
	}
	inquiry->failed = status;
	inquiry->has_failed = true;
}

static enum rl_status step(
	struct rl_inquiry *inquiry, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_error last;
	enum rl_status status;

	if (!inquiry->is_asking) {
		status = inquiry->next ? RL_OK : inquiry->kind->next(inquiry, error);
		if (status != RL_OK) {
			return status == RL_NO ? inquiry->failed : status;
		}
		begin_exchange(inquiry);
	}
	status = ask(inquiry, polls, &last);
	if (status == RL_OK || status == RL_NO) {
		return status;
	}
	if (status == RL_NO_MEMORY || inquiry->failed != RL_REFUSED || !inquiry->kind->refusal_stays) {
		note_failure(inquiry, status, &last, error);
	}
	return status == RL_NO_MEMORY ? status : RL_NO;
}

enum rl_status rl_inquiry_go_on(struct rl_inquiry **inquiry, const struct rl_inquiry_kind *kind,
	struct rl_route *route, rl_time deadline, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	if (!*inquiry) {
		*inquiry = begin(kind, route, deadline);
	}
	if (!*inquiry) {
		return rl_fail_for_memory(error);
	}
	do {
		status = step(*inquiry, polls, error);
	} while (status == RL_NO && !(*inquiry)->is_asking);
	if (status != RL_NO) {
		rl_inquiry_end(inquiry);
	}
	return status;
}

void rl_inquiry_end(struct rl_inquiry **inquiry)
{
	if (!*inquiry) {
		return;
	}
	end_exchange(*inquiry);
	if ((*inquiry)->next) {
		rl_server_unref((*inquiry)->next);
	}
	if ((*inquiry)->named) {
		rl_server_unref((*inquiry)->named);
	}
	free(*inquiry);
	*inquiry = NULL;
}
