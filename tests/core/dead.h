/*
 * A place where nobody is: a socket whose queue is full, so that the kernel drops whoever knocks.
 */
#ifndef DEAD_H
#define DEAD_H

struct dead {
	int listener, knocking[8];
};

/* At one of the loopback's addresses. */
struct dead dead_bury(const char *host, int port);
void dead_exhume(struct dead *dead);

#endif
