/*
 * rlock run KEY -- COMMAND: the command runs only while we have the lock.
 *
 * One loop waits for whatever comes first: a signal, the command's end, the alarm of the renewal
 * thread, or the moment at which termination.h wants to look at the lease again. After each of them
 * it looks at everything, in this order: the lease first, so that whoever was stopped for longer
 * than it lasts does nothing before the command has been ended.
 */
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/number.h"
#include "child.h"
#include "environment.h"
#include "holder.h"
#include "nested.h"
#include "owner.h"
#include "signals.h"
#include "tell.h"
#include "termination.h"

struct run {
	const struct cli_options *options;
	struct rl_owner *owner;
	struct cli_child child;
	struct cli_termination termination;
	rl_time began;    /* when the lock was acquired */
	int ended_by;     /* the signal that ended us before the command began */
	bool interrupted; /* the terminal's SIGINT has come */
	bool told_to_end; /* the command, by a signal that we have passed on, or the terminal's */
	/*
	 * when what is left of a command that such a signal has killed is waited for no more; 0: not
	 * yet
	 */
	rl_time rest_until;
	bool lost;
	char name[CLI_NAME_SIZE]; /* of the lock, for messages */
};

/* --- until the command begins --- */

/* Reads what has arrived. False: it ends us. */
static bool hear_while_waiting(void *context)
{
	struct run *run = context;
	struct cli_signal signal;

	if (cli_signals_next_end(&signal)) {
		run->ended_by = signal.number;
		run->interrupted = signal.number == SIGINT && signal.from_terminal;
		return false;
	}
	return true;
}

static bool is_due(void *context)
{
	return cli_signals_is_due();
}

static void raise_alarm(void *context)
{
	cli_signals_wake();
}

static rl_time remaining(rl_time until)
{
	rl_time left = until - rl_now();

	return until == RL_FOREVER ? RL_FOREVER : left > 0 ? left
													   : 0;
}

/* RL_OK: ours, and safe. What was handed to us too late is waited for again. */
static enum rl_status acquire(struct run *run, struct rl_error *error)
{
	const struct cli_options *options = run->options;
	rl_time until = options->wait == RL_FOREVER ? RL_FOREVER : rl_now() + options->wait;
	enum rl_status status;

	do {
		struct rl_acquire request = {
			.key = options->key,
			.is_shared = options->shared,
			.limit = options->limit,
			.metadata = options->metadata,
			.lease_ms = options->ttl_ms,
			.wait = remaining(until),
			.policy = RL_POLICY_WAIT,
		};

		rl_owner_begin_call(run->owner);
		status = rl_owner_acquire(run->owner, &request, error);
		rl_owner_end_call(run->owner);
		if (status == RL_OK) {
			status = rl_owner_check(run->owner, options->key, error);
		}
	} while (status == RL_TIMED_OUT || status == RL_LOST);
	return status;
}

/*
 * False: we do not have the lock, and `*status` is what to exit with, which --busy-exit may make 0.
 */
static bool begin(struct run *run, int *status)
{
	struct rl_error error;
	rl_time asked = rl_now();
	enum rl_status answer;
	char seconds[RL_NUMBER_SECONDS_SIZE];

	if (cli_nested_in(run->owner, run->options)) {
		cli_tell(run->options, CLI_ERROR, "error",
			"\"%s\" is held by the rlock run that this command runs under (RLOCK_KEY): it would wait for its own end",
			run->name);
		*status = CLI_USAGE;
		return false;
	}
	answer = acquire(run, &error);
	if (!hear_while_waiting(run) || answer == RL_INTERRUPTED) {
		*status = CLI_SIGNAL + run->ended_by;
	} else if (answer == RL_NO) {
		cli_holder_tell_busy(run->options, run->owner);
		*status = run->options->busy_exit;
	} else if (answer != RL_OK) {
		*status = cli_owner_failed(run->options, answer, &error);
	} else {
		run->began = rl_now();
		cli_tell_in_haste(true);
		cli_tell(run->options, CLI_DETAIL, "acquired", "Acquired \"%s\" after %s s", run->name,
			rl_number_put_seconds(seconds, (run->began - asked) / RL_MILLISECOND));
		return true;
	}
	return false;
}

/* --- the command --- */

/* Of the lease, by our own clock; 0: it is over, or lost. */
static rl_time time_left(struct run *run, struct rl_lease_view *lease)
{
	struct rl_error ignored;

	return rl_owner_lease(run->owner, run->options->key, lease, &ignored) == RL_OK ? lease->left
																				   : 0;
}

/*
 * Without a fence, as on a majority, the command has no RLOCK_FENCE, not even that of an rlock
 * around us.
 */
