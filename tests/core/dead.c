#include "dead.h"
#include "testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

struct dead dead_bury(const char *host, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct dead dead = { .listener = socket(AF_INET, SOCK_STREAM, 0) };

	inet_pton(AF_INET, host, &at.sin_addr);
	assert_int_equal(bind(dead.listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(dead.listener, 0), 0);
	for (size_t i = 0; i < COUNT(dead.knocking); i++) {
		dead.knocking[i] = socket(AF_INET, SOCK_STREAM, 0);
		fcntl(dead.knocking[i], F_SETFL, O_NONBLOCK);
		connect(dead.knocking[i], (struct sockaddr *)&at, sizeof at);
	}
	return dead;
}

void dead_exhume(struct dead *dead)
{
	for (size_t i = 0; i < COUNT(dead->knocking); i++) {
		close(dead->knocking[i]);
	}
	close(dead->listener);
}
