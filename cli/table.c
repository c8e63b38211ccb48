#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/number.h"

enum column {
	KEY,
	OWNER,
	KIND,
	SINCE,
	LEFT,
	CONTENDED,
	FENCE,
	METADATA,
	COLUMNS
};

static const char *const titles[COLUMNS] = { "KEY", "OWNER", "KIND", "SINCE", "LEFT", "CONTENDED",
	"FENCE", "METADATA" };

/* The longest cells, in bytes; what is longer ends in "...". */
#define KEY_SIZE      81
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

	rl_text_printable(row->key, sizeof row->key, key);
	rl_text_printable(row->owner, sizeof row->owner, owner.length > 0 ? owner : rl_text_of("-"));
	snprintf(row->kind, sizeof row->kind, holder->is_shared ? "shared %s" : "%s",
		cli_holder_kind(holder));
	strcpy(row->fence, "-");
	if (holder->fence > 0) {
		rl_number_put(row->fence, holder->fence);
	}
	snprintf(row->since, sizeof row->since, "%s", cli_holder_since(since, holder));
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

static const char *cell(const struct cli_row *row, enum column column)
{
	switch (column) {
		case KEY:
			return row->key;
		case OWNER:
			return row->owner;
		case KIND:
			return row->kind;
		case SINCE:
			return row->since;
		case FENCE:
			return row->fence;
		case LEFT:
			return row->left;
		case CONTENDED:
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

static void measure(const struct cli_table *table, int widths[COLUMNS])
{
	for (int column = 0; column < COLUMNS; column++) {
		widths[column] = width(titles[column]);
		for (size_t i = 0; i < table->count; i++) {
			int cell_width = width(cell(&table->rows[i], (enum column)column));

			widths[column] = cell_width > widths[column] ? cell_width : widths[column];
		}
	}
}

static void print_row(FILE *to, const struct cli_row *row, const int widths[COLUMNS])
{
	int last = row->metadata[0] ? METADATA : METADATA - 1;

	for (int column = 0; column <= last; column++) {
		put_cell(to, cell(row, (enum column)column), widths[column], column == last);
	}
	putc('\n', to);
}

void cli_table_print(struct cli_table *table, FILE *to)
{
	int widths[COLUMNS];

	if (table->count > 0) {
		qsort(table->rows, table->count, sizeof *table->rows, compare);
	}
	measure(table, widths);
	for (int column = 0; column < COLUMNS; column++) {
		put_cell(to, titles[column], widths[column], column == COLUMNS - 1);
	}
	putc('\n', to);
	for (size_t i = 0; i < table->count; i++) {
		print_row(to, &table->rows[i], widths);
	}
}

void cli_table_clear(struct cli_table *table)
{
	free(table->rows);
	*table = (struct cli_table){ 0 };
}
