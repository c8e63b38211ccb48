/*
 * No step of a wait stands still, whatever the servers do. A wait is stepped by hand through one of
 * several lives; at each step of it something happens to the servers, and what follows is watched.
 * At each step, too, the wait is given up, or its owner ends it: then nobody has the lock, and
 * nothing is left.
 *
 * Where nothing can come any more, time is not waited for: the clock is moved on.
 */
#define _GNU_SOURCE
#include "hostile.h"
#include "owner_rig.h"
#include "prompt.h"
#include "stack.h"

#include "lock/acquire/pending.h"
#include "lock/acquire/wait.h"
#include "route/deployment.h"
#include "route/slot.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STEP_MAX  (5 * RL_MILLISECOND)  /* one that waits takes longer */
#define STEPS_MAX 1000                  /* more are a loop */
#define AWAY      (12 * RL_SECOND)      /* longer than a call, or any part of one, may take */
#define AT_ONCE   (20 * RL_MILLISECOND) /* what is not frozen answers within this, as a rule */
#define A_WHILE   (50 * RL_MILLISECOND) /* and within this for sure */

/* ---------------------------------------------------------------- what happens */

enum fault {
	NOTHING,
	FREEZE,  /* no server answers any more */
	CROWD,   /* and none accepts a connection */
	STUFF,   /* and the system takes nothing of what is sent */
	GO_AWAY, /* connections end, and nobody listens */
	SILENCE  /* connections end, and the name of the server cannot be looked up */
};

/* Of a wait, if nothing happens to the servers. */
struct life {
	const char *name;
	void (*prepare)(void);   /* makes the owners, and says what is asked for */
	void (*events[2])(void); /* in order, whenever the waiter is idle; then its time goes by */
	enum rl_status comes_to;
	bool has_its_place; /* whatever is to happen; of that only a part can then */
};

static struct {
	struct rl_owner *waiter, *holder;
	struct rl_acquire terms;
	void (*const *events)(void);
	struct rl_pending *pending;
	enum fault fault;
	int crowd[64]; /* connections that nobody accepts */
	size_t crowd_count;
	struct rl_detached name; /* has a share */
	bool is_slow;            /* somebody who is asked never answers */
	unsigned servers;        /* that the life is on, a bit of each */
	unsigned freezes;        /* of those */
	bool cannot_be_told;     /* what they hold ends by itself */
} scene;

/* The rig's; one at a port, which has a name; one that accepts few; and with these a majority. */
enum server {
	MAIN,
	NAMED,
	CROWDED,
	OTHER,
	SERVERS
};
static struct throwaway servers[SERVERS];
#define BIT(server) (1u << (server))
static struct hostile silent, speaking; /* whom a topology asks */

/* What somebody steps was seen to wait for. */
enum sight {
	ASKING, /* for the first time, or without a place */
	ON_ITS_WAY,
	PARKED,
	BESIDE,
	BACKING_OFF,
	LEAVING,
	UNBLOCKED,
	LAST,
	SIGHTS
};
static unsigned seen; /* a bit of each */

/* ---------------------------------------------------------------- watching */

struct watch {
	struct prompt_moment began;
	rl_time spent;
	long sleeps;
};

static rl_time spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * RL_SECOND + time.tv_nsec;
}

static rl_time step_max = STEP_MAX;

/* How often this thread has left its CPU by itself. */
static long sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

static struct watch watch(void)
{
	return (struct watch){ .began = prompt_now(), .spent = spent(), .sleeps = sleeps() };
}

/*
 * Beside working, it has neither slept nor waited for anything but a CPU. Time that it could not
 * use, since others had the CPU, is no wait.
 */
static void expect_no_wait(struct watch watch, const char *what)
{
	bool slept = sleeps() > watch.sleeps;
	rl_time took = clock_real() - watch.began.at - (spent() - watch.spent);

	if (slept && took >= step_max && took - prompt_since(watch.began).excused >= step_max) {
		fail_msg("%s stood still for %lld us", what, (long long)(took / RL_MICROSECOND));
	}
}

/* ---------------------------------------------------------------- a wait, stepped by hand */

static const struct rl_stack *stack(void)
{
	return scene.pending->stack;
}

static bool is_over(void)
{
	return stack()->is_over;
}

