#include "testing.h"
#include "clock.h"
#include "faults.h"
#include "hostile.h"
#include "prompt.h"
#include "steps.h"
#include "throwaway.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "redis/address_syntax.h"
#include "redis/handshake.h"
#include "redis/refusal.h"
#include "redis/server.h"

#define SHORT (50 * RL_MILLISECOND)

static const struct rl_address_defaults defaults = {
	.connect_timeout = 5 * RL_SECOND, .timeout = 5 * RL_SECOND
};

static struct hostile hostile;

static void assert_said(const struct rl_error *error, const char *words)
{
	if (!strstr(error->message, words)) {
		fail_msg("\"%s\" is not in: %s", words, error->message);
	}
}

static struct rl_address *address_of(const char *format, const char *base)
{
	struct rl_address *address = NULL;
	struct rl_error error;
	char text[256];

	snprintf(text, sizeof text, "%s%s", base, format);
	if (rl_address_parse(rl_text_of(text), &defaults, &address, &error) != RL_OK) {
		fail_msg("%s", error.message);
	}
	return address;
}

static struct rl_connection *opened(const struct rl_address *address)
{
	struct rl_connection *connection = NULL;
	struct rl_error error;

	if (connect_within(
			address, true, address->connect_timeout, rl_now() + 5 * RL_SECOND, &connection, &error)
		!= RL_OK) {
		fail_msg("%s", error.message);
	}
	return connection;
}

static void send_words(
	struct rl_connection *connection, const char *first, const char *second, const char *third)
{
	const char *const given[] = { first, second, third };
	struct rl_text words[3];
	struct rl_error error;
	size_t count = 0;

	while (count < 3 && given[count]) {
		words[count] = (struct rl_text){ given[count], strlen(given[count]) };
		count++;
	}
	assert_int_equal(rl_connection_append(connection, count, words, &error), RL_OK);
	assert_int_equal(flush_within(connection, rl_now() + 5 * RL_SECOND, &error), RL_OK);
}

static const struct rl_reply *answer(struct rl_connection *connection)
{
	const struct rl_reply *reply = NULL;
	struct rl_error error;

	if (read_within(connection, rl_now() + 5 * RL_SECOND, &reply, &error) != RL_OK) {
		fail_msg("%s", error.message);
	}
	return reply;
}

static const struct rl_reply *ask(
	struct rl_connection *connection, const char *first, const char *second, const char *third)
{
	send_words(connection, first, second, third);
	return answer(connection);
}

static void check_reply(const struct rl_reply *reply, enum rl_reply_type type, const char *text)
{
	assert_int_equal(reply->type, type);
	assert_int_equal(reply->length, strlen(text));
	assert_string_equal(reply->text, text);
}

/* --- a real server --- */

static struct throwaway server;

static int start_server(void **state)
{
	const char *const arguments[] = { "--user", "me", "on", ">p@ss:w/rd", "~*", "&*", "+@all",
		NULL };

	return throwaway_start(&server, true, arguments) ? 0 : -1;
}

static int stop_server(void **state)
{
	throwaway_stop(&server);
	return 0;
}

/* rlock:HOST:PID */
static const char *own_name(void)
{
	static char name[128];
	char host[64];

	assert_int_equal(gethostname(host, sizeof host), 0);
	snprintf(name, sizeof name, "rlock:%s:%ld", host, (long)getpid());
	return name;
}

static void opens_on_socket_and_port(void **state)
{
	char tcp[64];

	snprintf(tcp, sizeof tcp, "redis://127.0.0.1:%d", server.port);
	for (int form = 0; form < 2; form++) {
		struct rl_address *address = address_of("", form ? tcp : server.address);
		struct rl_connection *connection = opened(address);

		check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
		check_reply(ask(connection, "CLIENT", "GETNAME", NULL), RL_REPLY_STRING, own_name());
		assert_true(rl_connection_is_usable(connection));
		/* C4: a child program does not keep our place in a queue. */
		assert_true(fcntl(connection->transport->fd, F_GETFD) & FD_CLOEXEC);
		assert_true(connection->patient);
		rl_connection_close(connection);
		rl_address_free(address);
	}
}

static void logs_in_and_selects(void **state)
{
	struct rl_address *address = address_of("?db=9&user=me&password=p@ss:w/rd", server.address);
	struct rl_connection *connection = opened(address);

	check_reply(ask(connection, "ACL", "WHOAMI", NULL), RL_REPLY_STRING, "me");
	check_reply(ask(connection, "CLIENT", "GETNAME", NULL), RL_REPLY_STRING, own_name());
	assert_int_equal(ask(connection, "DBSIZE", NULL, NULL)->integer, 0);
	check_reply(ask(connection, "SET", "here", "x"), RL_REPLY_STATUS, "OK");
	check_reply(ask(connection, "SELECT", "0", NULL), RL_REPLY_STATUS, "OK");
	assert_int_equal(ask(connection, "EXISTS", "here", NULL)->integer, 0);
	check_reply(ask(connection, "SELECT", "9", NULL), RL_REPLY_STATUS, "OK");
	assert_int_equal(ask(connection, "DEL", "here", NULL)->integer, 1);
	rl_connection_close(connection);
	rl_address_free(address);
}

/* A1 */
/*
 * It may have been read any time after the question was sent; the earlier, the later is what counts
 * by it.
 */
static void the_servers_clock_is_never_thought_too_early(void **state)
{
	struct rl_address *address = address_of("", server.address);
	const struct rl_reply *reply;
	struct rl_connection *connection;
	struct rl_handshake handshake;
	struct rl_error error;
	struct rl_polls unheard;
	int64_t clock_us;
	enum rl_status status;

	rl_polls_begin(&unheard);
	status = rl_handshake_begin(&handshake, address, false, address->connect_timeout,
		rl_now() + 5 * RL_SECOND, &unheard, &error);
	while (status == RL_NO && !handshake.greeted) {
		status = rl_handshake_go_on(&handshake, &unheard, &error);
	}
	for (rl_time until = clock_real() + SHORT; clock_real() < until;) {
		pause_a_moment(); /* the answer is there by now */
	}
	for (int tries = 0; status == RL_NO; tries++) {
		assert_true(tries < 10000);
		pause_a_moment();
		rl_polls_begin(&unheard);
		status = rl_handshake_go_on(&handshake, &unheard, &error);
	}
	assert_int_equal(status, RL_OK);
	connection = rl_handshake_take(&handshake);
	rl_handshake_end(&handshake);
	reply = ask(connection, "TIME", NULL, NULL);
	clock_us = strtoll(reply->elements[0].text, NULL, 10) * 1000000
		+ strtoll(reply->elements[1].text, NULL, 10);
	assert_true(connection->facts.clock_ahead >= clock_us * RL_MICROSECOND - rl_now());
	rl_connection_close(connection);
	rl_address_free(address);
}

static void login_refused_is_told_without_the_password(void **state)
{
	struct rl_address *address = address_of("?user=me&password=hunter2", server.address);
	struct rl_connection *connection;
	struct rl_error error;

	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_REFUSED);
	assert_string_equal(error.code, "WRONGPASS");
	assert_non_null(strstr(error.message, server.socket));
	assert_null(strstr(error.message, "hunter2"));
	rl_address_free(address);
}

static void database_refused_is_told(void **state)
{
	struct rl_address *address = address_of("?db=1000", server.address);
	struct rl_connection *connection;
	struct rl_error error;

	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_REFUSED);
	assert_string_equal(error.code, "ERR");
	assert_non_null(strstr(error.message, server.socket));
	rl_address_free(address);
}

