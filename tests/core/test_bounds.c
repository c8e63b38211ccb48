/*
 * Paths within folders (src/base/bounds.h): links are moved between a look and the next, and what
 * is outside cannot be told from what is not there.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/text.h"
#include "base/thread.h"

static struct rl_bounds bounds;
static char folder[] = "/tmp/rlock-bounds-XXXXXX";
static int asked;

/* A path in the folder, until two others are asked for. */
static const char *at(const char *name)
{
	static char paths[3][100];
	static int next;

	next = (next + 1) % 3;
	snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
	return paths[next];
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void lead_to(const char *target)
{
	unlink(at("site/link"));
	assert_int_equal(symlink(target, at("site/link")), 0);
}

static int start(void **state)
{
	if (!mkdtemp(folder) || mkdir(at("site"), 0700) != 0 || mkdir(at("site2"), 0700) != 0) {
		return -1;
	}
	write_file(at("site/file"), "inside");
	write_file(at("site2/file"), "outside");
	return rl_system_start() ? 0 : -1;
}

static int finish(void **state)
{
	static const char *const names[] = { "site/link", "site/file", "site2/file" };

	for (size_t i = 0; i < COUNT(names); i++) {
		unlink(at(names[i]));
	}
	rmdir(at("site"));
	rmdir(at("site2"));
	rl_bounds_clear(&bounds);
	return rmdir(folder);
}

static int reset(void **state)
{
	rl_bounds_clear(&bounds);
	unlink(at("site/link"));
	return 0;
}

static bool is_allowed(const char *path)
{
	struct rl_pin pin;
	bool allowed = rl_pin_begin(&pin, &bounds, path);

	rl_pin_end(&pin);
	return allowed;
}

static void without_folders_a_path_is_itself(void **state)
{
	struct rl_pin pin;

	assert_true(rl_pin_begin(&pin, NULL, "/missing"));
	assert_string_equal(pin.path, "/missing");
	rl_pin_end(&pin);
	assert_true(rl_pin_begin(&pin, &bounds, "/missing"));
	assert_string_equal(pin.path, "/missing");
	rl_pin_end(&pin);
}

static void what_is_outside_is_not_allowed(void **state)
{
	assert_true(rl_bounds_set(&bounds, at("site")));
	assert_true(is_allowed(at("site/file")));
	assert_true(is_allowed(at("site/../site/file")));
	assert_true(is_allowed(at("site")));
	assert_false(is_allowed(at("site2/file"))); /* the same beginning */
	assert_false(is_allowed(at("site/../site2/file")));
	assert_false(is_allowed(at("site/missing")));
	assert_false(is_allowed(at("missing")));
	lead_to("../site2/file");
	assert_false(is_allowed(at("site/link")));
	lead_to("file");
	assert_true(is_allowed(at("site/link")));
}

static void folders_are_several_and_may_be_links(void **state)
{
	char folders[300];

	lead_to("../site2");
	snprintf(folders, sizeof folders, "/missing:%s/:", at("site/link"));
	assert_true(rl_bounds_set(&bounds, folders));
	assert_true(is_allowed(at("site2/file")));
	assert_false(is_allowed(at("site/file")));
	assert_true(rl_bounds_set(&bounds, "/"));
	assert_true(is_allowed(at("site/file")));
	assert_true(rl_bounds_set(&bounds, ":"));
	assert_false(is_allowed(at("site/file")));
}

static void what_was_looked_at_is_what_is_used(void **state)
{
	struct rl_pin pin;
	char text[16] = "";
	FILE *file;

	assert_true(rl_bounds_set(&bounds, at("site")));
	lead_to("file");
	assert_true(rl_pin_begin(&pin, &bounds, at("site/link")));
	lead_to("../site2/file");
	file = fopen(pin.path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof text, file));
	assert_string_equal(text, "inside");
	fclose(file);
	rl_pin_end(&pin);
}

static bool tell_site(struct rl_bounds *of)
{
	asked++;
	return rl_bounds_set(of, at("site"));
}

static bool know_nothing(struct rl_bounds *of)
{
	return false;
}

static void look_from_another_thread(void *allowed)
{
	*(bool *)allowed = is_allowed(at("site/file")) && !is_allowed(at("site2/file"));
}

static void the_program_is_asked_in_its_own_thread(void **state)
{
	struct rl_thread thread;
	bool allowed = false;

	bounds.ask = tell_site;
	bounds.owner = rl_thread_id();
	asked = 0;
	assert_false(is_allowed(at("site2/file")));
	assert_int_equal(asked, 1);
	assert_true(rl_thread_start(&thread, look_from_another_thread, &allowed));
	rl_thread_join(&thread);
	assert_true(allowed);
	assert_int_equal(asked, 1);
	bounds.ask = know_nothing;
	assert_false(is_allowed(at("site/file")));
}

int test_bounds(void)
{
#define test(name) cmocka_unit_test_setup(name, reset)
	const struct CMUnitTest tests[] = {
		test(without_folders_a_path_is_itself),
		test(what_is_outside_is_not_allowed),
		test(folders_are_several_and_may_be_links),
		test(what_was_looked_at_is_what_is_used),
		test(the_program_is_asked_in_its_own_thread),
	};

	return cmocka_run_group_tests_name("bounds", tests, start, finish);
}
