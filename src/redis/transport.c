#include "transport.h"
#include "../base/socket.h"

static int send_plain(
	struct rl_transport *transport, const char *bytes, size_t length, size_t *sent)
{
	return rl_socket_send(transport->fd, bytes, length, sent);
}

static int receive(struct rl_transport *transport, char *buffer, size_t size, size_t *received)
{
	return rl_socket_receive(transport->fd, buffer, size, received);
}

static int receive_patiently(
	struct rl_transport *transport, char *buffer, size_t size, size_t *received)
{
	return rl_socket_receive_patiently(transport->fd, buffer, size, received);
}

static bool wants_write(const struct rl_transport *transport, bool sending)
{
	return sending;
}

static const char *text(
	const struct rl_transport *transport, int failure, char *buffer, size_t size)
{
	return rl_socket_text(failure, buffer, size);
}

static void free_nothing(struct rl_transport *transport)
{
}

const struct rl_transport_kind rl_transport_plain = {
	.send = send_plain,
	.receive = receive,
	.receive_patiently = receive_patiently,
	.wants_write = wants_write,
	.text = text,
	.free = free_nothing,
};
