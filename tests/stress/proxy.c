/*
 * A network that fails: proxy PORT SERVER LOG
 *
 * Stands between clients, who come over TCP to 127.0.0.1:PORT, and a server: its unix socket, or
 * its port for TLS. A line on standard input orders one fault; it strikes the next bytes that pass
 * on a connection of rlock's:
 *
 *   hold MS     a request is kept back for so long and then delivered, with all that follows it on
 *               its connection, even if the client has long given up and closed: a late copy
 *   stray MS    the same, but the client's side is closed at once, so that the client sends it
 *               again meanwhile
 *   late MS     the same with an answer
 *   lose        an answer is thrown away and the connection cut: it was done, and nobody knows
 *   cut         a request is thrown away and the connection cut
 *   mute        from this request on nothing passes either way, and nothing tells, until one side
 *               closes
 *   outage MS   strikes all connections: nothing passes, and then all of it does
 *
 * When a fault is over, LOG gets the line `FROM UNTIL WHAT PORT` (CLOCK_MONOTONIC, ns). The proxy
 * ends with its standard input. A connection is rlock's if a request on it has had that name, which
 * TLS hides: there all are. So what sentinels and replicas say to the server is only struck by an
 * outage.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_FD = 4096,
	CHUNK = 65536,
	MS = 1000000
};

struct chunk {
	struct chunk *next;
	size_t length, sent;
	char bytes[];
};

/* One direction of a connection. */
struct flow {
	int from, to;
	struct chunk *first, **last;
	int64_t held_since, held_until; /* nothing passes before that */
	const char *held_by;
	bool ended;  /* no more comes in */
	bool closed; /* and the other side has been told so */
};

struct connection {
	struct connection *next;
	struct flow request, answer;
	bool ours, dead;
	int64_t muted_since;
};

struct fault {
	struct fault *next;
	char what[16];
	int64_t length;
};

static struct connection *connections, *by_fd[MAX_FD];
static struct fault *ordered;
static int64_t outage_since, outage_until;
static int epoll, port;
static FILE *log_file;

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(int64_t from, const char *what)
{
	fprintf(log_file, "%lld %lld %s %d\n", (long long)from, (long long)now(), what, port);
	fflush(log_file);
}

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	fcntl(fd, F_SETFL, O_NONBLOCK);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static bool is_port(const char *target)
{
	return target[0] != '/';
}