static char **make_environment(struct run *run)
{
	const struct cli_options *options = run->options;
	struct rl_lease_view lease;
	char fence[RL_NUMBER_SIZE];
	bool has_fence = time_left(run, &lease) > 0 && lease.fence > 0;
	const struct cli_variable variables[] = {
		{ "RLOCK_KEY", options->key },
		{ "RLOCK_FENCE",
			has_fence ? (struct rl_text){ fence, rl_number_put(fence, lease.fence) }
					  : (struct rl_text){ 0 } },
		{ "RLOCK_SERVERS", rl_text_of(options->servers) },
		{ "RLOCK_PREFIX", options->prefix },
	};

	return cli_environment_make(variables, sizeof variables / sizeof *variables);
}

/* The command may be sound, but the system has no room for it now. */
static bool is_shortage(int failure)
{
	return failure == EMFILE || failure == ENFILE || failure == EAGAIN || failure == ENOMEM;
}

static void tell_failure(const struct run *run, int failure)
{
	const char *name = run->options->child[0];
	bool is_for_shell = failure == ENOENT
		&& (strpbrk(name, " ;|&<>$*") || strcmp(name, "cd") == 0);
	char command[CLI_NAME_SIZE];

	cli_tell(run->options, CLI_ERROR, "error", "Cannot run \"%s\": %s%s",
		cli_tell_name(command, rl_text_of(name)), strerror(failure),
		is_for_shell ? "; a line for the shell is written -- sh -c 'LINE'" : "");
}

/*
 * We may have been stopped since the lock was acquired. Without it the command does not begin,
 * whatever --on-loss says.
 */
static int start(struct run *run)
{
	char **environment = make_environment(run);
	struct rl_lease_view lease;
	int failure;

	if (time_left(run, &lease) == 0) {
		free(environment);
		cli_tell(run->options, CLI_ERROR, "lost",
			"The lock \"%s\" was lost before the command began", run->name);
		run->lost = true;
		return CLI_LOST;
	}
	failure = environment ? cli_child_start(&run->child, run->options->child, environment) : ENOMEM;
	free(environment);
	if (failure == 0) {
		return CLI_OK;
	}
	tell_failure(run, failure);
	if (is_shortage(failure)) {
		return CLI_UNAVAILABLE;
	}
	return failure == ENOENT ? CLI_NOT_FOUND : CLI_NOT_EXECUTABLE;
}

/* Of a command that is stopped, only SIGKILL would end it. */
static void end_child(struct run *run, enum cli_order order)
{
	cli_child_signal(&run->child, order == CLI_ORDER_KILL ? SIGKILL : SIGTERM);
	cli_child_signal(&run->child, SIGCONT);
}

static bool has_had_its_time(const struct run *run)
{
	return run->options->max_hold != RL_FOREVER && rl_now() - run->began >= run->options->max_hold;
}

static void tell_end(
	struct run *run, enum cli_order order, rl_time left, const struct rl_lease_view *lease)
{
	const char *end = order == CLI_ORDER_KILL ? "killing" : "ending";
	char seconds[RL_NUMBER_SECONDS_SIZE];

	if (run->lost) {
		cli_tell(run->options, CLI_NEWS, "killed", "The command has not ended; killing it");
	} else if (left > 0 && has_had_its_time(run)) {
		cli_tell(run->options, CLI_ERROR, "lost",
			"The lock \"%s\" has been held for --max-hold; %s the command", run->name, end);
	} else if (left > 0 && lease->failure) {
		cli_tell(run->options, CLI_ERROR, "lost",
			"The lease of \"%s\" could not be renewed in time; %s the command. The last renewal failed %s s ago: %s",
			run->name, end,
			rl_number_put_seconds(seconds, (rl_now() - lease->failed_at) / RL_MILLISECOND),
			lease->failure);
	} else if (left > 0) {
		cli_tell(run->options, CLI_ERROR, "lost",
			"The lease of \"%s\" could not be renewed in time; %s the command", run->name, end);
	} else {
		cli_tell(run->options, CLI_ERROR, "lost", "The lock \"%s\" is lost; %s the command",
			run->name, end);
	}
	run->lost = true;
}

/* Ends the command if its time has come. */
static void mind_lease(struct run *run)
{
	struct rl_lease_view lease;
	rl_time left = time_left(run, &lease);
	enum cli_order order = cli_termination_look(&run->termination, rl_now(), left);

	if (order != CLI_ORDER_NONE) {
		end_child(run, order);
		tell_end(run, order, left, &lease);
	}
}

static void pass_on(struct run *run, struct cli_signal signal)
{
	run->told_to_end = run->told_to_end || cli_signals_ends(signal.number);
	if (signal.number == SIGINT && signal.from_terminal) {
		run->interrupted = true;
	}
	if (!signal.from_terminal || !run->child.shares_group) {
		cli_child_signal(&run->child, signal.number);
	}
	if (cli_signals_stop_with_command(signal)) {
		mind_lease(run);
	}
}