static void password_missing_is_told(void **state)
{
	const char *const arguments[] = { "--requirepass", "x", NULL };
	struct throwaway closed;
	struct rl_address *address;
	struct rl_connection *connection;
	struct rl_error error;

	assert_true(throwaway_start(&closed, false, arguments));
	address = address_of("", closed.address);
	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_REFUSED);
	assert_string_equal(error.code, "NOAUTH");
	assert_said(
		&error, "Its password goes into the address, percent-encoded: redis://:password@host");
	assert_said(&error, "rlock.servers");
	rl_address_free(address);
	throwaway_stop(&closed);
}

static void password_too_many_is_told(void **state)
{
	static const char *const texts[] = { "?password=hunter2", "?password=hunter2&db=1" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_address *address = address_of(texts[i], server.address);
		struct rl_connection *connection;
		struct rl_error error;

		assert_int_equal(connect_within(address, true, address->connect_timeout,
							 rl_now() + 5 * RL_SECOND, &connection, &error),
			RL_REFUSED);
		assert_string_equal(error.code, "ERR");
		assert_said(&error,
			"it has no password, but the address gives one: leave it out, or give it a user that the server knows");
		assert_null(strstr(error.message, "hunter2"));
		rl_address_free(address);
	}
}

/* In the words of an older server, which knows no users. */
static void refuse_auth(struct peer *peer, const void *context)
{
	if (peer_read_command(peer)) {
		peer_say(peer, "-ERR Client sent AUTH, but no password is set\r\n");
		peer_await_end(peer);
	}
}

static void password_too_many_is_told_by_older_servers(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection;
	struct rl_error error;

	assert_true(hostile_start(&hostile, server.folder, 5, refuse_auth, NULL));
	address = address_of("?password=hunter2", hostile.address);
	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_REFUSED);
	assert_said(&error, "it has no password, but the address gives one");
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void hang_up(struct peer *peer, const void *context)
{
	peer_read_command(peer);
}

/* Opens a connection to a server that does this, by an address with this query. */
static enum rl_status greet(peer_function *serve, const void *context, const char *query,
	struct rl_error *error)
{
	struct rl_connection *connection;
	struct rl_address *address;
	enum rl_status status;

	error->message[0] = '\0';
	assert_true(hostile_start(&hostile, server.folder, 5, serve, context));
	address = address_of(query, hostile.address);
	status = connect_within(address, false, address->connect_timeout, rl_now() + 5 * RL_SECOND,
		&connection, error);
	if (status == RL_OK) {
		rl_connection_close(connection);
	}
	hostile_stop(&hostile);
	rl_address_free(address);
	assert_null(strstr(error->message, "hunter2"));
	return status;
}

/* Without having read anything. */
static void say_and_close(struct peer *peer, const void *words)
{
	peer_say(peer, words);
}

static const char full[] = "-ERR max number of clients reached\r\n";
static const char full_cluster[] = "-ERR max number of clients + cluster connections reached\r\n";
static const char protected_mode[] = "-DENIED Redis is running in protected mode because protected "
									 "mode is enabled and no password is set for the default user. In "
									 "this mode connections are only accepted from the loopback interface. 1) ...\r\n";

/* What is said before the login was read is no answer to it. */
static void words_at_the_door_are_told_as_they_are(void **state)
{
	static const char *const queries[] = { "", "?password=hunter2", "?password=hunter2&db=1" };
	struct rl_error error;

	for (size_t i = 0; i < COUNT(queries); i++) {
		assert_int_equal(greet(say_and_close, full, queries[i], &error), RL_REFUSED);
		assert_said(&error, "refused: ERR max number of clients reached; raise its maxclients");
		assert_true(rl_refusal_passes_soon(&error));
		assert_int_equal(greet(say_and_close, full_cluster, queries[i], &error), RL_REFUSED);
		assert_said(&error, "ERR max number of clients + cluster connections reached; raise its");
		assert_true(rl_refusal_passes_soon(&error));
		assert_int_equal(greet(say_and_close, protected_mode, queries[i], &error), RL_REFUSED);
		assert_said(&error,
			"refused: DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user; other machines are let in");
		assert_null(strstr(error.message, "leave it out"));
		assert_false(rl_refusal_passes_soon(&error));
	}
}

static void say_and_read_on(struct peer *peer, const void *words)
{
	if (peer_read_command(peer)) {
		peer_say(peer, words);
		peer_await_end(peer);
	}
}

/* And what looks like it may have the password in it. */
static void answers_to_the_login_are_told_without_their_words(void **state)
{
	struct rl_error error;

	assert_int_equal(greet(say_and_read_on,
						 "-ERR unknown command `AUTH`, with args beginning with: `max number of "
						 "clients hunter2`\r\n",
						 "?password=max%20number%20of%20clients%20hunter2", &error),
		RL_REFUSED);
	assert_said(&error, "refused the user or the password (ERR)");
	assert_false(rl_refusal_passes_soon(&error));
	assert_int_equal(greet(say_and_read_on, "-LOADING Redis is loading the dataset in memory\r\n",
						 "?password=hunter2", &error),
		RL_REFUSED);
	assert_said(&error, "refused: LOADING");
	assert_true(rl_refusal_passes_soon(&error));
}

/* A proxy, in words of its own. */
static void know_no_client(struct peer *peer, const void *words)
{
	while (peer_read_command(peer)) {
		peer_say(peer, strcmp(peer->command, "CLIENT") == 0 ? words : "+OK\r\n");
	}
}

static void a_proxy_may_know_no_names(void **state)
{
	static const char *const words[] = { "-ERR unsupported command 'client'\r\n",
		"-ERR command 'CLIENT' is not allowed\r\n", "-ERR unsupport command\r\n",
		"-DENIED this is for administrators\r\n" };
	struct rl_error error;

	for (size_t i = 0; i < COUNT(words); i++) {
		assert_int_equal(greet(know_no_client, words[i], "?password=hunter2", &error), RL_OK);
	}
}

/* Another proxy closes for what it does not know. */
static void answer_and_close(struct peer *peer, const void *words)
{
	if (peer_read_command(peer)) {
		peer_say(peer, words);
	}
}

static void what_a_closing_peer_was_sent_is_told(void **state)
{
	struct rl_error error;

	assert_int_equal(greet(hang_up, NULL, "?password=hunter2&db=1", &error), RL_UNREACHABLE);
	assert_said(&error,
		"unanswered: AUTH, SELECT, CLIENT SETNAME, INFO server, INFO memory: is it a proxy that does not know one of these?");
	assert_int_equal(error.cause, RL_CAUSE_TURNED_AWAY);
	assert_int_equal(
		greet(answer_and_close, "+OK\r\n", "?password=hunter2", &error), RL_UNREACHABLE);
	assert_said(&error, "unanswered: CLIENT SETNAME, INFO server, INFO memory: is it a proxy");
	assert_int_equal(
		greet(answer_and_close, "-ERR come back later\r\n", "", &error), RL_UNREACHABLE);
	assert_said(&error, "unanswered: INFO server, INFO memory, after it had said ERR come back");
}

/* OpenSSL's alert to what is not TLS. */
static void alert(struct peer *peer, const void *context)
{
	peer_read_command(peer);
	peer_write(peer, "\x15\x03\x01\x00\x02\x02\x46", 7);
	peer_await_end(peer);
}

/*
 * What is said to be plain may be TLS in truth; a unix socket never is, nor one that has answered.
 */
