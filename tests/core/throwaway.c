#define _GNU_SOURCE
#include "throwaway.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ARGUMENTS 64
#define START_TRIES   5     /* a port that was free may be taken when the server comes to it */
#define PATIENCE_MS   10000 /* for a machine that is busy */
#define MAX_LISTED    32    /* more that run at once are not listed */

static pid_t running[MAX_LISTED + 1]; /* without a gap */

const pid_t *throwaway_pids(void)
{
	return running;
}

static void list(pid_t pid)
{
	size_t i = 0;

	while (i < MAX_LISTED && running[i]) {
		i++;
	}
	if (i < MAX_LISTED) {
		running[i] = pid;
	}
}

static void unlist(pid_t pid)
{
	size_t found = MAX_LISTED, count = 0;

	for (; running[count]; count++) {
		found = running[count] == pid ? count : found;
	}
	if (found < count) {
		running[found] = running[count - 1];
		running[count - 1] = 0;
	}
}

static void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

int throwaway_free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int port = 0;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0
		&& getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
		port = ntohs(address.sin_port);
	}
	if (fd >= 0) {
		close(fd);
	}
	return port;
}

static void exec_server(const struct throwaway *server, const char *const *arguments)
{
	const char *program = getenv("RLOCK_REDIS_SERVER");
	char port[16], log[96];
	const char *argv[MAX_ARGUMENTS] = {
		program ? program : "redis-server",
		"--port",
		port,
		"--bind",
		"127.0.0.1",
		"--unixsocket",
		server->socket,
		"--dir",
		server->folder,
		"--logfile",
		log,
		"--save",
		"",
		"--appendonly",
		"no",
		"--daemonize",
		"no",
	};
	size_t count = 0;

	snprintf(port, sizeof port, "%d", server->port);
	snprintf(log, sizeof log, "%s/redis.log", server->folder);
	while (argv[count]) {
		count++;
	}
	while (arguments && *arguments && count < MAX_ARGUMENTS - 1) {
		argv[count++] = *arguments++;
	}
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "throwaway: cannot run %s: %s\n", argv[0], strerror(errno));
}

static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
			continue;
		}
		if (unlinkat(dirfd(folder), entry->d_name, 0) < 0) {
			/* appendonlydir and the like */
			char inner[512];
			snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
			remove_folder(inner);
		}
	}
	if (folder) {
		closedir(folder);
	}
	rmdir(path);
}

/* The keeper's whole life. `report` gets the server's pid, and ends if it ends. */
static void keep(
	struct throwaway *server, const char *const *arguments, int end_of_test, int report)
{
	sigset_t none;
	pid_t self = getpid();

	/* Ctrl-C is for the test program; we follow by its pipe. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	server->pid = fork();
	if (server->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		setpgid(0, 0);
		if (getppid() == self) {
			/* `report` stays open in the server, so that its death shows there. */
			fcntl(report, F_SETFD, 0);
			exec_server(server, arguments);
		}
		_exit(127);
	}
	if (server->pid > 0 && write(report, &server->pid, sizeof server->pid) == sizeof server->pid) {
		char byte;
		close(report);
		while (read(end_of_test, &byte, 1) < 0 && errno == EINTR) {
		}
	}
	if (server->pid > 0) {
		kill(server->pid, SIGKILL);
		waitpid(server->pid, NULL, 0);
	}
	remove_folder(server->folder);
	_exit(0);
}

/* True if it answered, with PONG or with a refusal. */
static bool answers_ping(const struct throwaway *server)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = 1 };
	char answer[16];
	bool ok = false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		return false;
	}
	strcpy(address.sun_path, server->socket);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0
		&& send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6) {
		ssize_t got = recv(fd, answer, sizeof answer, 0);
		ok = got > 0
			&& (answer[0] == '+' || strncmp(answer, "-NOAUTH", 7) == 0
				|| strncmp(answer, "-NOPERM", 7) == 0);
	}
	close(fd);
	return ok;
}

