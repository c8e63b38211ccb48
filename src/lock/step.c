#include "step.h"
#include "protocol.h"
#include "scripts.h"
#include "../base/number.h"

/* The keys in the order in which scripts want them. */
static const enum rl_key EXCLUSIVE_KEYS[] = { RL_KEY_LOCK, RL_KEY_FENCE, RL_KEY_WAITING,
	RL_KEY_WAKE };
static const enum rl_key SHARED_KEYS[] = { RL_KEY_LOCK, RL_KEY_FENCE, RL_KEY_SHARES, RL_KEY_RECORD,
	RL_KEY_WAITING, RL_KEY_WAKE, RL_KEY_TURNSTILE, RL_KEY_ROOM };
#define GRANT_KEYS    2 /* L and the fence */
#define ALL_EXCLUSIVE (sizeof EXCLUSIVE_KEYS / sizeof EXCLUSIVE_KEYS[0])
#define ALL_SHARED    (sizeof SHARED_KEYS / sizeof SHARED_KEYS[0])

static const struct rl_keys *keys_of(const struct rl_step *step)
{
	return step->lease ? &step->lease->keys : step->keys;
}

struct rl_text rl_step_key(const struct rl_step *step)
{
	const struct rl_keys *keys = keys_of(step);

	return keys ? keys->of[RL_KEY_LOCK] : step->guarded->key;
}

/* --- keys and arguments --- */

static void begin(struct rl_call *call, const struct rl_script *script, const struct rl_step *step,
	const enum rl_key *wanted, size_t count)
{
	const struct rl_keys *keys = keys_of(step);

	*call = (struct rl_call){
		.eval.script = script,
		.eval.key_count = count,
		.sent_at = step->sent_at,
		.doubt = step->doubt,
	};
	for (size_t i = 0; i < count; i++) {
		call->eval.keys[i] = keys->of[wanted[i]];
	}
}

static void begin_exclusive(struct rl_words *words, const struct rl_script *script,
	const struct rl_step *step, size_t count)
{
	begin(&words->call, script, step, EXCLUSIVE_KEYS, count);
}

static void begin_shared(
	struct rl_words *words, const struct rl_script *script, const struct rl_step *step)
{
	begin(&words->call, script, step, SHARED_KEYS, ALL_SHARED);
}

static void add(struct rl_words *words, struct rl_text text)
{
	words->call.eval.args[words->call.eval.arg_count++] = text;
}

static void add_word(struct rl_words *words, const char *word)
{
	add(words, rl_text_of(word));
}

static void add_number(struct rl_words *words, int64_t number)
{
	char *text = words->numbers[words->call.eval.arg_count];

	add(words, (struct rl_text){ text, rl_number_put(text, number) });
}

/* Filled in when it is sent, since only then it is known by whose clock. */
static void add_until(struct rl_words *words)
{
	words->call.eval.until_arg = words->call.eval.arg_count;
	add_word(words, "0");
}

/* Which grant it is about. */
static void add_grant(struct rl_words *words, struct rl_text token, int64_t fence)
{
	add(words, token);
	add_number(words, fence);
}

/* What L becomes if somebody waits: the same however often the step is sent. */
static void add_baton(struct rl_words *words, const struct rl_step *step, int64_t delay_ms)
{
	rl_token_baton(&step->lease->token, words->baton);
	add(words, (struct rl_text){ words->baton, RL_BATON_SIZE - 1 });
	add_number(words, delay_ms);
}

/* --- taking --- */

static void add_take(struct rl_words *words, const struct rl_step *step)
{
	words->call.replicated_up_to = INT64_MAX; /* a fence */
	add(words, rl_token_text(&step->lease->token));
	add_number(words, step->lease_ms);
	add_until(words);
	add_number(words, step->flag_ms);
}

static void add_heard(struct rl_words *words, const struct rl_step *step)
{
	if (step->text.data) {
		add(words, step->text);
	}
}

static void form_acquire(struct rl_words *words, const struct rl_step *step)
{
	begin_exclusive(words, &rl_script_acquire, step, ALL_EXCLUSIVE);
	add_take(words, step);
	add_heard(words, step);
}

/* The fence of such a lock outlives the lease by less: there are many, and each is short. */
static void form_open(struct rl_words *words, const struct rl_step *step)
{
	form_acquire(words, step);
	words->call.eval.script = &rl_script_open;
	words->call.eval.keys[words->call.eval.key_count++] = step->guarded->key;
	words->call.reply_nodes = 1; /* which allows a long text, too */
	add_number(words, step->guarded->life_ms);
	add_word(words, step->guarded->must_exist ? "known" : "any");
}

static void begin_enter(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_enter, step);
	add_take(words, step);
	if (step->lease->tenure.is_share) {
		add_number(words, step->lease->limit);
	} else {
		add_word(words, "x");
	}
}

static void form_enter(struct rl_words *words, const struct rl_step *step)
{
	begin_enter(words, step);
	add_heard(words, step);
}