static void close_at_the_first_bytes_asks_for_tls(void **state)
{
	static peer_function *const ways[] = { hang_up, alert };
	struct rl_address *address;
	struct rl_connection *connection;
	struct rl_error error;
	char base[128];

	for (size_t i = 0; i < COUNT(ways); i++) {
		assert_true(hostile_start_at_port(&hostile, ways[i], NULL));
		snprintf(base, sizeof base, "redis://%s", hostile.address);
		address = address_of("", base);
		assert_int_equal(connect_within(address, true, address->connect_timeout,
							 rl_now() + 5 * RL_SECOND, &connection, &error),
			RL_UNREACHABLE);
		assert_said(&error, i ? "is not one that Redis gives" : "Redis at 127.0.0.1:");
		assert_said(&error, "does the server speak TLS on this port, which is rediss://");
		hostile_stop(&hostile);
		rl_address_free(address);
	}
	assert_true(hostile_start(&hostile, server.folder, 5, hang_up, NULL));
	address = address_of("", hostile.address);
	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_UNREACHABLE);
	assert_null(strstr(error.message, "rediss"));
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void answer_once(struct peer *peer, const void *context)
{
	if (peer_read_command(peer)) {
		peer_say(peer, "+OK\r\n");
	}
}

static void close_after_an_answer_asks_for_nothing(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection;
	struct rl_error error;
	char base[128];

	assert_true(hostile_start_at_port(&hostile, answer_once, NULL));
	snprintf(base, sizeof base, "redis://%s/1", hostile.address);
	address = address_of("", base);
	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_UNREACHABLE);
	assert_null(strstr(error.message, "rediss"));
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void every_kind_of_reply_is_read(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	const struct rl_reply *reply;
	struct rl_error error;

	assert_int_equal(ask(connection, "GET", "nothing", NULL)->type, RL_REPLY_NIL);

	reply = ask(connection, "EVAL", "return -9007199254740993", "0");
	assert_int_equal(reply->type, RL_REPLY_INTEGER);
	assert_true(reply->integer < -9007199254740000);

	reply = ask(connection, "EVAL", "return 'a\\0b\\r\\n'", "0");
	assert_int_equal(reply->type, RL_REPLY_STRING);
	assert_int_equal(reply->length, 5);
	assert_memory_equal(reply->text, "a\0b\r\n", 6);

	check_reply(ask(connection, "EVAL", "return ''", "0"), RL_REPLY_STRING, "");

	reply = ask(connection, "EVAL", "return { 1, 'two', { 3, false }, {}, { ok = 'fine' } }", "0");
	assert_int_equal(reply->type, RL_REPLY_ARRAY);
	assert_int_equal(reply->count, 5);
	assert_int_equal(reply->elements[0].integer, 1);
	check_reply(&reply->elements[1], RL_REPLY_STRING, "two");
	assert_int_equal(reply->elements[2].count, 2);
	assert_int_equal(reply->elements[2].elements[0].integer, 3);
	assert_int_equal(reply->elements[2].elements[1].type, RL_REPLY_NIL);
	assert_int_equal(reply->elements[3].type, RL_REPLY_ARRAY);
	assert_int_equal(reply->elements[3].count, 0);
	check_reply(&reply->elements[4], RL_REPLY_STATUS, "fine");

	reply = ask(connection, "EVAL", "return redis.error_reply('OOPS no \\27[31m')", "0");
	assert_int_equal(reply->type, RL_REPLY_ERROR);
	assert_true(rl_reply_is_error(reply, "OOPS"));
	assert_false(rl_reply_is_error(reply, "OOP"));
	assert_int_equal(rl_connection_refusal(connection, reply, &error), RL_REFUSED);
	assert_string_equal(error.code, "OOPS");
	assert_non_null(strstr(error.message, "OOPS no \\x1b[31m"));
	assert_non_null(strstr(error.message, server.socket));

	assert_true(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	rl_address_free(address);
}

static void replies_come_in_order(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);

	for (int i = 0; i < 100; i++) {
		char number[16];

		snprintf(number, sizeof number, "%d", i);
		send_words(connection, "ECHO", number, NULL);
	}
	assert_false(rl_connection_is_usable(connection));
	for (int i = 0; i < 100; i++) {
		assert_int_equal(strtol(answer(connection)->text, NULL, 10), i);
	}
	assert_true(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	rl_address_free(address);
}

static void large_commands_and_replies_pass(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	size_t length = 1000 * 1000;
	char *text = malloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	check_reply(ask(connection, "ECHO", text, NULL), RL_REPLY_STRING, text);
	free(text);
	rl_connection_close(connection);
	rl_address_free(address);
}

/* S10: at the deadline, not later. And what was late is never used again. */
static void frozen_server_is_left_at_the_deadline(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address), *second;
	const struct rl_reply *reply;
	struct rl_error error;
	struct prompt_moment began;

	throwaway_freeze(&server);
	send_words(connection, "PING", NULL, NULL);
	began = prompt_now();
	assert_int_equal(
		read_within(connection, rl_now() + SHORT, &reply, &error), RL_UNREACHABLE);
	expect_on_time(prompt_since(began), SHORT);
	assert_false(rl_connection_is_usable(connection));
	assert_non_null(strstr(error.message, server.socket));

	began = prompt_now();
	assert_int_equal(connect_within(address, true, address->connect_timeout, rl_now() + SHORT,
						 &second, &error),
		RL_UNREACHABLE);
	expect_on_time(prompt_since(began), SHORT);
	kill(server.pid, SIGCONT);

	assert_false(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	rl_address_free(address);
}

static void nothing_there_is_told(void **state)
{
	static const char *const addresses[] = { "unix:///nonexistent/redis.sock",
		"redis://127.0.0.1:1", "redis://[::1]:1" };

	for (size_t i = 0; i < COUNT(addresses); i++) {
		struct rl_address *address = address_of("", addresses[i]);
		struct rl_connection *connection;
		struct rl_error error;

		assert_int_equal(connect_within(address, true, address->connect_timeout,
							 rl_now() + 5 * RL_SECOND, &connection, &error),
			RL_UNREACHABLE);
		assert_non_null(strstr(error.message, address->name));
		rl_address_free(address);
	}
}

static volatile sig_atomic_t broken_pipes;

static void count_broken_pipe(int number)
{
	broken_pipes++;
}

/* A program that does not ignore SIGPIPE, as PHP does, lives on. */
static void peer_that_is_gone_raises_no_signal(void **state)
{
	struct rl_address address = { .name = "here" };
	struct rl_connection *connection;
	struct rl_text word = { "PING", 4 };
	struct rl_error error;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	connection = rl_connection_on(ends[0], &address);
	assert_non_null(connection);
	close(ends[1]);
	signal(SIGPIPE, count_broken_pipe);
	assert_int_equal(rl_connection_append(connection, 1, &word, &error), RL_OK);
	assert_int_equal(flush_within(connection, rl_now() + RL_SECOND, &error), RL_UNREACHABLE);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(broken_pipes, 0);
	assert_non_null(strstr(error.message, "here"));
	rl_connection_close(connection);
}

static void ignore_signal(int number)
{
}

static void storm(long interval_us)
{
	struct itimerval timer = { .it_value.tv_usec = interval_us,
		.it_interval.tv_usec = interval_us };

	/* Ignored afterwards: one may be on its way still. */
	signal(SIGALRM, interval_us ? ignore_signal : SIG_IGN);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* C12 */
static void signals_change_nothing(void **state)
{
	struct rl_address *address = address_of("", server.address);
	const struct rl_reply *reply;
	struct rl_connection *connection;
	struct rl_error error;
	struct prompt_moment began;

	storm(500);
	connection = opened(address);
	for (int i = 0; i < 100; i++) {
		check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
	}
	send_words(connection, "BLPOP", "nothing", "0");
	began = prompt_now();
	assert_int_equal(
		read_within(connection, rl_now() + 100 * RL_MILLISECOND, &reply, &error),
		RL_UNREACHABLE);
	expect_on_time(prompt_since(began), 100 * RL_MILLISECOND);
	storm(0);
	rl_connection_close(connection);
	rl_address_free(address);
}

/* --- H1: a hostile one --- */

static sem_t gate; /* what its side waits for */

static int prepare(void **state)
{
	return sem_init(&gate, 0, 0);
}

/* Also after a test that failed. */
static int stop_hostile(void **state)
{
	for (int i = 0; i < 10; i++) {
		sem_post(&gate);
	}
	hostile_stop(&hostile);
	return 0;
}

struct speech {
	const char *bytes;
	size_t length;
	const char *then; /* for ever */
};
/* clang-format off */
#define SPEECH(bytes, then) { bytes, sizeof(bytes) - 1, then }
/* clang-format on */

static const struct speech nonsense[] = {
	SPEECH("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", NULL),
	SPEECH("", "*1\r\n"),
	SPEECH("", "*15\r\n"),
	SPEECH("*1\r\n*1\r\n*1\r\n:1\r\n", NULL),
	SPEECH("*17\r\n:1\r\n", ":1\r\n"),
	SPEECH("*3\r\n*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n*9\r\n:1\r\n", ":1\r\n"),
	SPEECH("*2147483647\r\n", ":1\r\n"),
	SPEECH("*4294967297\r\n", ":1\r\n"),
	SPEECH("*9223372036854775807\r\n", ":1\r\n"),
	SPEECH("*-2\r\n", NULL),
	SPEECH("*x\r\n", NULL),
	SPEECH("$1000000000\r\n", "xxxxxxxxxxxxxxxx"),
	SPEECH("$9223372036854775807\r\n", "xxxxxxxxxxxxxxxx"),
	SPEECH("$99999999999999999999\r\n", "xxxxxxxxxxxxxxxx"),
	SPEECH("*2\r\n$3000000\r\n", "xxxxxxxxxxxxxxxx"),
	SPEECH("$-2\r\n", NULL),
	SPEECH("$-9223372036854775808\r\n", NULL),
	SPEECH("$x\r\n", NULL),
	SPEECH("+", "xxxxxxxxxxxxxxxx"),
	SPEECH("-", "xxxxxxxxxxxxxxxx"),
	SPEECH("-ERR ", "\r"),
	SPEECH(":", "1111111111111111"),
	SPEECH(":99999999999999999999\r\n", NULL),
	SPEECH(":1x\r\n", NULL),
	SPEECH("$", "1"),
	SPEECH("HTTP/1.1 400 Bad Request\r\n\r\n", NULL),
	SPEECH("\0\0\0\0", "\0\0\0\0"),
	SPEECH("\xff\xfe\xfd", NULL),
	SPEECH("\r\n", "\r\n"),
	SPEECH(">2\r\n$7\r\nmessage\r\n$1\r\nx\r\n", NULL),
	SPEECH("%1\r\n+a\r\n:1\r\n", NULL),
	SPEECH("~1\r\n+a\r\n", NULL),
	SPEECH("|1\r\n+a\r\n:1\r\n", NULL),
	SPEECH(",1.5\r\n", NULL),
	SPEECH("#t\r\n", NULL),
};

static void speak(struct peer *peer, const void *context)
{
	const struct speech *speech = context;

	if (peer_write(peer, speech->bytes, speech->length) && speech->then) {
		char chunk[4096];
		size_t piece = strlen(speech->then) ? strlen(speech->then) : 1;

		for (size_t i = 0; i < sizeof chunk; i++) {
			chunk[i] = speech->then[i % piece];
		}
		while (peer_write(peer, chunk, sizeof chunk / piece * piece)) {
		}
	}
	peer_await_end(peer);
}

static void greet_and_speak(struct peer *peer, const void *context)
{
	if (peer_greet(peer) && peer_read_command(peer)) {
		speak(peer, context);
	}
}

static void check_bounded(const char *what, size_t i)
{
	if (hostile.written > 4 * 1024 * 1024) {
		fail_msg("%s %zu: %zu bytes were taken", what, i, hostile.written);
	}
}

static void nonsense_ends_the_connection(void **state)
{
	for (size_t i = 0; i < COUNT(nonsense); i++) {
		struct rl_address *address;
		struct rl_connection *connection;
		const struct rl_reply *reply = NULL;
		struct rl_error error;
		enum rl_status status;
		rl_time before;

		assert_true(hostile_start(&hostile, server.folder, 5, greet_and_speak, &nonsense[i]));
		address = address_of("", hostile.address);
		connection = opened(address);
		send_words(connection, "PING", NULL, NULL);
		before = rl_now();
		/*
		 * Long, since hiredis 1.2 under AddressSanitizer takes most of a second to find no end in 1
		 * MB of \r.
		 */
		status = read_within(connection, before + 60 * RL_SECOND, &reply, &error);
		if (status != RL_UNREACHABLE || rl_now() >= before + 30 * RL_SECOND) {
			fail_msg("nonsense %zu: status %d after %lld ms", i, status,
				(long long)((rl_now() - before) / RL_MILLISECOND));
		}
		assert_non_null(strstr(error.message, address->name));
		assert_false(rl_connection_is_usable(connection));
		rl_connection_close(connection);
		check_bounded("nonsense", i);
		hostile_stop(&hostile);
		rl_address_free(address);
	}
}

static void nonsense_in_place_of_a_greeting_is_told(void **state)
{
	for (size_t i = 0; i < COUNT(nonsense); i++) {
		struct rl_address *address;
		struct rl_connection *connection;
		struct rl_error error;
		enum rl_status status;

		assert_true(hostile_start(&hostile, server.folder, 5, speak, &nonsense[i]));
		address = address_of("?user=me&password=hunter2&db=1", hostile.address);
		status = connect_within(
			address, true, address->connect_timeout, rl_now() + 5 * RL_SECOND, &connection, &error);
		if (status != RL_UNREACHABLE) {
			fail_msg("nonsense %zu: status %d", i, status);
		}
		assert_null(strstr(error.message, "hunter2"));
		check_bounded("nonsense in greeting", i);
		hostile_stop(&hostile);
		rl_address_free(address);
	}
}

static void random_bytes_are_survived(void **state)
{
	static const char bytes[] = "+-:$*>%~#,(_\r\n\r\n\r\n0123456789-xE";

	srand(7);
	for (int round = 0; round < 300; round++) {
		char text[128];
		struct speech speech = { text, (size_t)rand() % sizeof text, NULL };
		struct rl_address *address;
		struct rl_connection *connection;
		const struct rl_reply *reply;
		struct rl_error error;
		enum rl_status status = RL_OK;

		for (size_t i = 0; i < speech.length; i++) {
			text[i] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
		}
		assert_true(hostile_start(&hostile, server.folder, 5, greet_and_speak, &speech));
		address = address_of("", hostile.address);
		connection = opened(address);
		send_words(connection, "PING", NULL, NULL);
		for (int replies = 0; status == RL_OK && replies < 1000; replies++) {
			status = read_within(connection, rl_now() + 5 * RL_MILLISECOND, &reply, &error);
		}
		assert_int_equal(status, RL_UNREACHABLE);
		rl_connection_close(connection);
		hostile_stop(&hostile);
		rl_address_free(address);
	}
}

static void say_two(struct peer *peer, const void *context)
{
	if (peer_greet(peer) && peer_read_command(peer)) {
		peer_say(peer, "+PONG\r\n:666\r\n");
		peer_await_end(peer);
	}
}

static void reply_too_many_makes_it_unusable(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection;

	assert_true(hostile_start(&hostile, server.folder, 5, say_two, NULL));
	address = address_of("", hostile.address);
	connection = opened(address);
	check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
	assert_false(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	hostile_stop(&hostile);
	rl_address_free(address);
}

/* H3 */
static void speak_error(struct peer *peer, const void *context)
{
	size_t length = 1000 * 1000;
	char *text = malloc(length);

	memset(text, 'x', length);
	memcpy(text, "-OOPS \x1b[2J\x07", 11);
	memcpy(text + length - 2, "\r\n", 2);
	if (peer_greet(peer) && peer_read_command(peer) && peer_write(peer, text, length)) {
		peer_await_end(peer);
	}
	free(text);
}

static void error_text_is_cut_and_escaped(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection;
	const struct rl_reply *reply;
	struct rl_error error;

	assert_true(hostile_start(&hostile, server.folder, 5, speak_error, NULL));
	address = address_of("", hostile.address);
	connection = opened(address);
	reply = ask(connection, "PING", NULL, NULL);
	assert_int_equal(reply->type, RL_REPLY_ERROR);
	assert_int_equal(rl_connection_refusal(connection, reply, &error), RL_REFUSED);
	assert_string_equal(error.code, "OOPS");
	assert_non_null(strstr(error.message, "OOPS \\x1b[2J\\x07xxx"));
	assert_non_null(strstr(error.message, "xxx..."));
	rl_connection_close(connection);
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void cut_after_request(struct peer *peer, const void *context)
{
	if (peer_greet(peer) && peer_read_command(peer)) {
		peer_say(peer, context);
	}
}

static void closed_connection_is_told(void **state)
{
	static const char *const before[] = { "", "$10\r\nabc", "*2\r\n:1\r\n", "+PO" };

	for (size_t i = 0; i < COUNT(before); i++) {
		struct rl_address *address;
		struct rl_connection *connection;
		const struct rl_reply *reply;
		struct rl_error error;

		assert_true(hostile_start(&hostile, server.folder, 5, cut_after_request, before[i]));
		address = address_of("", hostile.address);
		connection = opened(address);
		send_words(connection, "PING", NULL, NULL);
		assert_int_equal(read_within(connection, rl_now() + 5 * RL_SECOND, &reply, &error),
			RL_UNREACHABLE);
		assert_non_null(strstr(error.message, "closed"));
		assert_false(rl_connection_is_usable(connection));
		rl_connection_close(connection);
		hostile_stop(&hostile);
		rl_address_free(address);
	}
}

/* --- N2: one deadline, however the bytes come --- */

struct drip {
	const char *bytes;
	long pause_ms; /* 0: as fast as it goes */
	bool greet;
};

static void drip(struct peer *peer, const void *context)
{
	const struct drip *drip = context;
	size_t length = strlen(drip->bytes);

	if (drip->greet && (!peer_greet(peer) || !peer_read_command(peer))) {
		return;
	}
	for (size_t i = 0; peer_write(peer, &drip->bytes[i < length ? i : length - 1], 1); i++) {
		if (drip->pause_ms) {
			hostile_sleep_ms(drip->pause_ms);
		}
	}
}

static void drip_does_not_move_the_deadline(void **state)
{
	static const struct drip drips[] = {
		{ "$1000000\r\nx", 5, true },
		{ "$1000000\r\nx", 0, true },
		{ "+x", 5, true },
		{ "+x", 0, true },
		{ "*15\r\n$1000000\r\nx", 0, true },
		{ "+x", 5, false },
		{ "+x", 0, false },
	};

	for (size_t i = 0; i < COUNT(drips); i++) {
		struct rl_address *address;
		struct rl_connection *connection = NULL;
		const struct rl_reply *reply;
		struct rl_error error;
		enum rl_status status;
		struct prompt_moment began;

		assert_true(hostile_start(&hostile, server.folder, 5, drip, &drips[i]));
		address = address_of("", hostile.address);
		if (drips[i].greet) {
			connection = opened(address);
			send_words(connection, "PING", NULL, NULL);
			began = prompt_now();
			status = read_within(
				connection, rl_now() + 100 * RL_MILLISECOND, &reply, &error);
		} else {
			began = prompt_now();
			status = connect_within(address, true, address->connect_timeout,
				rl_now() + 100 * RL_MILLISECOND, &connection, &error);
		}
		if (status != RL_UNREACHABLE) {
			fail_msg("drip %zu: status %d", i, status);
		}
		expect_on_time(prompt_since(began), 100 * RL_MILLISECOND);
		if (drips[i].greet) {
			assert_false(rl_connection_is_usable(connection));
			rl_connection_close(connection);
		}
		hostile_stop(&hostile);
		rl_address_free(address);
	}
}

static void drip_in_time_is_read(void **state)
{
	static const struct drip slow = { "*2\r\n$3\r\nabc\r\n:42\r\n", 1, true };
	struct rl_address *address;
	struct rl_connection *connection;
	const struct rl_reply *reply;

	assert_true(hostile_start(&hostile, server.folder, 5, drip, &slow));
	address = address_of("", hostile.address);
	connection = opened(address);
	reply = ask(connection, "PING", NULL, NULL);
	assert_int_equal(reply->count, 2);
	check_reply(&reply->elements[0], RL_REPLY_STRING, "abc");
	assert_int_equal(reply->elements[1].integer, 42);
	rl_connection_close(connection);
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void read_nothing(struct peer *peer, const void *context)
{
	if (peer_greet(peer)) {
		sem_wait(&gate);
	}
}

/* The connection, after it has tried to send more than there is room for. */
static struct rl_connection *stopped_at_the_deadline(
	peer_function *serve, struct rl_address **address)
{
	size_t length = 16 * 1024 * 1024;
	char *text = calloc(length, 1);
	struct rl_connection *connection;
	struct rl_text word = { text, length };
	struct rl_error error;
	struct prompt_moment began;

	assert_true(hostile_start(&hostile, server.folder, 5, serve, NULL));
	*address = address_of("", hostile.address);
	connection = opened(*address);
	assert_int_equal(rl_connection_append(connection, 1, &word, &error), RL_OK);
	began = prompt_now();
	assert_int_equal(flush_within(connection, rl_now() + SHORT, &error), RL_UNREACHABLE);
	expect_on_time(prompt_since(began), SHORT);
	assert_false(rl_connection_is_usable(connection));
	free(text);
	return connection;
}

/* N8 */
static void server_that_reads_nothing_is_left_at_the_deadline(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection = stopped_at_the_deadline(read_nothing, &address);

	rl_connection_close(connection);
	sem_post(&gate);
	hostile_stop(&hostile);
	rl_address_free(address);
}

#define ECHO_WORDS 600

/* Writes each answer whole before it reads on, as a blocking forwarder does. */
static void answer_with_as_much(struct peer *peer, const void *context)
{
	static char text[1024];

	snprintf(text, sizeof text, "$1000\r\n%01000d\r\n", 0);
	if (peer_greet(peer)) {
		while (peer_read_command(peer) && peer_say(peer, text)) {
		}
	}
}

/* Both sides would wait to write, each until the other reads. */
static void answers_are_taken_in_while_it_waits_to_write(void **state)
{
	char text[1024] = "";
	struct rl_text words[2] = { { "ECHO", 4 }, { text, sizeof text } };
	struct rl_connection *connection;
	struct rl_address *address;
	struct rl_error error;

	assert_true(hostile_start(&hostile, server.folder, 5, answer_with_as_much, NULL));
	address = address_of("", hostile.address);
	connection = opened(address);
	for (int i = 0; i < ECHO_WORDS; i++) {
		assert_int_equal(rl_connection_append(connection, 2, words, &error), RL_OK);
		if (flush_within(connection, rl_now() + 5 * RL_SECOND, &error) != RL_OK) {
			fail_msg("after %d: %s", i, error.message);
		}
	}
	for (int i = 0; i < ECHO_WORDS; i++) {
		assert_int_equal(answer(connection)->length, 1000);
	}
	assert_true(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	hostile_stop(&hostile);
	rl_address_free(address);
}

/* Says more and more, and reads nothing. */
static void flood(struct peer *peer, const void *context)
{
	static char text[65536];

	memset(text, ':', 1);
	memset(text + 1, '1', sizeof text - 3);
	memcpy(text + sizeof text - 2, "\r\n", 2);
	if (peer_greet(peer)) {
		while (peer_write(peer, text, sizeof text)) {
		}
	}
}

/* N8: what is taken in is bounded, and does not move the deadline. */
static void server_that_floods_and_reads_nothing_is_left_at_the_deadline(void **state)
{
	struct rl_address *address;
	struct rl_connection *connection = stopped_at_the_deadline(flood, &address);

	assert_in_range(connection->reader->len, 1, RL_REPLY_MAX_BYTES + sizeof connection->buffer);
	rl_connection_close(connection);
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void server_that_accepts_nobody_is_left_at_the_deadline(void **state)
{
	struct rl_connection *connection;
	struct rl_address *address;
	struct rl_error error;

	assert_true(hostile_start(&hostile, server.folder, 0, NULL, NULL));
	address = address_of("", hostile.address);
	/* The first finds a place in the queue and no answer, the others not even that. */
	for (int i = 0; i < 4; i++) {
		struct prompt_moment began = prompt_now();
		rl_time deadline = rl_now() + SHORT;

		assert_int_equal(connect_within(address, true, address->connect_timeout, deadline,
							 &connection, &error),
			RL_UNREACHABLE);
		expect_on_time(prompt_since(began), SHORT);
	}
	hostile_stop(&hostile);
	rl_address_free(address);
}

static void connect_timeout_is_kept_within_a_later_deadline(void **state)
{
	struct rl_connection *connection;
	struct rl_address *address;
	struct rl_error error;
	struct prompt_moment began;

	assert_true(hostile_start(&hostile, server.folder, 0, NULL, NULL));
	address = address_of("?connect_timeout=0.05", hostile.address);
	/* Fill the queue, so that connecting itself does not come to an end. */
	for (int i = 0; i < 2; i++) {
		connect_within(address, true, address->connect_timeout, rl_now() + 10 * RL_MILLISECOND,
			&connection, &error);
	}
	began = prompt_now();
	assert_int_equal(connect_within(address, true, address->connect_timeout,
						 rl_now() + 20 * RL_SECOND, &connection, &error),
		RL_UNREACHABLE);
	expect_on_time(prompt_since(began), SHORT);
	hostile_stop(&hostile);
	rl_address_free(address);
}

/* --- reading without waiting --- */

static void try_read_takes_what_is_there(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address), *other = opened(address);
	const struct rl_reply *reply;
	struct rl_error error;
	struct rl_pollfd fd = { .want_read = true };
	enum rl_status status;

	send_words(connection, "BLPOP", "list", "0");
	assert_int_equal(rl_connection_try_read(connection, &reply, &error), RL_NO);
	assert_int_equal(ask(other, "RPUSH", "list", "baton")->integer, 1);
	fd.fd = connection->transport->fd;
	do {
		assert_int_equal(rl_poll(&fd, 1, rl_now() + 5 * RL_SECOND), RL_POLL_READY);
		status = rl_connection_try_read(connection, &reply, &error);
	} while (status == RL_NO);
	assert_int_equal(status, RL_OK);
	check_reply(&reply->elements[1], RL_REPLY_STRING, "baton");
	assert_true(rl_connection_is_usable(connection));

	rl_connection_close(other);
	rl_connection_close(connection);
	rl_address_free(address);
}

/* --- answers that nobody waits for --- */

struct noted {
	struct rl_deferred deferred;
	int64_t answer; /* -1: the connection ended first */
	int place;      /* 1: settled first; 0: not yet */
};

static int settled;

static void note(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct noted *noted = (struct noted *)deferred;

	noted->answer = reply ? reply->integer : -1;
	noted->place = ++settled;
}

static void defer_two(struct rl_connection *connection, struct noted noted[2])
{
	settled = 0;
	for (int i = 0; i < 2; i++) {
		noted[i] = (struct noted){ .deferred = { .on_reply = note } };
		send_words(connection, "EVAL", i ? "return 12" : "return 11", "0");
		rl_connection_defer(connection, &noted[i].deferred);
	}
	assert_true(rl_connection_is_usable(connection));
}

static void deferred_answers_go_before_the_next(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	struct noted noted[2];

	defer_two(connection, noted);
	check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(noted[i].answer, 11 + i);
		assert_int_equal(noted[i].place, 1 + i);
	}
	assert_true(rl_connection_is_usable(connection));
	rl_connection_close(connection);
	assert_int_equal(settled, 2);
	rl_address_free(address);
}

static void deferred_answers_can_be_awaited(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	struct noted noted[2];

	throwaway_freeze(&server);
	defer_two(connection, noted);
	rl_connection_read_deferred(connection);
	kill(server.pid, SIGCONT);
	assert_int_equal(settled, 0);
	read_deferred_within(connection, rl_now() + 5 * RL_SECOND);
	assert_int_equal(noted[0].answer, 11);
	assert_int_equal(noted[1].answer, 12);
	assert_int_equal(settled, 2);
	rl_connection_close(connection);
	rl_address_free(address);
}

static bool child_looks(void *context)
{
	rl_connection_read_deferred(context);
	return settled == 0;
}

static void deferred_answers_are_the_parents(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	struct rl_pollfd poll = { .fd = connection->transport->fd, .want_read = true };
	struct noted noted[2];

	defer_two(connection, noted);
	assert_int_equal(rl_poll(&poll, 1, rl_now() + 5 * RL_SECOND), RL_POLL_READY);
	assert_true(in_child(child_looks, connection));
	read_deferred_within(connection, rl_now() + RL_SECOND);
	assert_int_equal(settled, 2);
	rl_connection_close(connection);
	rl_address_free(address);
}

static void deferred_answers_end_with_the_connection(void **state)
{
	struct rl_address *address = address_of("", server.address);
	struct rl_connection *connection = opened(address);
	struct noted noted[2];

	throwaway_freeze(&server);
	defer_two(connection, noted);
	rl_connection_close(connection);
	kill(server.pid, SIGCONT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(noted[i].answer, -1);
		assert_int_equal(noted[i].place, 1 + i);
	}
	rl_address_free(address);
}

/* --- the pool: what is lent again --- */

/* Answers each command with the number of its connection, the first one's late. */
static void answer_late(struct peer *peer, const void *context)
{
	char text[16];

	snprintf(text, sizeof text, ":%u\r\n", peer->number);
	if (!peer_greet(peer)) {
		return;
	}
	while (peer_read_command(peer)) {
		if (peer->number == 1) {
			sem_wait(&gate);
		}
		peer_say(peer, text);
	}
}

static enum rl_status borrow(struct rl_server *from, struct rl_connection **connection,
	bool *reconnected, struct rl_error *error)
{
	struct rl_loan loan = { .connect_timeout = 5 * RL_SECOND,
		.deadline = rl_now() + 5 * RL_SECOND };
	enum rl_status status = borrow_within(from, &loan, error);

	*connection = loan.connection;
	*reconnected = loan.reconnected;
	return status;
}

/* That nobody has paused before does not move the deadline. */
static void a_loan_that_opens_a_second_one_late_has_its_deadline(void **state)
{
	struct rl_server *pool = rl_server_new(address_of("", server.address));
	rl_time deadline = rl_now() + 5 * RL_SECOND;
	struct rl_loan loan = { .connect_timeout = 5 * RL_SECOND, .deadline = deadline };
	struct rl_error error;

	assert_int_equal(borrow_within(pool, &loan, &error), RL_OK);
	loan.connection->broken = true;
	rl_server_return(pool, loan.connection);
	clock_advance(6 * RL_SECOND);
	if (borrow_within(pool, &loan, &error) == RL_OK) { /* it was there at once */
		rl_server_return(pool, loan.connection);
	}
	assert_int_equal(loan.deadline, deadline);
	rl_server_unref(pool);
	clock_reset();
}

/* N1 */
static void late_answer_is_never_the_next_ones(void **state)
{
	struct rl_server *pool;
	struct rl_connection *connection;
	const struct rl_reply *reply;
	struct rl_error error;
	bool reconnected;

	assert_true(hostile_start(&hostile, server.folder, 5, answer_late, NULL));
	pool = rl_server_new(address_of("", hostile.address));
	assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_OK);
	send_words(connection, "PING", NULL, NULL);
	assert_int_equal(read_within(connection, rl_now() + 20 * RL_MILLISECOND, &reply, &error),
		RL_UNREACHABLE);
	rl_server_return(pool, connection);
	sem_post(&gate);

	for (int i = 0; i < 3; i++) {
		assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_OK);
		assert_int_equal(ask(connection, "PING", NULL, NULL)->integer, 2);
		rl_server_return(pool, connection);
	}
	assert_int_equal(hostile.connections, 2);
	rl_server_unref(pool);
	hostile_stop(&hostile);
}

/* Answers, and then says more than it was asked. */
static void speak_unasked(struct peer *peer, const void *context)
{
	char text[16];

	snprintf(text, sizeof text, ":%u\r\n", peer->number);
	if (!peer_greet(peer)) {
		return;
	}
	while (peer_read_command(peer)) {
		peer_say(peer, text);
		if (peer->number == 1) {
			sem_wait(&gate);
			peer_say(peer, ":666\r\n");
			peer_await_end(peer);
			return;
		}
	}
}

/* H1 */
static void answer_unasked_is_never_the_next_ones(void **state)
{
	struct rl_server *pool;
	struct rl_connection *connection;
	struct rl_pollfd fd = { .want_read = true };
	struct rl_error error;
	bool reconnected;

	assert_true(hostile_start(&hostile, server.folder, 5, speak_unasked, NULL));
	pool = rl_server_new(address_of("", hostile.address));
	assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_OK);
	assert_int_equal(ask(connection, "PING", NULL, NULL)->integer, 1);
	fd.fd = connection->transport->fd;
	rl_server_return(pool, connection);
	sem_post(&gate);
	assert_int_equal(rl_poll(&fd, 1, rl_now() + 5 * RL_SECOND), RL_POLL_READY);
	clock_advance(RL_MILLISECOND); /* what was used just now is not asked */

	assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_OK);
	assert_true(reconnected);
	assert_int_equal(ask(connection, "PING", NULL, NULL)->integer, 2);
	rl_server_return(pool, connection);
	rl_server_unref(pool);
	hostile_stop(&hostile);
}

static void idle_connections_are_lent_again(void **state)
{
	struct rl_server *pool = rl_server_new(address_of("", server.address));
	struct rl_connection *connections[8];
	int fds[2] = { -1, -1 };
	struct rl_error error;
	bool reconnected;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(borrow(pool, &connections[0], &reconnected, &error), RL_OK);
		check_reply(ask(connections[0], "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
		fds[i] = connections[0]->transport->fd;
		rl_server_return(pool, connections[0]);
	}
	assert_int_equal(fds[0], fds[1]);

	/* What is out is lent to nobody else. */
	for (size_t i = 0; i < COUNT(connections); i++) {
		assert_int_equal(borrow(pool, &connections[i], &reconnected, &error), RL_OK);
		for (size_t j = 0; j < i; j++) {
			assert_ptr_not_equal(connections[i], connections[j]);
		}
	}
	for (size_t i = 0; i < COUNT(connections); i++) {
		rl_server_return(pool, connections[i]);
	}
	rl_server_unref(pool);
}

/* S9: the server died while a connection was idle, and is not back yet. */
static void dead_server_lends_nothing(void **state)
{
	struct throwaway dying;
	struct rl_server *pool;
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	assert_true(throwaway_start(&dying, false, NULL));
	pool = rl_server_new(address_of("", dying.address));
	assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_OK);
	rl_server_return(pool, connection);
	throwaway_stop(&dying);

	assert_int_equal(borrow(pool, &connection, &reconnected, &error), RL_UNREACHABLE);
	assert_null(connection);
	assert_true(reconnected);
	rl_server_unref(pool);
}

static void registry_shares_by_identity(void **state)
{
	struct rl_cache cache = { 0 };
	struct rl_server *one = rl_server_cached(&cache, address_of("", server.address));
	struct rl_server *same = rl_server_cached(&cache, address_of("", server.address));
	struct rl_server *other = rl_server_cached(&cache, address_of("?db=1", server.address));
	struct rl_server *slow = rl_server_cached(&cache, address_of("?timeout=7", server.address));
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	assert_ptr_equal(one, same);
	assert_ptr_not_equal(one, other);
	assert_ptr_equal(one, slow);

	/* It outlives those who use it. */
	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	rl_server_return(one, connection);
	rl_server_unref(one);
	rl_server_unref(same);
	rl_server_unref(other);
	rl_server_unref(slow);
	one = rl_server_cached(&cache, address_of("", server.address));
	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
	rl_server_return(one, connection);
	rl_server_unref(one);
	rl_cache_clear(&cache);
	assert_null(cache.first);
}

/* Opened in another environment than its address was read in: it is not for the next request. */
static void what_went_astray_is_dropped(void **state)
{
	struct rl_cache cache = { 0 };
	struct rl_server *one = rl_server_cached(&cache, address_of("", server.address));
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	rl_server_return(one, connection);
	rl_cache_end_request(&cache);
	assert_ptr_equal(cache.first, one);
	rl_server_drop_idle(one);
	setenv("HOSTALIASES", "/dev/null", 1);
	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	unsetenv("HOSTALIASES");
	rl_server_return(one, connection);
	rl_cache_end_request(&cache);
	assert_null(cache.first);
	assert_false(cache.astray);
	rl_server_unref(one);
	assert_int_equal(cache.idle.count, 0);
}

/* Of the server's, those that are not the test's own. */
static long long clients_of(const struct throwaway *of)
{
	redisContext *redis = redisConnectUnix(of->socket);
	redisReply *reply = redisCommand(redis, "CLIENT LIST");
	long long count = 0;

	assert_non_null(reply);
	for (const char *at = reply->str; (at = strstr(at, "name=rlock")); at++) {
		count++;
	}
	freeReplyObject(reply);
	redisFree(redis);
	return count;
}

static void await_clients_of(const struct throwaway *of, long long count)
{
	for (int tries = 0; clients_of(of) != count; tries++) {
		if (tries == 5000) {
			fail_msg("%lld clients, not %lld", clients_of(of), count);
		}
		hostile_sleep_ms(1);
	}
}

static void use_once(struct rl_server *one)
{
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	check_reply(ask(connection, "PING", NULL, NULL), RL_REPLY_STATUS, "PONG");
	assert_false(reconnected);
	rl_server_return(one, connection);
}

static size_t count_things(const struct rl_cache *cache)
{
	size_t count = 0;

	for (const struct rl_cached *shared = cache->first; shared; shared = shared->next) {
		count++;
	}
	return count;
}

/* E5: a process may use any number of logins and databases, at once or one after the other. */
static void connections_and_servers_are_bounded(void **state)
{
	const char *const arguments[] = { "--databases", "200", NULL };
	struct rl_cache cache = { 0 };
	struct rl_server *servers[200];
	struct throwaway large;

	assert_true(throwaway_start(&large, false, arguments));
	for (int i = 0; i < (int)COUNT(servers); i++) {
		char query[64];

		snprintf(query, sizeof query, "?db=%d&timeout=%d", i, i + 1);
		servers[i] = rl_server_cached(&cache, address_of(query, large.address));
		use_once(servers[i]);
		assert_true(cache.idle.count <= RL_IDLE_MAX);
	}
	await_clients_of(&large, RL_IDLE_MAX);
	use_once(servers[COUNT(servers) - RL_IDLE_MAX]); /* those used last have stayed */
	assert_int_equal(cache.idle.count, RL_IDLE_MAX);
	assert_ptr_equal(
		cache.idle.newest->address, rl_server_address(servers[COUNT(servers) - RL_IDLE_MAX]));

	assert_int_equal(count_things(&cache), COUNT(servers)); /* all in use */
	for (int i = 0; i < (int)COUNT(servers); i++) {
		rl_server_unref(servers[i]);
	}
	rl_server_unref(
		rl_server_cached(&cache, address_of("?db=0&user=one&password=more", large.address)));
	assert_true(count_things(&cache) <= RL_CACHE_UNUSED + 1);
	rl_cache_clear(&cache);
	await_clients_of(&large, 0);
	throwaway_stop(&large);
}

static void what_is_idle_for_long_is_closed(void **state)
{
	struct rl_cache cache = { 0 };
	struct rl_server *one = rl_server_cached(&cache, address_of("", server.address));
	struct rl_server *other = rl_server_cached(&cache, address_of("?db=1", server.address));
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	use_once(one);
	clock_advance(RL_IDLE_FOR / 2);
	use_once(other);
	assert_int_equal(cache.idle.count, 2);
	clock_advance(RL_IDLE_FOR / 2 + RL_MILLISECOND);
	use_once(other); /* it has not been idle for so long, but its neighbour has */
	assert_int_equal(cache.idle.count, 1);
	await_clients_of(&server, 1);

	/* One that is too old is not taken either. */
	clock_advance(RL_IDLE_FOR + RL_MILLISECOND);
	assert_int_equal(borrow(other, &connection, &reconnected, &error), RL_OK);
	assert_false(reconnected);
	assert_int_equal(cache.idle.count, 0);
	await_clients_of(&server, 1);
	rl_server_return(other, connection);

	rl_server_unref(one);
	rl_server_unref(other);
	rl_cache_clear(&cache);
	await_clients_of(&server, 0);
	clock_reset();
}

struct heard {
	struct rl_deferred deferred;
	bool settled, answered;
};

static void settle_into(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct heard *heard = (struct heard *)deferred;

	heard->settled = true;
	heard->answered = reply && reply->type == RL_REPLY_STATUS;
}

/* An answer that has come counts, though nobody has asked for it until then. */
static void what_is_owed_is_read_before_it_is_closed(void **state)
{
	struct rl_server *one = rl_server_new(address_of("", server.address));
	struct heard heard = { .deferred = { .on_reply = settle_into } };
	struct rl_pollfd fd = { .want_read = true };
	struct rl_connection *connection;
	struct rl_error error;
	bool reconnected;

	assert_int_equal(borrow(one, &connection, &reconnected, &error), RL_OK);
	send_words(connection, "PING", NULL, NULL);
	rl_connection_defer(connection, &heard.deferred);
	fd.fd = connection->transport->fd;
	rl_server_return(one, connection);
	assert_int_equal(rl_poll(&fd, 1, rl_now() + 5 * RL_SECOND), RL_POLL_READY);
	clock_advance(RL_IDLE_FOR + RL_MILLISECOND);
	use_once(one);
	assert_true(heard.settled && heard.answered);
	rl_server_unref(one);
	clock_reset();
}

static void answer_when_let(struct peer *peer, const void *context)
{
	if (peer_greet(peer)) {
		sem_wait(&gate);
		while (peer_read_command(peer) && peer_say(peer, "+OK\r\n")) {
		}
	}
}

/* A server that was frozen had not even taken all that it was sent. */
static void what_was_not_taken_is_sent_before_it_is_closed(void **state)
{
	static char text[1024];
	static struct heard heard[600];
	struct rl_text words[2] = { { "ECHO", 4 }, { text, sizeof text } };
	struct rl_connection *connection;
	struct rl_address *address;
	struct rl_error error;

	assert_true(hostile_start(&hostile, server.folder, 5, answer_when_let, NULL));
	address = address_of("", hostile.address);
	connection = opened(address);
	for (size_t i = 0; i < COUNT(heard); i++) {
		assert_int_equal(rl_connection_append(connection, 2, words, &error), RL_OK);
		heard[i] = (struct heard){ .deferred = { .on_reply = settle_into } };
		rl_connection_defer(connection, &heard[i].deferred);
	}
	assert_int_equal(rl_connection_try_flush(connection, &error), RL_NO);
	sem_post(&gate);
	rl_connection_drain(connection, 5 * RL_SECOND);
	for (size_t i = 0; i < COUNT(heard); i++) {
		assert_true(heard[i].answered);
	}
	hostile_stop(&hostile);
	rl_address_free(address);
}

#define hostile_test(name) cmocka_unit_test_setup_teardown(name, prepare, stop_hostile)

int test_connection(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_on_socket_and_port),
		cmocka_unit_test(logs_in_and_selects),
		cmocka_unit_test(the_servers_clock_is_never_thought_too_early),
		cmocka_unit_test(login_refused_is_told_without_the_password),
		cmocka_unit_test(database_refused_is_told),
		cmocka_unit_test(connections_and_servers_are_bounded),
		cmocka_unit_test(what_is_idle_for_long_is_closed),
		cmocka_unit_test(what_is_owed_is_read_before_it_is_closed),
		cmocka_unit_test(password_missing_is_told),
		cmocka_unit_test(password_too_many_is_told),
		cmocka_unit_test(password_too_many_is_told_by_older_servers),
		hostile_test(words_at_the_door_are_told_as_they_are),
		hostile_test(answers_to_the_login_are_told_without_their_words),
		hostile_test(a_proxy_may_know_no_names),
		hostile_test(what_a_closing_peer_was_sent_is_told),
		cmocka_unit_test(close_at_the_first_bytes_asks_for_tls),
		cmocka_unit_test(close_after_an_answer_asks_for_nothing),
		cmocka_unit_test(every_kind_of_reply_is_read),
		cmocka_unit_test(replies_come_in_order),
		cmocka_unit_test(large_commands_and_replies_pass),
		cmocka_unit_test(frozen_server_is_left_at_the_deadline),
		cmocka_unit_test(nothing_there_is_told),
		cmocka_unit_test(peer_that_is_gone_raises_no_signal),
		cmocka_unit_test(signals_change_nothing),
		hostile_test(nonsense_ends_the_connection),
		hostile_test(nonsense_in_place_of_a_greeting_is_told),
		hostile_test(random_bytes_are_survived),
		hostile_test(reply_too_many_makes_it_unusable),
		hostile_test(error_text_is_cut_and_escaped),
		hostile_test(closed_connection_is_told),
		hostile_test(drip_does_not_move_the_deadline),
		hostile_test(drip_in_time_is_read),
		hostile_test(server_that_reads_nothing_is_left_at_the_deadline),
		hostile_test(answers_are_taken_in_while_it_waits_to_write),
		hostile_test(server_that_floods_and_reads_nothing_is_left_at_the_deadline),
		hostile_test(server_that_accepts_nobody_is_left_at_the_deadline),
		hostile_test(connect_timeout_is_kept_within_a_later_deadline),
		cmocka_unit_test(try_read_takes_what_is_there),
		cmocka_unit_test(deferred_answers_go_before_the_next),
		cmocka_unit_test(deferred_answers_can_be_awaited),
		cmocka_unit_test(deferred_answers_are_the_parents),
		cmocka_unit_test(deferred_answers_end_with_the_connection),
		hostile_test(what_was_not_taken_is_sent_before_it_is_closed),
		cmocka_unit_test(a_loan_that_opens_a_second_one_late_has_its_deadline),
		hostile_test(late_answer_is_never_the_next_ones),
		hostile_test(answer_unasked_is_never_the_next_ones),
		cmocka_unit_test(idle_connections_are_lent_again),
		cmocka_unit_test(dead_server_lends_nothing),
		cmocka_unit_test(registry_shares_by_identity),
		cmocka_unit_test(what_went_astray_is_dropped),
	};

	return cmocka_run_group_tests_name("connection", tests, start_server, stop_server);
}
