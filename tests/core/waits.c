#include "waits.h"

#include "base/socket.h"

int __real_rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received);
int __wrap_rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received);

static _Thread_local int left = -1;
static _Thread_local void (*to_act)(void *context);
static _Thread_local void *acts_with;
static _Thread_local bool are_long;

void waits_act_at(int wait, void (*act)(void *context), void *context)
{
	left = wait;
	to_act = act;
	acts_with = context;
}

/* What is done then has waits of its own, which are not counted. */
void waits_begin(void)
{
	if (left >= 0 && left-- == 0) {
		to_act(acts_with);
	}
}

void waits_are_long(bool on)
{
	are_long = on;
}

int __wrap_rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received)
{
	waits_begin();
	if (are_long) {
		return RL_SOCKET_NOT_NOW;
	}
	return __real_rl_socket_receive_patiently(fd, buffer, size, received);
}
