/*
 * What src/redis steps and never waits for, waited for: for tests of one connection, which need no
 * exchange.
 */
#ifndef STEPS_H
#define STEPS_H

#include "redis/server.h"
#include "route/route.h"

/* Opens a connection, as rl_handshake_begin() says. */
enum rl_status connect_within(const struct rl_address *address, bool version_ok,
	rl_time connect_timeout, rl_time deadline, struct rl_connection **connection,
	struct rl_error *error);
/* Sends all that was appended. */
enum rl_status flush_within(
	struct rl_connection *connection, rl_time deadline, struct rl_error *error);
/* The next answer, valid until the next read. */
enum rl_status read_within(struct rl_connection *connection, rl_time deadline,
	const struct rl_reply **reply, struct rl_error *error);
/* Sends one command, and reads its answer. */
enum rl_status exchange_within(struct rl_connection *connection, const struct rl_text *words,
	size_t count, rl_time deadline, const struct rl_reply **reply, struct rl_error *error);
/* Reads deferred answers until none is out. */
void read_deferred_within(struct rl_connection *connection, rl_time deadline);
/* Until the loan's deadline. */
enum rl_status borrow_within(
	struct rl_server *server, struct rl_loan *loan, struct rl_error *error);

/* A connection for this key, to be given back to its server. */
struct rl_connection *lend_for(
	struct rl_route *route, const char *key, struct rl_server **server);

#endif
