#include "pending.h"
#include "../shown_name.h"
#include "../../base/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Those of this thread whose stack is not over, and that were not cancelled. */
static RL_THREAD_LOCAL struct rl_pending *under_way;

static bool is_of_this_process(const struct rl_pending *pending)
{
	return pending->generation == rl_system_generation();
}

/* --- on its stack --- */

static void note(struct rl_pending *pending, enum rl_status status, const struct rl_error *error)
{
	if (pending->is_cancelled) {
		return;
	}
	pending->status = status;
	RL_LIST_REMOVE(pending, link);
	RL_LIST_REMOVE(pending, beside);
	if (status != RL_OK && status != RL_NO) {
		pending->error = malloc(sizeof *pending->error);
	}
	if (pending->error) {
		*pending->error = *error;
	}
}

static void run(void *context)
{
	struct rl_pending *pending = context;
	rl_time deadline = rl_owner_deadline(pending->owner, pending->began);
	struct rl_error error;

	pending->terms.deadline = &deadline;
	note(pending, rl_owner_acquire(pending->owner, &pending->terms, &error), &error);
	pending->terms.deadline = NULL;
}

/* --- nobody wants it any more --- */

/* In a child nothing is sent, and its stack is over at once. */
static void abandon(struct rl_pending *pending)
{
	struct rl_stack *stack = pending->stack;

	pending->is_cancelled = true;
	pending->status = RL_NO;
	RL_LIST_REMOVE(pending, link);
	RL_LIST_REMOVE(pending, beside);
	rl_pending_add_unwanted(pending);
	stack->set = NULL;
	stack->wanted = RL_UNWANTED;
	rl_stack_resume(stack);
}

/* --- from outside --- */

/* Takes the stack over, also on failure. */
static enum rl_status make(struct rl_owner *owner, const struct rl_acquire *terms,
	struct rl_stack *stack, struct rl_pending **out, struct rl_error *error)
{
	const struct rl_text key = terms->key, metadata = terms->metadata;
	struct rl_pending *pending = calloc(1, sizeof *pending + key.length + metadata.length);

	if (!pending) {
		rl_stack_free(stack);
		return rl_fail_for_memory(error);
	}
	if (!rl_waitset_open(&pending->set)) {
		rl_stack_free(stack);
		free(pending);
		return rl_fail(
			error, RL_MISUSE, "The system has no descriptor for this wait: %s", strerror(errno));
	}
	pending->owner = owner;
	pending->terms = *terms;
	memcpy(pending->texts, key.data, key.length);
	pending->terms.key = (struct rl_text){ pending->texts, key.length };
	if (metadata.data) {
		memcpy(pending->texts + key.length, metadata.data, metadata.length);
		pending->terms.metadata.data = pending->texts + key.length;
	}
	pending->began = rl_now();
	pending->generation = rl_system_generation();
	pending->stack = stack;
	rl_stack_begin(stack, run, pending);
	RL_LIST_ADD(&owner->pendings, pending, link);
	RL_LIST_ADD(&under_way, pending, beside);
	stack->set = &pending->set;
	*out = pending;
	return RL_OK;
}

/* Who has a lost lock now is not asked, since that would wait. */
static enum rl_status leave_unexplained(enum rl_status status, struct rl_error *error)
{
	if (status == RL_LOST) {
		error->unanswered = true;
	}
	return status;
}

/* An error is told once. */
static enum rl_status tell(struct rl_pending *pending, struct rl_error *error)
{
	enum rl_status status = pending->status;

	if (status != RL_OK) {
		pending->status = RL_NO;
	}
	if (status != RL_OK && status != RL_NO && !pending->error) {
		return rl_fail_for_memory(error);
	}
	if (pending->error) {
		*error = *pending->error;
		free(pending->error);
		pending->error = NULL;
	}
	return leave_unexplained(status, error);
}

static bool is_settled(const struct rl_pending *pending)
{
	return pending->is_cancelled || pending->stack->is_over;
}

/* What no server had to be asked for is told at once. */
static bool is_told_at_once(const struct rl_pending *pending)
{
	switch (pending->status) {
		case RL_OK:
		case RL_NO:
		case RL_UNREACHABLE:
		case RL_REFUSED:
			return false;
		default:
			return is_settled(pending);
	}
}

/* The first step. What comes of asking is told by the next, which somebody hears. */
enum rl_status rl_pending_begin(struct rl_owner *owner, const struct rl_acquire *terms,
	struct rl_stack *stack, struct rl_pending **out, struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = rl_owner_use(owner, terms->key, rl_now(), &held, error);

	if (status != RL_OK && status != RL_NO) {
		rl_stack_free(stack);
		return leave_unexplained(status, error);
	}
	status = make(owner, terms, stack, out, error);
	if (status != RL_OK) {
		return status;
	}
	rl_stack_resume(stack);
	if (is_told_at_once(*out)) {
		status = tell(*out, error);
		rl_pending_end(*out);
	}
	return status;
}

static enum rl_status fail_in_child(const struct rl_pending *pending, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	return rl_fail(error, RL_MISUSE,
		"The lock \"%s\" was requested before fork(), and the parent process waits for it",
		rl_shown_name(name, sizeof name, pending->terms.key));
}

bool rl_pending_go_on(
	struct rl_pending *pending, enum rl_status *status, struct rl_error *error)
{
	if (!is_of_this_process(pending)) {
		*status = fail_in_child(pending, error);
		return true;
	}
	if (!is_settled(pending)) {
		rl_stack_resume_and_answer(pending->stack);
	}
	if (!is_settled(pending)) {
		return false;
	}
	*status = tell(pending, error);
	return true;
}

int rl_pending_fd(const struct rl_pending *pending)
{
	return pending->set.fd;
}

void rl_pending_cancel(struct rl_pending *pending)
{
	if (!is_settled(pending) && is_of_this_process(pending)) {
		abandon(pending);
		rl_waitset_fire(&pending->set);
	} else if (pending->status != RL_OK) {
		pending->status = RL_NO;
	}
}

void rl_pending_cancel_all(struct rl_owner *owner)
{
	struct rl_pending *pending;

	while ((pending = owner ? owner->pendings : under_way)) {
		abandon(pending);
		if (is_of_this_process(pending)) {
			rl_waitset_fire(&pending->set);
		}
	}
}

void rl_pending_end(struct rl_pending *pending)
{
	if (!is_settled(pending)) {
		abandon(pending);
	}
	rl_waitset_close(&pending->set);
	pending->is_ended = true;
	if (pending->stack->is_over) {
		RL_LIST_REMOVE(pending, beside);
		rl_pending_free(pending);
	}
}
