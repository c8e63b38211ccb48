/*
 * One server: what it says of itself, and what this user may do there.
 */
#ifndef CLI_CHECKS_H
#define CLI_CHECKS_H

#include "../src/call/query.h"
#include "../src/lock/keys.h"

struct cli_checks {
	struct rl_route *route;
	struct rl_server *server; /* that is asked */
	struct rl_keys keys;      /* all eight, of a lock of our own */
	const char *question;     /* that is being asked */
	/* what was found out: */
	bool has_file;    /* an append-only file */
	bool forgets;     /* what scripts wrote to it, by its version, if the default user may not */
	bool is_sentinel; /* or of no use otherwise */
	bool polls;       /* BLPOP is denied: nobody is woken */
};

typedef enum rl_status cli_checks_read(void *checks, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error);

/*
 * Words between spaces; {L}, {F} and so on are the keys, by the letters of keys.h. Without `read`
 * the answer does not matter, unless it is a refusal. As rl_query_run().
 */
enum rl_status cli_checks_ask(struct cli_checks *checks, const char *question,
	cli_checks_read *read, struct rl_error *error);
/* Tells all of the server that has the keys. False: it cannot be asked, or has no locks. */
bool cli_checks_server(struct cli_checks *checks, struct rl_server *server);

#endif