/* NULL: it asks for the first time, or is over. */
static const struct rl_wait *waiting(void)
{
	return is_over() ? NULL : scene.waiter->waits;
}

static bool is_parked(const struct rl_wait *wait)
{
	const struct rl_place *place = &wait->place;

	return place->is_parked && !rl_place_is_on_its_way(place) && !place->leave_by;
}

/* What it waits for is not the answer to anything. */
static bool is_idle(void)
{
	const struct rl_wait *wait = waiting();
	const struct rl_polls *polls = stack()->polls;

	if (!wait || !polls || wait->attempt->has_request || wait->is_last) {
		return false;
	}
	return is_parked(wait)
		? polls->count == 1 && polls->fds[0].fd == wait->place.blpop.connection->transport->fd
		: polls->count == 0 && !wait->place.is_parked;
}

static enum sight sight(void)
{
	const struct rl_wait *wait = waiting();
	const struct rl_place *place = wait ? &wait->place : NULL;

	if (!wait) {
		return ASKING;
	}
	if (place->is_parked && place->leave_by) {
		return place->is_ending ? UNBLOCKED : LEAVING;
	}
	if (is_idle()) {
		return is_parked(wait) ? PARKED : BACKING_OFF;
	}
	if (rl_place_is_on_its_way(place)) {
		return ON_ITS_WAY;
	}
	return wait->is_last ? LAST : place->is_parked ? BESIDE
												   : ASKING;
}

static void note_sight(void)
{
	const struct rl_polls *polls = stack()->polls;

	if (is_over()) {
		return;
	}
	if (polls) {
		assert_true(polls->count > 0 || polls->until < RL_FOREVER);
		assert_true(!waiting() || !is_parked(waiting()) || waiting()->attempt->has_request
			|| polls->count > 0);
	}
	seen |= 1u << sight();
}

static void begin(void)
{
	struct watch watched = watch();

	scene.terms.key = NAME("job");
	scene.terms.lease_ms = LEASE;
	scene.terms.policy = RL_POLICY_WAIT;
	assert_status(
		rl_pending_begin(scene.waiter, &scene.terms, make_stack(), &scene.pending, &said), RL_OK);
	expect_no_wait(watched, "the first step");
	note_sight();
}

static void step(void)
{
	struct watch watched = watch();

	rl_stack_resume(scene.pending->stack);
	expect_no_wait(watched, "a step");
	note_sight();
}

static void move_clock_to(rl_time moment)
{
	rl_time now = rl_now();

	if (moment > now) {
		clock_advance(moment - now);
	}
}

/* Until what is on its way has come; or something happens, as the life says. */
static void let_come(void)
{
	struct rl_polls polls = *stack()->polls;

	if (!is_idle() && scene.is_slow) {
		if (rl_poll(polls.fds, polls.count, rl_now() + A_WHILE) != RL_POLL_READY) {
			move_clock_to(polls.until);
		}
	} else if (!is_idle()) {
		assert_int_equal(rl_polls_wait(&polls), RL_WANTED);
	} else if (*scene.events) {
		(*scene.events++)();
		rl_poll(polls.fds, polls.count, rl_now() + AT_ONCE);
	} else if (rl_poll(polls.fds, polls.count, 0) != RL_POLL_READY) {
		move_clock_to(polls.until);
	}
}

/* After the fault. */
static void let_time_pass(unsigned steps)
{
	struct rl_polls polls = *stack()->polls;
	rl_time now = rl_now();
	rl_time answered_by = scene.fault == NOTHING ? rl_time_earlier(polls.until, now + AT_ONCE) : 0;

	if (scene.fault == STUFF || steps % 16 == 15
		|| rl_poll(polls.fds, polls.count, answered_by) != RL_POLL_READY) {
		assert_true(polls.until < RL_FOREVER);
		move_clock_to(rl_time_later(polls.until, now + AT_ONCE)); /* it may be looked at late */
	}
}

/* ---------------------------------------------------------------- faults */

/* Who has just thawed may have as many to accept as there is room for; then the system refuses. */
static redisContext *connect_to(enum server server)
{
	redisContext *redis = redisConnectUnix(servers[server].socket);

	for (int tries = 0; redis && redis->err && tries < 10000; tries++) {
		redisFree(redis);
		pause_a_moment();
		redis = redisConnectUnix(servers[server].socket);
	}
	assert_non_null(redis);
	assert_string_equal(redis->errstr, "");
	return redis;
}

