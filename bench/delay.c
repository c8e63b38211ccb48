/*
 * A slow network: a proxy between unix sockets that brings every byte DELAY_US later, each way.
 *
 *     delay LISTEN TARGET DELAY_US
 *
 * Says `ready` when it listens, ends with its standard input. What comes in waits in a queue, which
 * the time of arrival keeps sorted since the delay is the same for all; a timer with an absolute
 * time and 1 ns of slack keeps it punctual to some 10 us where the CPU is free. What is brought is
 * small: a peer whose buffer is full blocks the others for that long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* One side of a connection. Both are freed when both have ended and nothing is on its way. */
struct side {
	int fd;
	bool ended; /* its peer closed it: nothing more is read */
	bool told;  /* and the other side has been told so */
	struct side *other;
};

struct parcel {
	struct parcel *next;
	int64_t due;
	struct side *from;
	size_t length; /* 0: the end */
	char bytes[];
};

static struct parcel *first, **last = &first;
static int events;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static int unix_socket(const char *path, struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (fd < 0 || strlen(path) >= sizeof address->sun_path) {
		fail(path);
	}
	strcpy(address->sun_path, path);
	return fd;
}

static void watch(int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) != 0) {
		fail("epoll_ctl");
	}
}

static void take_in(int listener, const char *target)
{
	struct sockaddr_un address;
	struct side *sides = calloc(2, sizeof *sides);

	if (!sides) {
		fail("calloc");
	}
	sides[0].fd = accept(listener, NULL, NULL);
	sides[1].fd = unix_socket(target, &address);
	if (sides[0].fd < 0 || connect(sides[1].fd, (struct sockaddr *)&address, sizeof address) != 0) {
		fail(target);
	}
	sides[0].other = &sides[1];
	sides[1].other = &sides[0];
	watch(sides[0].fd, &sides[0]);
	watch(sides[1].fd, &sides[1]);
}

static void receive(struct side *from, int64_t delay)
{
	static char buffer[65536];
	ssize_t length = recv(from->fd, buffer, sizeof buffer, MSG_DONTWAIT);
	struct parcel *parcel;

	if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	if (length <= 0) {
		length = 0;
		from->ended = true;
		epoll_ctl(events, EPOLL_CTL_DEL, from->fd, NULL);
	}
	parcel = malloc(sizeof *parcel + (size_t)length);
	if (!parcel) {
		fail("malloc");
	}
	parcel->next = NULL;
	parcel->due = now() + delay;
	parcel->from = from;
	parcel->length = (size_t)length;
	memcpy(parcel->bytes, buffer, (size_t)length);
	*last = parcel;
	last = &parcel->next;
}

static void deliver(const struct parcel *parcel)
{
	struct side *from = parcel->from, *to = from->other;
	struct side *pair = from < to ? from : to;

	for (size_t sent = 0; sent < parcel->length;) {
		ssize_t length = send(to->fd, parcel->bytes + sent, parcel->length - sent, MSG_NOSIGNAL);

		if (length < 0 && errno != EINTR) {
			return; /* it is gone; its end is on its way */
		}
		sent += length > 0 ? (size_t)length : 0;
	}
	if (parcel->length > 0) {
		return;
	}
	shutdown(to->fd, SHUT_WR);
	from->told = true;
	if (to->told) {
		close(from->fd);
		close(to->fd);
		free(pair);
	}
}

static void deliver_due(int timer)
{
	while (first && first->due <= now()) {
		struct parcel *parcel = first;

		first = parcel->next;
		if (!first) {
			last = &first;
		}
		deliver(parcel);
		free(parcel);
	}
	if (first) {
		struct itimerspec at = { .it_value = { first->due / SECOND, first->due % SECOND } };

		timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
	}
}

int main(int argc, char **argv)
{
	static char is_input, is_timer, is_listener; /* their addresses tell the events apart */
	struct sockaddr_un address;
	int64_t delay;
	int listener, timer;

	if (argc != 4) {
		fprintf(stderr, "usage: delay LISTEN TARGET DELAY_US\n");
		return 2;
	}
	delay = atoll(argv[3]) * 1000;
	prctl(PR_SET_TIMERSLACK, 1);
	events = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	listener = unix_socket(argv[1], &address);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0
		|| listen(listener, 1024) != 0) {
		fail(argv[1]);
	}
	watch(STDIN_FILENO, &is_input);
	watch(timer, &is_timer);
	watch(listener, &is_listener);
	printf("ready\n");
	fflush(stdout);

	for (;;) {
		struct epoll_event ready[64];
		int count = epoll_wait(events, ready, 64, -1);

		for (int i = 0; i < count; i++) {
			void *what = ready[i].data.ptr;

			if (what == &is_input) {
				return 0;
			} else if (what == &is_listener) {
				take_in(listener, argv[2]);
			} else if (what == &is_timer) {
				uint64_t expirations;

				(void)!read(timer, &expirations, sizeof expirations);
			} else {
				receive(what, delay);
			}
		}
		deliver_due(timer);
	}
}
