/*
 * How bytes get to a server and back: over the socket as they are, or encrypted (tls.h). A
 * connection does not ask which of the two it has.
 */
#ifndef RL_TRANSPORT_H
#define RL_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

struct rl_transport;

struct rl_transport_kind {
	/* As rl_socket_send() and rl_socket_receive(), with failures of this kind's own. */
	int (*send)(struct rl_transport *transport, const char *bytes, size_t length, size_t *sent);
	int (*receive)(struct rl_transport *transport, char *buffer, size_t size, size_t *received);
	/* As rl_socket_receive_patiently(); NULL: this kind cannot. */
	int (*receive_patiently)(
		struct rl_transport *transport, char *buffer, size_t size, size_t *received);
	/*
	 * After RL_SOCKET_NOT_NOW: whether to wait until the socket is writable. `sending`: it was from
	 * send().
	 */
	bool (*wants_write)(const struct rl_transport *transport, bool sending);
	/* What a failure means, for a message. Returns `buffer`. */
	const char *(*text)(
		const struct rl_transport *transport, int failure, char *buffer, size_t size);
	/*
	 * Frees it without sending anything, so that a forked child can forget its parent's. The socket
	 * stays open.
	 */
	void (*free)(struct rl_transport *transport);
};

/* The first member of what a kind has. */
struct rl_transport {
	const struct rl_transport_kind *kind;
	int fd;
	char *buffer; /* to receive into, for nothing else */
	size_t buffer_size;
};

/* The socket as it is. free() has nothing to do: the caller owns the struct and its buffer. */
extern const struct rl_transport_kind rl_transport_plain;

#endif