/* False: it ended, or does not answer. */
static bool await_server(const struct throwaway *server, int report)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
		struct pollfd ended = { .fd = report, .events = POLLIN };

		if (answers_ping(server)) {
			return true;
		}
		if (poll(&ended, 1, 0) > 0) {
			return false;
		}
		pause_a_moment();
	}
	return false;
}

static void print_log(const struct throwaway *server)
{
	char path[96], line[512];
	FILE *log;

	snprintf(path, sizeof path, "%s/redis.log", server->folder);
	log = fopen(path, "r");
	while (log && fgets(line, sizeof line, log)) {
		fprintf(stderr, "redis-server: %s", line);
	}
	if (log) {
		fclose(log);
	}
}

static bool start_keeper(struct throwaway *server, const char *const *arguments, int *report)
{
	int end[2], pid[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) < 0) {
		return false;
	}
	if (pipe2(pid, O_CLOEXEC) < 0) {
		close(end[0]);
		close(end[1]);
		return false;
	}
	fflush(NULL);
	server->keeper = fork();
	if (server->keeper == 0) {
		close(end[1]);
		close(pid[0]);
		keep(server, arguments, end[0], pid[1]);
	}
	close(end[0]);
	close(pid[1]);
	server->line = end[1];
	*report = pid[0];
	return server->keeper > 0
		&& read(pid[0], &server->pid, sizeof server->pid) == sizeof server->pid;
}

static bool try_start(
	struct throwaway *server, bool with_port, const char *const *arguments, bool last)
{
	int report = -1;
	bool ok;

	memset(server, 0, sizeof *server);
	server->line = -1;
	strcpy(server->folder, "/tmp/rlock-core.XXXXXX");
	if (!mkdtemp(server->folder)) {
		fprintf(stderr, "throwaway: cannot make a folder in /tmp: %s\n", strerror(errno));
		return false;
	}
	snprintf(server->socket, sizeof server->socket, "%s/redis.sock", server->folder);
	snprintf(server->address, sizeof server->address, "unix://%s", server->socket);
	server->port = with_port ? throwaway_free_port() : 0;
	ok = start_keeper(server, arguments, &report) && await_server(server, report);
	if (report >= 0) {
		close(report);
	}
	if (!ok) {
		if (last) {
			fprintf(stderr, "throwaway: redis-server does not answer\n");
			print_log(server);
		}
		throwaway_stop(server);
	}
	return ok;
}

bool throwaway_start(struct throwaway *server, bool with_port, const char *const *arguments)
{
	int tries = with_port ? START_TRIES : 1;

	for (int i = 1; i <= tries; i++) {
		if (try_start(server, with_port, arguments, i == tries)) {
			list(server->pid);
			return true;
		}
	}
	return false;
}

static bool is_frozen(const struct throwaway *server)
{
	char path[64], line[256];
	const char *state = NULL;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)server->pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof line, file)) {
		state = strrchr(line, ')'); /* the name before may hold anything */
	}
	if (file) {
		fclose(file);
	}
	return state && state[1] == ' ' && state[2] == 'T';
}

void throwaway_freeze(const struct throwaway *server)
{
	kill(server->pid, SIGSTOP);
	for (int waited = 0; waited < PATIENCE_MS && !is_frozen(server); waited += 5) {
		pause_a_moment();
	}
}

void throwaway_stop(struct throwaway *server)
{
	unlist(server->pid);
	if (server->keeper > 0) {
		/* A byte too, since a process forked by a test may hold our end open. */
		send(server->line, "", 1, MSG_NOSIGNAL);
		close(server->line);
		while (waitpid(server->keeper, NULL, 0) < 0 && errno == EINTR) {
		}
	} else if (server->folder[0]) {
		remove_folder(server->folder);
	}
	memset(server, 0, sizeof *server);
	server->line = -1;
}