static int connect_server(const char *target)
{
	struct sockaddr_un path = { .sun_family = AF_UNIX };
	struct sockaddr_in port = { .sin_family = AF_INET,
		.sin_port = htons(atoi(target)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(
		is_port(target) ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	strncpy(path.sun_path, target, sizeof(path.sun_path) - 1);
	int status = is_port(target) ? connect(server, (void *)&port, sizeof(port))
								 : connect(server, (void *)&path, sizeof(path));
	if (status != 0 && errno != EINPROGRESS) {
		close(server);
		return -1;
	}
	return server;
}

static void accept_client(int listener, const char *target)
{
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC), one = 1;
	int server = connect_server(target);
	if (client < 0 || client >= MAX_FD || server < 0 || server >= MAX_FD) {
		close(client);
		close(server);
		return;
	}
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	struct connection *new = calloc(1, sizeof(*new));
	new->ours = is_port(target);
	new->request = (struct flow){ .from = client, .to = server, .last = &new->request.first };
	new->answer = (struct flow){ .from = server, .to = client, .last = &new->answer.first };
	new->next = connections;
	connections = by_fd[client] = by_fd[server] = new;
	watch(client);
	watch(server);
}

static void hold(struct flow *flow, const char *what, int64_t length)
{
	flow->held_by = what;
	flow->held_since = now();
	flow->held_until = flow->held_since + length;
}

/* Both sides see an end without a goodbye. */
static void cut(struct connection *connection)
{
	struct linger reset = { .l_onoff = 1 };
	setsockopt(connection->request.from, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	connection->dead = true;
}

/* The fault that was ordered for what now passes, if it fits. True: the bytes are lost. */
static bool strike(struct connection *connection, struct flow *flow)
{
	bool request = flow == &connection->request;
	for (struct fault **place = &ordered; *place; place = &(*place)->next) {
		struct fault *fault = *place;
		bool wants_answer = !strcmp(fault->what, "late") || !strcmp(fault->what, "lose");
		if (request == wants_answer || !connection->ours || flow->held_by
			|| connection->muted_since) {
			continue;
		}
		*place = fault->next;
		bool lost = false;
		if (!strcmp(fault->what, "hold")) {
			hold(flow, "hold", fault->length);
		} else if (!strcmp(fault->what, "stray")) {
			hold(flow, "stray", fault->length);
			shutdown(flow->from, SHUT_RDWR);
		} else if (!strcmp(fault->what, "late")) {
			hold(flow, "late", fault->length);
		} else if (!strcmp(fault->what, "mute")) {
			connection->muted_since = now();
			lost = true;
		} else {
			note(now(), fault->what);
			cut(connection);
			lost = true;
		}
		free(fault);
		return lost;
	}
	return false;
}

/* Writes what may pass by now. */
static void flush(struct connection *connection, struct flow *flow)
{
	int64_t time = now();
	if (time < outage_until || time < flow->held_until) {
		return;
	}
	if (flow->held_by) {
		note(flow->held_since, flow->held_by);
		flow->held_by = NULL;
	}
	while (flow->first) {
		struct chunk *chunk = flow->first;
		ssize_t sent = send(
			flow->to, chunk->bytes + chunk->sent, chunk->length - chunk->sent, MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN) {
			return;
		}
		if (sent >= 0 && (chunk->sent += sent) < chunk->length) {
			continue;
		}
		/* A client that has closed gets no answers, but its requests still go on their way. */
		flow->first = chunk->next;
		if (!flow->first) {
			flow->last = &flow->first;
		}
		free(chunk);
	}
	if (flow->ended && !flow->closed) {
		flow->closed = true;
		shutdown(flow->to, SHUT_WR);
		connection->dead = connection->dead
			|| (connection->request.closed && connection->answer.closed);
	}
}

static void pass(struct connection *connection, int fd)
{
	static char buffer[CHUNK];
	struct flow *flow = fd == connection->request.from ? &connection->request : &connection->answer;
	ssize_t length = read(fd, buffer, sizeof(buffer));
	if (length < 0 && errno == EAGAIN) {
		return;
	}
	if (length <= 0) {
		flow->ended = true;
		epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
		if (connection->muted_since) {
			note(connection->muted_since, "mute");
			cut(connection);
		}
	} else {
		connection->ours = connection->ours
			|| (flow == &connection->request && memmem(buffer, length, "rlock", 5));
		if (connection->muted_since || strike(connection, flow)) {
			return;
		}
		struct chunk *chunk = malloc(sizeof(*chunk) + length);
		*chunk = (struct chunk){ .length = length };
		memcpy(chunk->bytes, buffer, length);
		*flow->last = chunk;
		flow->last = &chunk->next;
	}
	flush(connection, flow);
}

static void free_flow(struct flow *flow)
{
	for (struct chunk *chunk = flow->first, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	by_fd[flow->from] = NULL;
	close(flow->from);
}

/* Whether something waits for its time. */
static bool tend(void)
{
	bool waits = false;
	if (outage_since && now() >= outage_until) {
		note(outage_since, "outage");
		outage_since = 0;
	}
	for (struct connection **place = &connections; *place;) {
		struct connection *connection = *place;
		flush(connection, &connection->request);
		flush(connection, &connection->answer);
		if (connection->dead) {
			*place = connection->next;
			free_flow(&connection->request);
			free_flow(&connection->answer);
			free(connection);
			continue;
		}
		waits = waits || connection->request.first || connection->answer.first
			|| connection->request.held_by || connection->answer.held_by;
		place = &connection->next;
	}
	return waits || outage_since;
}

static void obey(void)
{
	char line[64];
	ssize_t length = read(STDIN_FILENO, line, sizeof(line) - 1);
	if (length <= 0) {
		exit(0);
	}
	line[length] = '\0';
	struct fault *fault = calloc(1, sizeof(*fault));
	long long ms = 0;
	sscanf(line, "%15s %lld", fault->what, &ms);
	fault->length = ms * MS;
	if (!strcmp(fault->what, "outage")) {
		outage_since = now();
		outage_until = outage_since + fault->length;
		free(fault);
		return;
	}
	fault->next = ordered;
	ordered = fault;
}

int main(int count, char **arguments)
{
	if (count != 4) {
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	port = atoi(arguments[1]);
	log_file = fopen(arguments[3], "a");
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!log_file || bind(listener, (void *)&address, sizeof(address)) != 0
		|| listen(listener, 512) != 0) {
		perror("proxy");
		return 1;
	}
	epoll = epoll_create1(EPOLL_CLOEXEC);
	watch(listener);
	watch(STDIN_FILENO);
	for (bool waits = false;; waits = tend()) {
		struct epoll_event events[64];
		int ready = epoll_wait(epoll, events, 64, waits ? 1 : 1000);
		for (int i = 0; i < ready; i++) {
			int fd = events[i].data.fd;
			if (fd == listener) {
				accept_client(listener, arguments[2]);
			} else if (fd == STDIN_FILENO) {
				obey();
			} else if (by_fd[fd] && !by_fd[fd]->dead) {
				pass(by_fd[fd], fd);
			}
		}
	}
}