/* The first letter of its answer, or 0. */
static char tell(enum server server, const char *text)
{
	redisContext *redis = connect_to(server);
	redisReply *reply;
	char first;

	reply = command(redis, text);
	assert_int_not_equal(reply->type, REDIS_REPLY_ERROR);
	first = reply->type == REDIS_REPLY_STRING && reply->len > 0 ? reply->str[0] : '\0';
	freeReplyObject(reply);
	redisFree(redis);
	return first;
}

/* By a token, or shared: what else there is keeps the lock for the next waiter, for a second. */
static bool is_held(enum server server)
{
	char first = tell(server, "GET lock@job");

	return first == 'r' || first == '+';
}

static void freeze_all(void)
{
	for (size_t i = 0; i < SERVERS; i++) {
		if (scene.freezes & BIT(i)) {
			throwaway_freeze(&servers[i]);
		}
	}
}

/* Until the system says that nobody accepts. */
static void crowd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	bool is_full = false;

	snprintf(address.sun_path, sizeof address.sun_path, "%s", servers[CROWDED].socket);
	while (!is_full && scene.crowd_count < COUNT(scene.crowd)) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

		assert_true(fd >= 0);
		is_full = connect(fd, (struct sockaddr *)&address, sizeof address) < 0;
		scene.crowd[scene.crowd_count++] = fd;
	}
	assert_true(is_full);
}

static void strike(enum fault fault)
{
	scene.fault = fault;
	switch (fault) {
		case NOTHING:
			break;
		case FREEZE:
			freeze_all();
			break;
		case CROWD:
			freeze_all();
			crowd();
			break;
		case STUFF:
			freeze_all();
			faults_fill_sockets(true);
			/* what is not sent within the timeout is never sent */
			scene.cannot_be_told = scene.servers != scene.freezes;
			break;
		case GO_AWAY:
			proxy_stop(&proxy);
			break;
		case SILENCE:
			faults_silence_names(true);
			tell(NAMED, "CLIENT KILL TYPE normal SKIPME yes");
			break;
	}
}

static void heal(void)
{
	for (; scene.crowd_count > 0; scene.crowd_count--) {
		close(scene.crowd[scene.crowd_count - 1]);
	}
	faults_silence_names(false);
	faults_fill_sockets(false);
	for (size_t i = 0; i < SERVERS; i++) {
		if (servers[i].pid) {
			kill(servers[i].pid, SIGCONT);
		}
	}
	if (scene.fault == GO_AWAY) {
		assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	}
	scene.fault = NOTHING;
	proxy_let_go(&proxy);
}

/* ---------------------------------------------------------------- ends */

/* How it ends before it is over. */
enum ending {
	DROPPED,           /* at once */
	UNWANTED,          /* somebody steps it until it is over */
	UNWANTED_FOR_LONG, /* nobody does, and then it is dropped */
	ENDINGS
};

static void drop(void)
{
	struct watch watched = watch();

	scene.pending->stack->wanted = RL_DROPPED;
	if (!is_over()) {
		rl_stack_resume(scene.pending->stack);
	}
	assert_true(is_over());
	expect_no_wait(watched, "dropping");
}

static void live_on(unsigned steps);

static void give_up(enum ending ending)
{
	struct watch watched = watch();

	if (ending != DROPPED) {
		rl_pending_cancel(scene.pending);
		expect_no_wait(watched, "giving up");
	}
	if (ending == UNWANTED) {
		live_on(STEPS_MAX);
		assert_true(is_over());
	}
	if (!is_over()) {
		drop();
	}
	rl_pending_end(scene.pending);
	rl_owner_tidy();
}

/* What it has come to. What was granted is given back. */
static enum rl_status finish(void)
{
	enum rl_status status;

	assert_true(rl_pending_go_on(scene.pending, &status, &said));
	rl_pending_end(scene.pending);
	return status;
}

