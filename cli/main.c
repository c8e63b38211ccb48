/*
 * rlock: locks on Redis for programs that are not PHP. The extension's locks are the same.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "tell.h"

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
		cli_help_print(stdout);
		return finish_output(&(struct cli_options){ 0 }, CLI_OK);
	}
	if (!command && argc > 1 && asks_for(argv + 1, "--version", 'V')) {
		cli_help_print_version();
		return finish_output(&(struct cli_options){ 0 }, CLI_OK);
	}
	return command ? dispatch(command, argv + 2) : refuse(argc > 1 ? argv[1] : NULL);
}
