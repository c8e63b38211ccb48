#include "inquiry.h"
#include "../base/machine.h"

#include <string.h>

void rl_inquiry_ask(struct rl_inquiry *inquiry, struct rl_server *server,
	const struct rl_inquiry_question *question)
{
	inquiry->next = server;
	inquiry->question = question;
}

/* --- one server --- */

/* A third of the time that is left, and no longer than a connection may take. */
static rl_time answer_by(const struct rl_inquiry *inquiry)
{
	rl_time now = rl_now(), part = (inquiry->deadline - now) / 3;

	return now + rl_time_earlier(part, inquiry->route->connect_timeout);
}

static void begin_exchange(struct rl_inquiry *inquiry, rl_time until)
{
	inquiry->exchange = (struct rl_exchange){
		.server = inquiry->next,
		.loan = { .connect_timeout = inquiry->route->connect_timeout, .deadline = until },
		.count = 1,
		.write = inquiry->question->write,
		.context = inquiry,
		.reply_nodes = inquiry->question->reply_nodes,
	};
	rl_exchange_begin(&inquiry->exchange);
	rl_server_unref(inquiry->next);
	inquiry->next = NULL;
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
static void give_time(struct rl_inquiry *inquiry, rl_time asked_until)
{
	rl_time moved = rl_exchange_deadline(&inquiry->exchange) - asked_until;
	rl_time overslept = rl_now() - inquiry->exchange.loan.deadline;

	inquiry->deadline += moved + rl_time_later(overslept, 0);
}

static bool was_told(const struct rl_inquiry *inquiry)
{
	return rl_topology_of(inquiry->route)->told != inquiry->told;
}

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_inquiry *inquiry = machine;

	return was_told(inquiry) ? RL_OK : rl_exchange_go_on(&inquiry->exchange, polls, error);
}

/* RL_NO: others are to be asked, too. */
static enum rl_status ask(struct rl_inquiry *inquiry, struct rl_error *error)
{
	rl_time until = answer_by(inquiry);
	enum rl_status status;

	begin_exchange(inquiry, until);
	status = rl_machine_run(go_on, inquiry, error);
	give_time(inquiry, until);
	if (status == RL_OK && !was_told(inquiry)) {
		status = judge_answer(inquiry, error);
	}
	rl_exchange_end(&inquiry->exchange);
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
		return; /* for the same reason as the one before: they name one server, which is away */
	}
	*error = *last;
	if (adds) {
		rl_fail(error, status, "%s; %s", before.message, last->message);
		error->cause = last->cause;
	}
	inquiry->failed = status;
	inquiry->has_failed = true;
}

/* RL_NO: the next one is to be asked. */
static enum rl_status ask_next(struct rl_inquiry *inquiry, struct rl_error *error)
{
	struct rl_error last;
	enum rl_status status = inquiry->next ? RL_OK : inquiry->kind->next(inquiry, error);

	if (status != RL_OK) {
		return status == RL_NO ? inquiry->failed : status;
	}
	status = ask(inquiry, &last);
	if (status == RL_NO_MEMORY || status == RL_INTERRUPTED) {
		*error = last;
	} else if (status == RL_UNREACHABLE || status == RL_REFUSED) {
		if (inquiry->failed != RL_REFUSED || !inquiry->kind->tells_all) {
			note_failure(inquiry, status, &last, error);
		}
		return RL_NO;
	}
	return status;
}

enum rl_status rl_inquiry_run(const struct rl_inquiry_kind *kind, struct rl_route *route,
	rl_time *deadline, struct rl_error *error)
{
	struct rl_topology *topology = rl_topology_of(route);
	struct rl_inquiry inquiry = { .route = route,
		.kind = kind,
		.deadline = *deadline,
		.told = topology->told,
		.failed = RL_UNREACHABLE };
	enum rl_status status = *deadline ? RL_NO : RL_UNREACHABLE;

	while (status == RL_NO) {
		status = ask_next(&inquiry, error);
	}
	topology->told += status == RL_OK;
	if (status == RL_OK && rl_now() >= *deadline) {
		*deadline = inquiry.deadline;
	}
	if (inquiry.next) {
		rl_server_unref(inquiry.next);
	}
	if (inquiry.named) {
		rl_server_unref(inquiry.named);
	}
	return status;
}
