#include "commands.h"
#include "tell.h"
int cli_ls(const struct cli_options *options)
{
	return CLI_UNAVAILABLE;
}
