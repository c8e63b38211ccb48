#include "help.h"

void cli_help_print(FILE *to)
{
	fputs(
		"Locks on Redis that processes on many hosts share.\n"
		"\n"
		"  rlock run KEY [options] -- COMMAND [ARGUMENT...]    run a command under the lock\n"
		"  rlock wait KEY [--wait S]        return once it is free, without taking it\n"
		"  rlock who KEY                    who holds it, and who waits\n"
		"  rlock ls [PATTERN] [--watch] [--foreign] [--limit N]    locks whose keys match a glob\n"
		"  rlock ls [PATTERN] --waiting     who waits for what\n"
		"  rlock graph [--dot]              who waits for whom; deadlocks\n"
		"  rlock doctor [ADDRESS]           what locks need, and what of it the server lacks\n"
		"  rlock break KEY [--fence N]      free it, whoever holds it (only that grant)\n"
		"\n"
		"Options of run; times are in seconds, not milliseconds:\n"
		"  --wait S          for a lock that is taken, or `inf`; default 0\n"
		"  --ttl S           length of the lease, which is renewed; default 30\n"
		"  --max-hold S      stop renewing after this time, so that the command is ended\n"
		"  --shared          share the lock with others that say so; --limit N: at most N at once\n"
		"  --at-least S      keep the lock this long after the start, if the command is faster\n"
		"  --metadata TEXT   shown to others\n"
		"  --busy-exit N     exit status if the lock stays taken; default 75\n"
		"  --on-loss WHAT    term (default), kill or ignore: the command when the lock is lost\n"
		"  --grace S         between SIGTERM and SIGKILL; default 5, at most a third of --ttl\n"
		"\n"
		"Options of all:\n"
		"  --servers ADDRESSES   default $RLOCK_SERVERS, redis://127.0.0.1:6379\n"
		"  --prefix TEXT         of the keys; default $RLOCK_PREFIX, lock@\n"
		"  --json                for programs      --quiet, --verbose\n"
		"\n"
		"Exit status of run: the command's, 128 + n if signal n ended it, 126 and 127 as a shell's; 75\n"
		"busy, 79 the lock was lost, 69 no server, 64 usage. graph, doctor: 1 if something is wrong. The\n"
		"command has RLOCK_KEY, _FENCE, _SERVERS and _PREFIX in its environment. More: man rlock\n",
		to);
}

void cli_help_print_version(void)
{
	puts("rlock " RLOCK_VERSION);
}
