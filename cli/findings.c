#include "findings.h"

#include <stdio.h>
#include <string.h>

#include "json.h"

static bool is_json, has_told, fails;
static const char *of_server;

void cli_findings_begin(bool json)
{
	is_json = json;
	fputs(json ? "[" : "", stdout);
}

static void put_object(const char *check, const char *status, const char *says, const char *advice)
{
	struct cli_json object = cli_json_begin(stdout);

	cli_json_text(&object, "check", rl_text_of(check));
	cli_json_text(&object, "status", rl_text_of(status));
	cli_json_text(&object, "says", rl_text_of(says));
	cli_json_text(&object, "do", advice ? rl_text_of(advice) : (struct rl_text){ NULL, 0 });
	cli_json_end(&object);
}

void cli_findings_tell(enum cli_finding finding, const char *check, const char *advice,
	const char *format, ...)
{
	static const char *const for_programs[] = { "ok", "warn", "fail", "skipped" };
	static const char *const for_people[] = { "OK", "WARN", "FAIL", "skipped" };
	struct rl_error says;
	va_list arguments;

	va_start(arguments, format);
	rl_error_put_message(says.message, format, arguments);
	va_end(arguments);
	if (of_server && !strstr(says.message, of_server)) {
		rl_fail(&says, RL_OK, "%s: %s", of_server, says.message);
	}
	if (is_json) {
		fputs(has_told ? ",\n" : "\n", stdout);
		put_object(check, for_programs[finding], says.message, advice);
	} else {
		printf("%-8s %-12s %s%s%s\n", for_people[finding], check, says.message, advice ? ". " : "",
			advice ? advice : "");
	}
	has_told = true;
	fails |= finding == CLI_FAILS;
	fflush(stdout);
}

void cli_findings_are_of(const char *server)
{
	of_server = server;
}

bool cli_findings_end(void)
{
	fputs(is_json ? "\n]\n" : "", stdout);
	return !fails;
}
