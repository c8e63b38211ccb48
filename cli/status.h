/*
 * The exit statuses of rlock. Where sysexits.h has one that fits, it is that.
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

enum cli_status {
	CLI_OK = 0,
	CLI_NOBODY = 1,   /* who, break: nobody holds the lock */
	CLI_DEADLOCK = 1, /* graph: some wait for each other */
	CLI_UNFIT = 1,    /* doctor: a lock would not work there */
	CLI_USAGE = 64,   /* EX_USAGE */
	/* EX_UNAVAILABLE: the server cannot be reached or refuses, or the system does */
	CLI_UNAVAILABLE = 69,
	CLI_NO_OUTPUT = 74, /* EX_IOERR: standard output cannot be written */
	CLI_BUSY = 75,      /* EX_TEMPFAIL: run can return another one, by --busy-exit */
	CLI_LOST = 79,      /* the lock was lost while the command ran */
	CLI_NOT_EXECUTABLE = 126,
	CLI_NOT_FOUND = 127,
	/* and the number of the signal that ended the command, or rlock while it waited */
	CLI_SIGNAL = 128
};

#endif