static void hear(struct run *run)
{
	struct cli_signal signal;

	while (cli_signals_next(&signal)) {
		if (signal.number != SIGCHLD && signal.number != CLI_SIGNAL_WAKE
			&& !cli_signals_repeats(signal)) {
			pass_on(run, signal);
		}
	}
}

/*
 * A shell dies at once of a signal at which its foreground work still writes a checkpoint. That
 * goes on under the lock, for the grace. It is not killed then: the lock has not been lost.
 */
static bool awaits_rest(struct run *run)
{
	if (!run->told_to_end || !run->child.was_killed) {
		return false;
	}
	if (run->rest_until == 0) {
		run->rest_until = rl_now() + run->options->grace;
	}
	return rl_now() < run->rest_until && cli_child_has_family(false);
}

/*
 * Of a command that has lost its lock, all processes have the grace, also when the command itself
 * has ended.
 */
static bool is_over(struct run *run)
{
	if (!cli_child_has_ended(&run->child)) {
		return false;
	}
	switch (run->termination.given) {
		case CLI_ORDER_NONE:
			return !awaits_rest(run);
		case CLI_ORDER_TELL:
			return !cli_child_has_family(true);
		default:
			return true;
	}
}

static rl_time next_look(const struct run *run)
{
	bool rests = run->termination.given == CLI_ORDER_NONE && run->rest_until > 0;

	return rests && run->rest_until < run->termination.next ? run->rest_until
															: run->termination.next;
}

/* Of a command that has lost its lock, no process may be left. */
static int await_end(struct run *run)
{
	int status, signal;

	mind_lease(run);
	while (!is_over(run)) {
		cli_signals_wait(next_look(run));
		mind_lease(run);
		hear(run);
	}
	hear(run); /* the command may have ended by a SIGINT that we have not heard of yet */
	if (run->termination.given != CLI_ORDER_NONE) {
		cli_child_signal(&run->child, SIGKILL);
	}
	status = cli_child_reap(&run->child, &signal);
	run->interrupted = run->interrupted && signal == SIGINT;
	return status;
}

/* --- afterwards --- */

/* How long the lock is to be kept: --at-least counts from when it was acquired. */
static int64_t delay_ms(const struct run *run)
{
	rl_time left = run->began + run->options->at_least - rl_now();

	return left > 0 ? (left + RL_MILLISECOND - 1) / RL_MILLISECOND : 0;
}

static void give_back(struct run *run)
{
	struct rl_release_terms terms = { .delay_ms = delay_ms(run), .confirm = true, .last = true };
	struct rl_error error;
	enum rl_status status = rl_owner_release(run->owner, run->options->key, terms, &error);

	cli_tell_in_haste(false);
	if (status == RL_OK) {
		cli_tell(run->options, CLI_DETAIL, "released", "Released \"%s\"", run->name);
	} else if (status == RL_TIMED_OUT || status == RL_LOST) {
		run->lost = true;
		cli_tell(run->options, CLI_ERROR, "lost", "%s", error.message);
	} else if (status != RL_NO) {
		cli_tell(run->options, CLI_ERROR, "error", "%s", error.message);
	}
}

static int run_command(struct run *run, rl_time *ended_at)
{
	int status;

	cli_termination_init(&run->termination, run->options);
	status = start(run);
	if (status == CLI_OK) {
		status = await_end(run);
	}
	*ended_at = rl_now(); /* the release and the owner's end have one deadline */
	give_back(run);
	return run->lost ? CLI_LOST : status;
}

int cli_run(const struct cli_options *options)
{
	struct run run = { .options = options };
	const struct rl_wait_hook hook = {
		.run = hear_while_waiting, .context = &run, .is_due = is_due
	};
	const struct rl_renewal_terms terms = {
		.renew = true,
		.max_hold = options->max_hold,
		.alarm = { raise_alarm, NULL },
	};
	rl_time ended_at;
	int status = cli_signals_start(options);

	cli_tell_name(run.name, options->key);
	if (status == CLI_OK) {
		cli_signals_ignore_unwritable();
		status = cli_owner_open(options, hook, &terms, &run.owner);
	}
	if (status != CLI_OK) {
		return status;
	}
	if (begin(&run, &status)) {
		status = run_command(&run, &ended_at);
	} else {
		ended_at = rl_now();
	}
	cli_owner_close(run.owner, ended_at);
	if (run.interrupted) {
		/* a shell script that started us ends at Ctrl-C only if it sees that we did */
		cli_signals_die(SIGINT);
	}
	return status;
}