/* Those who had it, or have asked for it, end: then nobody has it. */
static void expect_free(void)
{
	struct rl_owner *owners[] = { scene.holder, scene.waiter };
	struct rl_release_summary summary;

	if (scene.name.name.data) {
		rl_owner_detached_release(scene.holder, &scene.name, 0, &said);
		rl_owner_detached_forget(&scene.name);
	}
	rl_owner_end_all(owners, scene.waiter ? 2 : 1, rl_now(), &summary);
	for (size_t i = 0; i < SERVERS; i++) {
		if (scene.servers & BIT(i)) {
			AWAIT(scene.cannot_be_told || !is_held((enum server)i));
			tell((enum server)i, "FLUSHALL");
		}
	}
	end_owner(scene.holder);
	if (scene.waiter) {
		end_owner(scene.waiter);
	}
	hostile_stop(&silent);
	hostile_stop(&speaking);
}

/* ---------------------------------------------------------------- lives */

static void live_on_one(void)
{
	static char named[64];
	const char *address = rig.server.address;
	enum server server = MAIN;

	if (scene.fault == GO_AWAY) {
		address = proxy.address;
	} else if (scene.fault == CROWD) {
		server = CROWDED;
		address = servers[CROWDED].address;
	} else if (scene.fault == SILENCE) {
		server = NAMED;
		address = named;
		snprintf(named, sizeof named, "redis://locks.test:%d", servers[NAMED].port);
	}
	scene.servers = scene.freezes = BIT(server);
	scene.waiter = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	scene.holder = new_owner_at(
		servers[server].address, (struct rl_wait_hook){ .run = NULL });
}

static void is_taken_by_the_holder(void)
{
	live_on_one();
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void share_with_the_holder(bool is_shared, int64_t limit)
{
	live_on_one();
	scene.terms.is_shared = is_shared;
	scene.terms.limit = limit;
	assert_status(own_with(scene.holder, "job",
					  &(struct rl_acquire){ .is_shared = true, .limit = 1, .lease_ms = LEASE }),
		RL_OK);
}

static void is_shared_by_the_holder(void)
{
	share_with_the_holder(false, 0);
}

static void has_no_share_left(void)
{
	share_with_the_holder(true, 1);
}

static void is_asked_for_a_share(void)
{
	is_taken_by_the_holder();
	scene.terms.is_shared = true;
}

static void name_has_a_share(void)
{
	struct rl_acquire share = { .is_shared = true, .lease_ms = LEASE };

	live_on_one();
	scene.name = (struct rl_detached){ .key = NAME("job"), .name = NAME("me") };
	share.detached = &scene.name;
	assert_status(own_with(scene.holder, "job", &share), RL_OK);
	scene.terms.detached = &scene.name;
}

static void shares_with_the_holder(void)
{
	name_has_a_share();
	assert_status(own_with(scene.holder, "job",
					  &(struct rl_acquire){ .is_shared = true, .lease_ms = LEASE }),
		RL_OK);
}

static void is_asked_for_by_name(void)
{
	is_taken_by_the_holder();
	scene.name = (struct rl_detached){ .key = NAME("job"), .name = NAME("me") };
	scene.terms.detached = &scene.name;
}

static void release(void)
{
	assert_status(disown(scene.holder, "job"), RL_OK);
}

/* So that nobody is woken. */
static void vanish(void)
{
	for (size_t i = 0; i < SERVERS; i++) {
		if (scene.servers & BIT(i)) {
			tell((enum server)i, "DEL lock@job");
		}
	}
}

/* What is passed to the waiter is of no use to it any more. */
static void be_taken_meanwhile(void)
{
	release();
	vanish();
	RL_LIST_REMOVE(scene.pending, link); /* as if a hook or a fiber had asked */
	assert_status(own(scene.waiter, "job", LEASE), RL_OK);
	RL_LIST_ADD(&scene.waiter->pendings, scene.pending, link);
}

static void cut_answers(unsigned skip, bool fails)
{
	live_on_one();
	end_owner(scene.waiter);
	scene.waiter = new_proxied();
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.skip = skip,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = fails });
}

