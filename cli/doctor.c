#include "commands.h"
int cli_doctor(const struct cli_options *options)
{
	return 0;
}
