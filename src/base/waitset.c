/*
 * epoll with a timer in it, or kqueue. A kqueue is not inherited over fork(), and has timers of its
 * own. Of other systems nobody has tried any; what event loops watch on Windows are sockets, which
 * hold no others.
 */
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) \
	|| defined(__DragonFly__)
# define HAVE_KQUEUE 1
#endif

#include "waitset.h"
#include "descriptor.h"

#include <errno.h>
#include <string.h>

/* --- what the system does --- */

#if defined(__linux__)

# include <stdatomic.h>
# include <unistd.h>
# include <sys/epoll.h>
# include <sys/eventfd.h>
# include <sys/timerfd.h>

static bool add(int set, const struct rl_pollfd *polled)
{
	struct epoll_event event = { .events = (polled->want_read ? EPOLLIN : 0u)
			| (polled->want_write ? EPOLLOUT : 0u) };

	return epoll_ctl(set, EPOLL_CTL_ADD, polled->fd, &event) == 0;
}

static void drop(int set, const struct rl_pollfd *polled)
{
	struct epoll_event ignored;

	epoll_ctl(set, EPOLL_CTL_DEL, polled->fd, &ignored);
}

/* Counted in suspend, too, as rl_now() is. */
static int open_timer(void)
{
	int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (timer < 0 && errno == EINVAL) {
		timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	}
	return rl_descriptor_keep(timer);
}

static bool open_set(struct rl_waitset *set)
{
	set->fd = rl_descriptor_keep(epoll_create1(EPOLL_CLOEXEC));
	set->timer = set->fd < 0 ? -1 : open_timer();
	return set->timer >= 0
		&& add(set->fd, &(struct rl_pollfd){ .fd = set->timer, .want_read = true });
}

/* `left` from now; RL_FOREVER: never. */
static void set_timer(const struct rl_waitset *set, rl_time left)
{
	struct itimerspec when;

	memset(&when, 0, sizeof when);
	if (left != RL_FOREVER) {
		when.it_value.tv_sec = (time_t)(left / RL_SECOND);
		when.it_value.tv_nsec = (long)(left % RL_SECOND);
	}
	timerfd_settime(set->timer, 0, &when, NULL);
}

static _Atomic int ready = -1; /* one that is readable for good; the process's */

