#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/number.h"
#include "../src/lock/shown_name.h"

static const char *const titles[CLI_COLUMNS] = { "KEY", "OWNER", "KIND", "SINCE", "LEFT",
	"CONTENDED", "FENCE", "METADATA" };

/* The longest cells, in bytes; what is longer ends in "...". */
#define KEY_SIZE      RL_NAME_SIZE /* by this name it can be asked for: shown.h */
#define OWNER_SIZE    81
#define METADATA_SIZE 61
#define KIND_SIZE     20

struct cli_row {
	char key[KEY_SIZE], owner[OWNER_SIZE], since[CLI_HOLDER_SINCE_SIZE], left[CLI_HOLDER_LEFT_SIZE],
		fence[RL_NUMBER_SIZE], metadata[METADATA_SIZE];
	char kind[KIND_SIZE];
	bool contended;
};

static void fill(struct cli_row *row, struct rl_text key, const struct rl_holder *holder)
{
	struct rl_text owner = holder->owner;
	char since[CLI_HOLDER_SINCE_SIZE], left[CLI_HOLDER_LEFT_SIZE];

	rl_shown_name(row->key, sizeof row->key, key);
	rl_text_printable(row->owner, sizeof row->owner, owner.length > 0 ? owner : rl_text_of("-"));
	snprintf(row->kind, sizeof row->kind, holder->is_shared ? "shared %s" : "%s",
		cli_holder_kind(holder));
	strcpy(row->fence, "-");
	if (holder->fence > 0) {
		rl_number_put(row->fence, holder->fence);
	}
	snprintf(row->since, sizeof row->since, "%s", cli_since(since, cli_holder_since_ms(holder)));
	snprintf(row->left, sizeof row->left, "%s", cli_holder_left(left, holder));
	row->contended = holder->contended;
	rl_text_printable(row->metadata, sizeof row->metadata, holder->metadata);
}

bool cli_table_add(struct cli_table *table, struct rl_text key, const struct rl_holder *holder)
{
	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		struct cli_row *rows = realloc(table->rows, room * sizeof *rows);

		if (!rows) {
			return false;
		}
		table->rows = rows;
		table->room = room;
	}
	fill(&table->rows[table->count++], key, holder);
	return true;
}

static const char *cell(const struct cli_row *row, enum cli_column column)
{
	switch (column) {
		case CLI_KEY:
			return row->key;
		case CLI_OWNER:
			return row->owner;
		case CLI_KIND:
			return row->kind;
		case CLI_SINCE:
			return row->since;
		case CLI_FENCE:
			return row->fence;
		case CLI_LEFT:
			return row->left;
		case CLI_CONTENDED:
			return row->contended ? "yes" : "no";
		default:
			return row->metadata;
	}
}

/* In characters: what continues one in UTF-8 does not count. */
static int width(const char *text)
{
	int width = 0;

	for (; *text; text++) {
		width += (*text & 0xc0) != 0x80;
	}
	return width;
}

static int compare(const void *a, const void *b)
{
	const struct cli_row *one = a, *other = b;
	int order = strcmp(one->key, other->key);

	return order != 0 ? order : strcmp(one->fence, other->fence); /* shares of one lock */
}

/* The last cell ends the line. */
static void put_cell(FILE *to, const char *text, int column_width, bool last)
{
	fputs(text, to);
	if (!last) {
		fprintf(to, "%*s", column_width - width(text) + 2, "");
	}
}

/* They only grow: what has been printed stays as it is. */
static void measure(struct cli_table *table)
{
	for (int column = 0; column < CLI_COLUMNS; column++) {
		int *widest = &table->widths[column];

		for (size_t i = 0; i < table->count; i++) {
			int cell_width = width(cell(&table->rows[i], (enum cli_column)column));

			*widest = cell_width > *widest ? cell_width : *widest;
		}
		*widest = width(titles[column]) > *widest ? width(titles[column]) : *widest;
	}
}

static void print_row(FILE *to, const struct cli_row *row, const int widths[CLI_COLUMNS])
{
	int last = row->metadata[0] ? CLI_METADATA : CLI_METADATA - 1;

	for (int column = 0; column <= last; column++) {
		put_cell(to, cell(row, (enum cli_column)column), widths[column], column == last);
	}
	putc('\n', to);
}

static void print_titles(FILE *to, const int widths[CLI_COLUMNS])
{
	for (int column = 0; column < CLI_COLUMNS; column++) {
		put_cell(to, titles[column], widths[column], column == CLI_COLUMNS - 1);
	}
	putc('\n', to);
}

void cli_table_print(struct cli_table *table, FILE *to)
{
	bool begins = table->widths[CLI_KEY] == 0;

	if (table->count > 0) {
		qsort(table->rows, table->count, sizeof *table->rows, compare);
	}
	measure(table);
	if (begins) {
		print_titles(to, table->widths);
	}
	for (size_t i = 0; i < table->count; i++) {
		print_row(to, &table->rows[i], table->widths);
	}
	table->count = 0;
}

void cli_table_clear(struct cli_table *table)
{
	free(table->rows);
	*table = (struct cli_table){ 0 };
}
