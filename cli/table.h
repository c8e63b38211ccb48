/*
 * Locks in a table, for people: as wide as its cells, which are printable and cut. It can be
 * printed in parts, as rows come.
 *
 *   cli_table_add()      any number of times
 *   cli_table_print()    what has been added since
 *   cli_table_clear()
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "holder.h"

struct cli_row;

enum cli_column {
	CLI_KEY,
	CLI_OWNER,
	CLI_KIND,
	CLI_SINCE,
	CLI_LEFT,
	CLI_CONTENDED,
	CLI_FENCE,
	CLI_METADATA,
	CLI_COLUMNS
};

struct cli_table {
	struct cli_row *rows; /* that are to be printed */
	size_t count, room;
	int widths[CLI_COLUMNS]; /* of what has been printed; 0: nothing */
};

/* Copies both. False: out of memory. */
bool cli_table_add(struct cli_table *table, struct rl_text key, const struct rl_holder *holder);
/* In the order of the keys; at first with a line of titles. */
void cli_table_print(struct cli_table *table, FILE *to);
void cli_table_clear(struct cli_table *table);

#endif