static void form_reenter(struct rl_words *words, const struct rl_step *step)
{
	begin_enter(words, step);
	add_number(words, words->known_as.fence);
}

/* --- what is held --- */

/* For how much longer than its lease the fence is kept of a lock that guards a value. */
#define GUARDED_GRACE_MS "60000"

static const char *const HOW[] = {
	[RL_EXTEND_LONGER] = "longer", [RL_EXTEND_AGAIN] = "again", [RL_EXTEND_ANEW] = "anew"
};

static int64_t replicated_up_to(const struct rl_step *step)
{
	if (step->how == RL_EXTEND_AGAIN) {
		return RL_ANSWER_GONE;
	}
	return step->lease_ms && !step->is_repeated ? RL_ANSWER_OURS : 0;
}

static void form_extend(struct rl_words *words, const struct rl_step *step)
{
	bool is_share = step->lease->tenure.is_share;

	if (is_share) {
		begin_shared(words, &rl_script_extend_shared, step);
	} else {
		begin_exclusive(words, &rl_script_extend, step, GRANT_KEYS);
	}
	words->call.lock_key_alone_ok = step->how == RL_EXTEND_LONGER && !is_share;
	words->call.replicated_up_to = replicated_up_to(step);
	add_grant(words, words->known_as.token, words->known_as.fence);
	add_number(words, step->lease_ms);
	add_until(words);
	add_word(words, HOW[step->how]);
	if (step->how == RL_EXTEND_AGAIN) {
		add(words, rl_token_text(&step->lease->token));
	}
	if (step->lease->guarded.data) {
		words->call.eval.keys[words->call.eval.key_count++] = step->lease->guarded;
		if (step->how != RL_EXTEND_AGAIN) {
			add_word(words, "");
		}
		add_word(words, GUARDED_GRACE_MS);
	}
}

static void form_replace(struct rl_words *words, const struct rl_step *step, struct rl_text old,
	const struct rl_token *successor)
{
	begin_exclusive(words, &rl_script_extend, step, GRANT_KEYS);
	add_grant(words, old, words->known_as.fence);
	add_number(words, step->lease_ms);
	add_until(words);
	add_word(words, HOW[RL_EXTEND_ANEW]);
	add(words, rl_token_holder(successor));
}

/* Nobody counts yet on what is given away, so that replicas need not have it. */
static void form_hand_over(struct rl_words *words, const struct rl_step *step)
{
	form_replace(words, step, rl_token_head(&step->lease->token), step->successor);
}

static void form_adopt(struct rl_words *words, const struct rl_step *step)
{
	form_replace(words, step, step->text, &step->lease->token);
	words->call.replicated_up_to = RL_ANSWER_OURS;
}

static void form_upgrade(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_upgrade, step);
	words->call.replicated_up_to = RL_ANSWER_OURS;
	add_grant(words, rl_token_text(&step->lease->token), words->known_as.fence);
	add_number(words, step->lease_ms);
	add_until(words);
}

static void form_downgrade(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_downgrade, step);
	words->call.tells_text = true;
	words->call.replicated_up_to = step->for_nobody ? 0 : RL_ANSWER_OURS;
	add_grant(words, words->known_as.token, words->known_as.fence);
}

/* --- giving back --- */

static void begin_release(struct rl_words *words, const struct rl_step *step)
{
	if (step->lease->tenure.is_share) {
		begin_shared(words, &rl_script_leave, step);
	} else {
		begin_exclusive(words, &rl_script_release, step, ALL_EXCLUSIVE);
		words->call.lock_key_alone_ok = true;
	}
}

static void form_release(struct rl_words *words, const struct rl_step *step)
{
	begin_release(words, step);
	add_grant(words, words->known_as.token, words->known_as.fence);
	add_baton(words, step, step->lease->delay_ms);
}

static const char *how_to_close(const struct rl_guarded *guarded)
{
	if (guarded->how == RL_GUARDED_DELETE) {
		return "delete";
	}
	return !guarded->was_there ? "new" : guarded->how == RL_GUARDED_WRITE ? "write"
																		  : "touch";
}

static void form_close(struct rl_words *words, const struct rl_step *step)
{
	const struct rl_guarded *guarded = step->guarded;

	form_release(words, step);
	words->call.eval.script = &rl_script_close;
	words->call.lock_key_alone_ok = false;
	words->call.eval.keys[words->call.eval.key_count++] = guarded->key;
	add_word(words, how_to_close(guarded));
	if (guarded->how == RL_GUARDED_DELETE) {
		add_until(words);
	} else {
		add_number(words, guarded->life_ms);
	}
	add(words, guarded->value);
	if (guarded->keeps) {
		add_word(words, "keep");
	}
}

/* Of what was granted just now, whatever its fence is. */
static void begin_to_take_back(struct rl_words *words, const struct rl_step *step)
{
	begin_release(words, step);
	add_grant(words, rl_token_own(&step->lease->token), 0);
}

