/*
 * Who waits for which lock, and who holds that: what `ls --waiting`, `who` and `graph` tell.
 *
 *   cli_waits_of()         for one lock; or cli_waits_find(), for all that match
 *   cli_waits_clear()      in any case
 */
#ifndef CLI_WAITS_H
#define CLI_WAITS_H

#include "../src/lock/owner/owner.h"
#include "holder.h"

struct cli_holding {
	char process[RL_PROCESS_NAME_SIZE]; /* "": not known */
	char who[CLI_HOLDER_WHO_SIZE];
	int64_t fence, since_ms; /* 0: not known */
	/* only this process ends it; otherwise anybody who knows its name, or the clock */
	bool is_its_own;
	bool is_shared;
};

struct cli_waited_for {
	struct cli_waited_for *next;
	struct cli_holding *holdings;
	size_t count, room;
	bool is_out_of_memory;
	struct rl_text name, shown; /* binary, but terminated, too */
	char text[];                /* what these are */
};

struct cli_wait {
	struct rl_waiter waiter; /* without its process */
	char process[RL_PROCESS_NAME_SIZE];
	struct cli_waited_for *lock;                     /* of cli_waits_find() */
	bool goes_on, is_on_path, was_seen, is_in_cycle; /* the graph's */
};

struct cli_waits {
	struct cli_wait *waits; /* in the order of keys, and of one lock the first one first */
	size_t count, room;
	struct cli_waited_for *locks;
	struct rl_owner *owner;
	bool is_out_of_memory, has_holders;
};

enum rl_status cli_waits_of(struct cli_waits *waits, struct rl_owner *owner, struct rl_text key,
	struct rl_error *error);
/* With who holds them, if `holders`. Looks at no lock if nobody waits. */
enum rl_status cli_waits_find(struct cli_waits *waits, struct rl_owner *owner,
	struct rl_text pattern, bool holders, struct rl_error *error);
void cli_waits_clear(struct cli_waits *waits);

/*
 * Whether who waits has the name of who holds: several things that one process does, or two
 * containers of one host name, in each of which it is process 1. Neither waits for itself.
 */
bool cli_wait_is_for_namesake(const struct cli_wait *wait, const struct cli_holding *holding);

/* As it may be shown. */
static inline struct rl_text cli_wait_key(const struct cli_wait *wait)
{
	return wait->lock->shown;
}

/* Of cli_waits_find(): lines; or the items of an array, which the caller opens and ends. */
void cli_waits_print(const struct cli_waits *waits, bool json);
/* "waiter", "since" and "shared" of an object. */
void cli_wait_put_json(struct cli_json *object, const struct cli_wait *wait);
/* "web1:2342 waits for "order:17" since 14:03:12", without an end of the line. */
void cli_wait_print(struct rl_text key, const struct cli_wait *wait);
/* The process or, if that is not known, what it is. */
const char *cli_holding_name(const struct cli_holding *holding);

#endif