/* Once the lock is released, the ask for it may have been done. */
static void will_be_in_doubt(void)
{
	cut_answers(1, false);
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

/* An ask of an earlier call may have been done, and nobody has the lock. */
static void is_to_be_undone(void)
{
	cut_answers(0, true);
	assert_status(own(scene.waiter, "job", LEASE), RL_UNREACHABLE);
}

/* It may not end its BLPOP by another command, and hangs up. */
static void may_not_unblock(void)
{
	char address[160];

	is_taken_by_the_holder();
	end_owner(scene.waiter);
	redisFree(rig_connect_as("shy", "+@all -client|unblock"));
	snprintf(address, sizeof address, "%s?user=shy&password=x", rig.server.address);
	scene.waiter = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
}

/* --- on several servers */

static void live_on_a_majority(unsigned freezes)
{
	const char *const addresses[] = {
		servers[NAMED].address, servers[CROWDED].address, servers[OTHER].address
	};
	const struct rl_wait_hook none = { .run = NULL };

	scene.servers = BIT(NAMED) | BIT(CROWDED) | BIT(OTHER);
	scene.freezes = freezes;
	scene.terms.wait = 300 * RL_MILLISECOND;
	scene.waiter = new_majority(addresses, COUNT(addresses), none, NULL);
	scene.holder = new_majority(addresses, COUNT(addresses), none, NULL);
}

static void one_of_three(void)
{
	live_on_a_majority(BIT(CROWDED));
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void two_of_three(void)
{
	live_on_a_majority(BIT(CROWDED) | BIT(OTHER));
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void two_of_three_and_free(void)
{
	live_on_a_majority(BIT(CROWDED) | BIT(OTHER));
}

static void live_at(const char *address, enum server server)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = 5 * RL_SECOND, .timeout = 5 * RL_SECOND
	};
	struct rl_text text = NAME(address);
	struct rl_deployment *deployment;

	assert_status(rl_deployment_read(&text, 1, &defaults, &deployment, &said), RL_OK);
	scene.servers = scene.freezes = BIT(server);
	scene.waiter = rl_owner_new(rl_deployment_route(deployment, NULL), NAME("lock@"),
		(struct rl_wait_hook){ .run = NULL }, NULL);
	assert_non_null(scene.waiter);
	scene.holder = new_owner_at(
		servers[server].address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static unsigned maps_told;

static void say_nothing(struct peer *peer, const void *context)
{
	peer_await_end(peer);
}

static void name_the_master(struct peer *peer, const void *context)
{
	char answer[64];

	snprintf(answer, sizeof answer, "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n%05d\r\n",
		servers[NAMED].port);
	while (peer_read_command(peer)) {
		if (!peer_say(peer, strcmp(peer->command, "SENTINEL") == 0 ? answer : "+OK\r\n")) {
			return;
		}
	}
}

/* Of two sentinels one is silent. */
static void sentinels_are_asked(void)
{
	char address[320];

	assert_true(hostile_start_at_port(&silent, say_nothing, NULL));
	assert_true(hostile_start_at_port(&speaking, name_the_master, NULL));
	snprintf(address, sizeof address, "sentinel://%s,%s/m", silent.address, speaking.address);
	live_at(address, NAMED);
	scene.is_slow = true;
}

/* A node that says at first that it has all slots, and then who has them. */
static void send_on(struct peer *peer, const void *context)
{
	const int there = servers[NAMED].port;
	char answer[96];

	while (peer_read_command(peer)) {
		strcpy(answer, "+OK\r\n");
		if (strcmp(peer->command, "CLUSTER") == 0) {
			snprintf(answer, sizeof answer,
				"*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:%d\r\n$2\r\nid\r\n",
				maps_told++ == 0 ? peer->server->port : there);
		} else if (strncmp(peer->command, "EVAL", 4) == 0) {
			snprintf(answer, sizeof answer, "-MOVED %u 127.0.0.1:%d\r\n",
				(unsigned)rl_slot(NAME("lock@job")), there);
		}
		if (!peer_say(peer, answer)) {
			return;
		}
	}
}

static void a_slot_has_moved(void)
{
	char address[320];

	maps_told = 0;
	assert_true(hostile_start_at_port(&speaking, send_on, NULL));
	snprintf(address, sizeof address, "cluster://%s", speaking.address);
	live_at(address, NAMED);
}

static const struct life lives[] = {
	{ "served", is_taken_by_the_holder, { release }, RL_OK, false },
	{ "in vain", is_taken_by_the_holder, { NULL }, RL_NO, false },
	{ "first", is_shared_by_the_holder, { NULL }, RL_NO, false },
	{ "first and served", is_shared_by_the_holder, { release }, RL_OK, false },
	{ "a share", is_asked_for_a_share, { release }, RL_OK, false },
	{ "a share at the turnstile", has_no_share_left, { release }, RL_OK, false },
	{ "an upgrade", name_has_a_share, { NULL }, RL_OK, false },
	{ "an upgrade that is refused", shares_with_the_holder, { NULL }, RL_NO, false },
	{ "a name", is_asked_for_by_name, { release }, RL_OK, false },
	{ "served beside its place", is_taken_by_the_holder, { vanish }, RL_OK, false },
	{ "of no use", is_taken_by_the_holder, { be_taken_meanwhile }, RL_OK, false },
	{ "in doubt", will_be_in_doubt, { release }, RL_OK, true },
	{ "to be undone", is_to_be_undone, { NULL }, RL_OK, true },
	{ "hanging up", may_not_unblock, { NULL }, RL_NO, true },
	{ "one of three", one_of_three, { release }, RL_OK, true },
	{ "two of three", two_of_three, { release }, RL_OK, true },
	{ "two of three, and free", two_of_three_and_free, { NULL }, RL_OK, true },
	{ "Sentinel", sentinels_are_asked, { release }, RL_OK, true },
	{ "a cluster", a_slot_has_moved, { release }, RL_OK, true },
};

/* ---------------------------------------------------------------- trials */

static rl_time longest_wait;

static void set_scene(const struct life *life, enum fault fault)
{
	memset(&scene, 0, sizeof scene);
	scene.fault = fault;
	scene.terms.wait = 9 * RL_SECOND;
	scene.events = life->events;
	life->prepare();
	scene.fault = NOTHING;
	scene.terms.wait = rl_time_later(scene.terms.wait, longest_wait);
	begin();
}

/* False: it was over before it came to this step. */
static bool live(const struct life *life, enum fault fault, unsigned at)
{
	set_scene(life, fault);
	for (unsigned i = 0; i < at && !is_over(); i++) {
		let_come();
		step();
	}
	if (!is_over()) {
		strike(fault);
		return true;
	}
	return false;
}

static void live_on(unsigned steps)
{
	for (unsigned i = 0; i < steps && !is_over(); i++) {
		let_time_pass(i);
		step();
	}
}

static void end_scene(void)
{
	heal();
	expect_free();
	clock_reset();
}

static void go_through(const struct life *life, enum fault fault)
{
	bool struck = true;
	enum rl_status status;

	for (unsigned at = 0; struck; at++) {
		struck = live(life, fault, at);
		live_on(STEPS_MAX);
		if (!is_over()) {
			fail_msg("what happened at step %u is not over", at);
		}
		status = finish();
		if (!struck) {
			assert_int_equal(status, life->comes_to);
		}
		end_scene();
	}
}

static void give_up_in(
	const struct life *life, enum fault fault, unsigned steps, enum ending ending)
{
	bool struck = true;

	for (unsigned at = 0; struck; at++) {
		struck = live(life, fault, at);
		live_on(steps);
		give_up(ending);
		end_scene();
	}
}

static void go_through_all(enum fault fault)
{
	for (size_t i = 0; i < COUNT(lives); i++) {
		if (!lives[i].has_its_place || fault == FREEZE || fault == STUFF) {
			print_message("# %s\n", lives[i].name);
			go_through(&lives[i], fault);
		}
	}
}

/* What was sent before has been answered, however busy the machine is. */
static void let_all_answer(void)
{
	for (int i = MAIN; i < SERVERS; i++) {
		tell((enum server)i, "PING");
		tell((enum server)i, "PING"); /* before it, all that the first came with was written */
	}
}

/*
 * Whoever steps it stands still for longer than any deadline, at one step or at each. What has come
 * meanwhile is there, so it comes to the same.
 */
static void live_late(const struct life *life, unsigned at, bool always)
{
	set_scene(life, NOTHING);
	for (unsigned i = 0; i < STEPS_MAX && !is_over(); i++) {
		let_all_answer();
		let_come();
		if (i > 0 && (always || i == at)) { /* the first is taken where it begins */
			let_all_answer();
			clock_advance(AWAY);
		}
		step();
	}
	if (!is_over() || finish() != life->comes_to) {
		fail_msg("stood still at step %u%s: %s", at, always ? " and each other" : "", said.message);
	}
	end_scene();
}

static void it_is_looked_at_late(void **state)
{
	longest_wait = 40 * AWAY;
	for (size_t i = 0; i < COUNT(lives); i++) {
		print_message("# %s\n", lives[i].name);
		for (unsigned at = 1; at < 12; at++) {
			live_late(&lives[i], at, false);
		}
		live_late(&lives[i], 0, true);
	}
	longest_wait = 0;
}

static void servers_freeze(void **state)
{
	go_through_all(FREEZE);
}

static void servers_freeze_and_accept_nobody(void **state)
{
	go_through_all(CROWD);
}

static void servers_freeze_and_take_nothing(void **state)
{
	go_through_all(STUFF);
}

static void servers_go_away(void **state)
{
	go_through_all(GO_AWAY);
}

static void names_cannot_be_looked_up(void **state)
{
	static const char *const addresses[] = { "127.0.0.1", NULL };

	/*
	 * To begin a look-up is to start a thread, which may wait for a CPU, and be over before one can
	 * see for how long. A step that waited for the name would do so for as long as a call may.
	 */
	step_max = A_MOMENT;
	faults_resolve(addresses);
	go_through_all(SILENCE);
	faults_resolve(NULL);
	step_max = STEP_MAX;
}

static void it_is_given_up(void **state)
{
	for (size_t i = 0; i < COUNT(lives); i++) {
		print_message("# %s\n", lives[i].name);
		for (int ending = DROPPED; ending < ENDINGS; ending++) {
			give_up_in(&lives[i], NOTHING, 0, (enum ending)ending);
		}
	}
}

static void it_is_given_up_when_servers_are_frozen(void **state)
{
	for (size_t i = 0; i < COUNT(lives); i++) {
		for (unsigned steps = 0; steps < 8; steps += 4) {
			for (int ending = DROPPED; ending < ENDINGS; ending++) {
				give_up_in(&lives[i], FREEZE, steps, (enum ending)ending);
			}
		}
	}
}

/* An owner that is freed ends its waits, and nobody is left who could give anything back. */
static void its_owner_ends_it(void **state)
{
	for (size_t i = 0; i < COUNT(lives); i++) {
		bool struck = true;

		print_message("# %s\n", lives[i].name);
		for (unsigned at = 0; struck; at++) {
			struck = live(&lives[i], NOTHING, at);
			rl_owner_end_all(&scene.waiter, 1, rl_now(), &(struct rl_release_summary){ 0 });
			end_owner(scene.waiter);
			scene.waiter = NULL;
			assert_true(is_over());
			rl_pending_end(scene.pending);
			end_scene();
		}
	}
}

/* In each state something has happened. */
static void each_state_was_seen(void **state)
{
	skip_without_stacks();
	assert_int_equal(seen, BIT(SIGHTS) - 1);
}

/* ---------------------------------------------------------------- the group */

static int start(void **state)
{
	static const char *const crowded[] = { "--tcp-backlog", "1", NULL };

	rig_start(state);
	servers[MAIN] = rig.server;
	return throwaway_start(&servers[NAMED], true, NULL)
			&& throwaway_start(&servers[CROWDED], false, crowded)
			&& throwaway_start(&servers[OTHER], false, NULL)
		? 0
		: -1;
}

static int end(void **state)
{
	for (int i = MAIN + 1; i < SERVERS; i++) {
		throwaway_stop(&servers[i]);
	}
	return rig_stop(state);
}

static int reset(void **state)
{
	for (int i = MAIN; i < SERVERS; i++) {
		tell((enum server)i, "FLUSHALL");
	}
	return owners_reset(state);
}

static int clean(void **state)
{
	heal(); /* after a test that failed */
	longest_wait = 0;
	return owners_clean(state);
}

int test_wait_steps(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, reset, clean)
	const struct CMUnitTest tests[] = {
		test(it_is_looked_at_late),
		test(servers_freeze),
		test(servers_freeze_and_accept_nobody),
		test(servers_freeze_and_take_nothing),
		test(servers_go_away),
		test(names_cannot_be_looked_up),
		test(it_is_given_up),
		test(it_is_given_up_when_servers_are_frozen),
		test(its_owner_ends_it),
		test(each_state_was_seen),
	};

	return cmocka_run_group_tests_name("wait_steps", tests, start, end);
}