static void form_take_back(struct rl_words *words, const struct rl_step *step)
{
	begin_to_take_back(words, step);
	add_baton(words, step, step->lease->delay_ms);
}

static void form_leave_free(struct rl_words *words, const struct rl_step *step)
{
	begin_to_take_back(words, step);
	add_word(words, "");
	add_number(words, 0);
}

/* A ticket is shorter: it is the time at which it was made. */
static bool is_ticket(struct rl_text pass)
{
	return pass.length != RL_BATON_SIZE - 1;
}

static void form_pass_on(struct rl_words *words, const struct rl_step *step)
{
	const struct rl_lease *lease = step->lease;
	bool knows_shares = lease->keys.of[RL_KEY_SHARES].data
		&& (lease->tenure.is_share || is_ticket(step->text));

	if (knows_shares) {
		begin_shared(words, &rl_script_leave, step);
	} else {
		begin_exclusive(words, &rl_script_release, step, ALL_EXCLUSIVE);
	}
	add_grant(words, step->text, 0);
	add_baton(words, step, lease->delay_ms);
}

/* Asks for no grant, since a name may have a share meanwhile. */
static void form_leave_turnstile(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_leave, step);
	add_grant(words, rl_token_head(&step->lease->token), RL_NO_GRANT);
	add_baton(words, step, 0);
}

/* --- looking, and administration --- */

static void form_peek(struct rl_words *words, const struct rl_step *step)
{
	words->call = (struct rl_call){
		.eval.script = &rl_script_peek,
		.eval.keys = { step->guarded->key },
		.eval.key_count = 1,
		.reply_nodes = 1,
	};
	add_number(words, step->guarded->life_ms);
}

static void form_inspect(struct rl_words *words, const struct rl_step *step)
{
	begin_exclusive(words, &rl_script_inspect, step, ALL_EXCLUSIVE);
}

/* Parts of an answer that tells all shares of a lock. */
#define SHARES_REPLY_NODES (64 * 1024)

static void form_sharers(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_sharers, step);
	words->call.reply_nodes = SHARES_REPLY_NODES;
}

static void form_break_share(struct rl_words *words, const struct rl_step *step)
{
	begin_shared(words, &rl_script_leave, step);
	add_grant(words, step->text, step->fence);
	add_baton(words, step, 0);
	add_word(words, "break");
}

static void form_break(struct rl_words *words, const struct rl_step *step)
{
	begin_exclusive(words, &rl_script_release, step, ALL_EXCLUSIVE);
	add_grant(words, step->text, words->known_as.fence);
	add_baton(words, step, 0);
	add_until(words);
}

/* --- all of them --- */

static void (*const FORM[])(struct rl_words *words, const struct rl_step *step) = {
	[RL_STEP_ACQUIRE] = form_acquire,
	[RL_STEP_OPEN] = form_open,
	[RL_STEP_ENTER] = form_enter,
	[RL_STEP_EXTEND] = form_extend,
	[RL_STEP_REENTER] = form_reenter,
	[RL_STEP_HAND_OVER] = form_hand_over,
	[RL_STEP_ADOPT] = form_adopt,
	[RL_STEP_UPGRADE] = form_upgrade,
	[RL_STEP_DOWNGRADE] = form_downgrade,
	[RL_STEP_RELEASE] = form_release,
	[RL_STEP_CLOSE] = form_close,
	[RL_STEP_LEAVE_FREE] = form_leave_free,
	[RL_STEP_TAKE_BACK] = form_take_back,
	[RL_STEP_PASS_ON] = form_pass_on,
	[RL_STEP_LEAVE_TURNSTILE] = form_leave_turnstile,
	[RL_STEP_PEEK] = form_peek,
	[RL_STEP_INSPECT] = form_inspect,
	[RL_STEP_SHARERS] = form_sharers,
	[RL_STEP_BREAK_SHARE] = form_break_share,
	[RL_STEP_BREAK] = form_break,
};

struct rl_call *rl_step_form_as(
	struct rl_words *words, const struct rl_step *step, struct rl_grant_name known_as)
{
	words->known_as = known_as;
	FORM[step->operation](words, step);
	return &words->call;
}

struct rl_call *rl_step_form(struct rl_words *words, const struct rl_step *step)
{
	if (step->lease) {
		words->known_as.token = rl_token_head(&step->lease->token);
		words->known_as.fence = step->lease->tenure.fence;
	}
	FORM[step->operation](words, step);
	return &words->call;
}

void rl_step_note(struct rl_step *step, const struct rl_call *call)
{
	step->sent_at = call->sent_at;
	step->doubt = call->doubt;
}

static const struct rl_call *form_undo(struct rl_call *call)
{
	struct rl_take *take = (struct rl_take *)call; /* whose words begin with it */
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = take->lease };

	return rl_step_form(&take->undo, &step);
}

struct rl_call *rl_step_form_take(struct rl_take *take, const struct rl_step *step)
{
	take->lease = step->lease;
	rl_step_form(&take->words, step);
	take->words.call.undo = form_undo;
	return &take->words.call;
}
