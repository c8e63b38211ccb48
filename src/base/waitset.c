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

#if defined(__linux__)

# include <fcntl.h>
# include <unistd.h>
# include <sys/epoll.h>
# include <sys/timerfd.h>

static bool add(int set, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0;
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

bool rl_waitset_open(struct rl_waitset *set)
{
	set->fd = rl_descriptor_keep(epoll_create1(EPOLL_CLOEXEC));
	set->timer = set->fd < 0 ? -1 : open_timer();
	set->count = 0;
	set->fires_at = RL_FOREVER;
	set->generation = rl_system_generation();
	if (set->timer >= 0 && add(set->fd, set->timer, EPOLLIN)) {
		return true;
	}
	rl_waitset_close(set);
	return false;
}

/* `left` from now; 0 or less: at once; RL_FOREVER: never. */
static void set_timer(struct rl_waitset *set, rl_time left)
{
	struct itimerspec when;

	memset(&when, 0, sizeof when);
	if (left != RL_FOREVER) {
		left = rl_time_later(left, 1);
		when.it_value.tv_sec = (time_t)(left / RL_SECOND);
		when.it_value.tv_nsec = (long)(left % RL_SECOND);
	}
	timerfd_settime(set->timer, 0, &when, NULL);
}

void rl_waitset_clear(struct rl_waitset *set)
{
	struct epoll_event ignored;

	for (size_t i = 0; i < set->count; i++) {
		epoll_ctl(set->fd, EPOLL_CTL_DEL, set->watched[i], &ignored);
	}
	set->count = 0;
}

/* One that fires too early costs a look, and less than setting it for each step. */
static bool fires_in_time(const struct rl_waitset *set, rl_time now, rl_time until)
{
	return now < set->fires_at && set->fires_at <= until;
}

void rl_waitset_watch(struct rl_waitset *set, const struct rl_polls *polls)
{
	rl_time now = rl_now(), until = polls->until;

	for (size_t i = 0; i < polls->count; i++) {
		const struct rl_pollfd *polled = &polls->fds[i];
		uint32_t events = (polled->want_read ? EPOLLIN : 0u)
			| (polled->want_write ? EPOLLOUT : 0u);

		if (add(set->fd, polled->fd, events)) {
			set->watched[set->count++] = polled->fd;
		} else {
			until = rl_time_earlier(until, now + RL_MILLISECOND);
		}
	}
	if (!fires_in_time(set, now, until)) {
		set_timer(set, until == RL_FOREVER ? RL_FOREVER : until - now);
		set->fires_at = until;
	}
}

bool rl_waitset_is_ready(const struct rl_waitset *set)
{
	struct epoll_event ignored;

	return epoll_wait(set->fd, &ignored, 1, 0) > 0;
}

void rl_waitset_close(struct rl_waitset *set)
{
	if (set->timer >= 0) {
		close(set->timer);
	}
	if (set->fd >= 0) {
		close(set->fd);
	}
	set->fd = set->timer = -1;
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

bool rl_waitset_open(struct rl_waitset *set)
{
	set->fd = rl_descriptor_keep(kqueue());
	set->timer = -1;
	set->count = 0;
	set->generation = rl_system_generation();
	return set->fd >= 0 && fcntl(set->fd, F_SETFD, FD_CLOEXEC) == 0;
}

void rl_waitset_clear(struct rl_waitset *set)
{
	for (size_t i = 0; i < set->count; i++) {
		change(set->fd, (uintptr_t)set->watched[i], EVFILT_READ, EV_DELETE, 0);
		change(set->fd, (uintptr_t)set->watched[i], EVFILT_WRITE, EV_DELETE, 0);
	}
	set->count = 0;
}

static bool add(int set, const struct rl_pollfd *polled)
{
	return (!polled->want_read || change(set, (uintptr_t)polled->fd, EVFILT_READ, EV_ADD, 0))
		&& (!polled->want_write || change(set, (uintptr_t)polled->fd, EVFILT_WRITE, EV_ADD, 0));
}

/* In whole milliseconds, rounded up: one that fires early would only be looked at in vain. */
static void set_timer(struct rl_waitset *set, rl_time left)
{
	int64_t ms = left > 0 ? (left + RL_MILLISECOND - 1) / RL_MILLISECOND : 1;

	change(set->fd, TIMER, EVFILT_TIMER, EV_ADD | EV_ONESHOT, ms);
}

void rl_waitset_watch(struct rl_waitset *set, const struct rl_polls *polls)
{
	rl_time now = rl_now(), until = polls->until;

	for (size_t i = 0; i < polls->count; i++) {
		set->watched[set->count++] = polls->fds[i].fd;
		if (!add(set->fd, &polls->fds[i])) {
			until = rl_time_earlier(until, now + RL_MILLISECOND);
		}
	}
	if (until != RL_FOREVER) {
		set_timer(set, until - now);
	} else {
		change(set->fd, TIMER, EVFILT_TIMER, EV_DELETE, 0);
	}
}

bool rl_waitset_is_ready(const struct rl_waitset *set)
{
	/* What kevent() tells of a one-shot timer is gone afterwards, so only poll() may look. */
	struct rl_pollfd polled = { .fd = set->fd, .want_read = true };

	return rl_poll(&polled, 1, 0) == RL_POLL_READY;
}

void rl_waitset_close(struct rl_waitset *set)
{
	if (set->fd >= 0 && set->generation == rl_system_generation()) {
		close(set->fd);
	}
	set->fd = -1;
}

#else

bool rl_waitset_open(struct rl_waitset *set)
{
	set->fd = set->timer = -1;
	errno = ENOSYS;
	return false;
}

void rl_waitset_clear(struct rl_waitset *set)
{
}

void rl_waitset_watch(struct rl_waitset *set, const struct rl_polls *polls)
{
}

bool rl_waitset_is_ready(const struct rl_waitset *set)
{
	return true;
}

void rl_waitset_close(struct rl_waitset *set)
{
}

#endif
