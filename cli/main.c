/*
 * rlock: locks on Redis for programs that are not PHP. The extension's locks are the same.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "tell.h"

/* On one screen. */
static const char help[] =
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
	"command has RLOCK_KEY, _FENCE, _SERVERS and _PREFIX in its environment. More: man rlock\n";

struct command {
	const char *name;
	enum cli_command command;
	int (*run)(const struct cli_options *options);
};

static const struct command commands[] = {
	{ "run", CLI_RUN, cli_run },
	{ "ls", CLI_LS, cli_ls },
	{ "who", CLI_WHO, cli_who },
	{ "break", CLI_BREAK, cli_break },
	{ "wait", CLI_WAIT, cli_wait },
	{ "graph", CLI_GRAPH, cli_graph },
	{ "doctor", CLI_DOCTOR, cli_doctor },
};

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(name, commands[i].name) == 0) {
			return &commands[i];
		}
	}
	return NULL;
}

/* What somebody may look for who knows other tools, and what does it here. */
static const struct {
	const char *name, *instead;
} elsewhere[] = {
	{ "lock", "; `rlock run KEY -- COMMAND` runs a command under the lock" },
	{ "unlock", "; `rlock break KEY` frees a lock, whoever holds it" },
	{ "release", "; `rlock break KEY` frees a lock, whoever holds it" },
};

static const char *find_instead(const char *name)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (strcmp(name, elsewhere[i].name) == 0) {
			return elsewhere[i].instead;
		}
	}
	return "";
}

static int refuse(const char *name)
{
	if (name) {
		fprintf(stderr, "rlock: There is no such command%s\n", find_instead(name));
	} else {
		fputs("rlock: Which command?\n", stderr);
	}
	fputs("Try `rlock --help`.\n", stderr);
	return CLI_USAGE;
}

/* Anywhere before the command that is to be run. */
static bool asks_for(char **arguments, const char *option, char letter)
{
	for (; *arguments && strcmp(*arguments, "--") != 0; arguments++) {
		if (strcmp(*arguments, option) == 0
			|| strcmp(*arguments, (char[]){ '-', letter, '\0' }) == 0) {
			return true;
		}
	}
	return false;
}

/*
 * What we open must not become a standard descriptor that whoever started us has closed. What
 * stands there instead refuses what a closed one would refuse. The command has it closed, too.
 */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0) {
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
		}
	}
}

/*
 * An answer that did not arrive is none. Whom a signal ends may be cut short in a word, and exit()
 * would wait once more for who does not read.
 */
static int finish_output(const struct cli_options *options, int status)
{
	if (!ferror(stdout) && fflush(stdout) == 0) {
		return status;
	}
	if (status >= CLI_SIGNAL) {
		_exit(status);
	}
	cli_tell(options, CLI_ERROR, "error", "Standard output cannot be written");
	return CLI_NO_OUTPUT;
}

static int dispatch(const struct command *command, char **arguments)
{
	struct cli_options options = { .command = command->command };
	int status = cli_options_read(&options, arguments);

	return status == CLI_OK ? finish_output(&options, command->run(&options)) : status;
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find(argv[1]) : NULL;

	occupy_standard_descriptors();
	if (argc > 1 && asks_for(argv + 1, "--help", 'h')) {
		fputs(help, stdout);
		return finish_output(&(struct cli_options){ 0 }, CLI_OK);
	}
	if (!command && argc > 1 && asks_for(argv + 1, "--version", 'V')) {
		puts("rlock " RLOCK_VERSION);
		return finish_output(&(struct cli_options){ 0 }, CLI_OK);
	}
	return command ? dispatch(command, argv + 2) : refuse(argc > 1 ? argv[1] : NULL);
}