/* -1: the system refuses. */
static int find_ready(void)
{
	int none = -1, fd = atomic_load(&ready);

	if (fd >= 0) {
		return fd;
	}
	fd = rl_descriptor_keep(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
	if (fd >= 0 && !atomic_compare_exchange_strong(&ready, &none, fd)) {
		close(fd); /* another thread was faster */
		fd = none;
	}
	return fd;
}

/*
 * What is ready is not the set's own, as its timer is: what is closed is watched no more, and
 * copies of its descriptor outlive the set. To make a timer fire at once also takes the time of
 * many system calls on a virtual machine.
 */
static void be_ready(struct rl_waitset *set)
{
	const struct rl_pollfd polled = { .fd = find_ready(), .want_read = true };

	if (polled.fd < 0 || !add(set->fd, &polled)) {
		set_timer(set, 1);
	}
}

void rl_waitset_stop(void)
{
	int fd = atomic_exchange(&ready, -1);

	if (fd >= 0) {
		close(fd);
	}
}

static void close_set(const struct rl_waitset *set)
{
	if (set->timer >= 0) {
		close(set->timer);
	}
	if (set->fd >= 0) {
		close(set->fd);
	}
}

#elif defined(HAVE_KQUEUE)

# include <fcntl.h>
# include <unistd.h>
# include <sys/types.h>
# include <sys/event.h>
# include <sys/time.h>

# define TIMER 1 /* its name in the queue */

static bool change(int set, uintptr_t ident, short filter, unsigned short flags, int64_t ms)
{
	struct kevent change;

	EV_SET(&change, ident, filter, flags, 0, ms, 0);
	return kevent(set, &change, 1, NULL, 0, NULL) == 0;
}

static bool add(int set, const struct rl_pollfd *polled)
{
	return (!polled->want_read || change(set, (uintptr_t)polled->fd, EVFILT_READ, EV_ADD, 0))
		&& (!polled->want_write || change(set, (uintptr_t)polled->fd, EVFILT_WRITE, EV_ADD, 0));
}

static void drop(int set, const struct rl_pollfd *polled)
{
	change(set, (uintptr_t)polled->fd, EVFILT_READ, EV_DELETE, 0);
	change(set, (uintptr_t)polled->fd, EVFILT_WRITE, EV_DELETE, 0);
}

static bool open_set(struct rl_waitset *set)
{
	set->fd = rl_descriptor_keep(kqueue());
	set->timer = -1;
	return set->fd >= 0 && fcntl(set->fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* In whole milliseconds, rounded up: one that fires early would only be looked at in vain. */
static void set_timer(const struct rl_waitset *set, rl_time left)
{
	if (left != RL_FOREVER) {
		change(set->fd, TIMER, EVFILT_TIMER, EV_ADD | EV_ONESHOT,
			(left + RL_MILLISECOND - 1) / RL_MILLISECOND);
	} else {
		change(set->fd, TIMER, EVFILT_TIMER, EV_DELETE, 0);
	}
}

static void be_ready(struct rl_waitset *set)
{
	set_timer(set, 1);
}

void rl_waitset_stop(void)
{
}

static void close_set(const struct rl_waitset *set)
{
	if (set->fd >= 0 && set->generation == rl_system_generation()) {
		close(set->fd);
	}
}

#else

static bool add(int set, const struct rl_pollfd *polled)
{
	return false;
}

static void drop(int set, const struct rl_pollfd *polled)
{
}

static bool open_set(struct rl_waitset *set)
{
	set->fd = set->timer = -1;
	errno = ENOSYS;
	return false;
}

static void set_timer(const struct rl_waitset *set, rl_time left)
{
}

static void be_ready(struct rl_waitset *set)
{
}

void rl_waitset_stop(void)
{
}

static void close_set(const struct rl_waitset *set)
{
}

#endif

/* --- all the same --- */

static RL_THREAD_LOCAL struct rl_waitset *sets; /* of this thread */

bool rl_waitset_open(struct rl_waitset *set)
{
	set->count = 0;
	set->is_over = false;
	set->fires_at = RL_FOREVER;
	set->generation = rl_system_generation();
	if (!open_set(set)) {
		close_set(set);
		return false;
	}
	RL_LIST_ADD(&sets, set, link);
	return true;
}

static bool is_same(const struct rl_pollfd *a, const struct rl_pollfd *b)
{
	return a->fd == b->fd && a->want_read == b->want_read && a->want_write == b->want_write;
}

static bool has(const struct rl_pollfd *fds, size_t count, const struct rl_pollfd *polled)
{
	size_t i = 0;

	while (i < count && !is_same(&fds[i], polled)) {
		i++;
	}
	return i < count;
}

static void drop_at(struct rl_waitset *set, size_t i)
{
	drop(set->fd, &set->watched[i]);
	set->watched[i] = set->watched[--set->count];
}

/* One that fires too early costs a look, and less than setting it for each step. */
static bool fires_in_time(const struct rl_waitset *set, rl_time now, rl_time until)
{
	return now < set->fires_at && set->fires_at <= until;
}

void rl_waitset_update(struct rl_waitset *set, const struct rl_polls *polls)
{
	rl_time now = rl_now(), until = polls->until;

	for (size_t i = set->count; i > 0; i--) {
		if (!has(polls->fds, polls->count, &set->watched[i - 1])) {
			drop_at(set, i - 1);
		}
	}
	for (size_t i = 0; i < polls->count; i++) {
		const struct rl_pollfd *polled = &polls->fds[i];

		if (has(set->watched, set->count, polled)) {
			continue;
		}
		if (add(set->fd, polled)) {
			set->watched[set->count++] = *polled;
		} else {
			until = rl_time_earlier(until, now + RL_MILLISECOND);
		}
	}
	if (!fires_in_time(set, now, until)) {
		set_timer(set, until == RL_FOREVER ? RL_FOREVER : rl_time_later(until - now, 1));
		set->fires_at = until;
	}
}

void rl_waitset_fire(struct rl_waitset *set)
{
	if (!set->is_over && set->generation == rl_system_generation()) {
		set->is_over = true;
		set->count = 0;
		be_ready(set);
	}
}

void rl_waitset_forget(int fd)
{
	for (struct rl_waitset *set = sets; set; set = set->link.next) {
		for (size_t i = set->count; i > 0; i--) {
			if (set->watched[i - 1].fd == fd && set->generation == rl_system_generation()) {
				drop_at(set, i - 1);
			}
		}
	}
}

void rl_waitset_close(struct rl_waitset *set)
{
	RL_LIST_REMOVE(set, link);
	rl_waitset_fire(set);
	close_set(set);
}
