/*
 * Locks in a table, for people: as wide as its cells, which are printable and cut.
 *
 *   cli_table_add()      any number of times
 *   cli_table_print()
 *   cli_table_clear()
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "holder.h"

struct cli_row;

struct cli_table {
	struct cli_row *rows;
	size_t count, room;
};

/* Copies both. False: out of memory. */
bool cli_table_add(struct cli_table *table, struct rl_text key, const struct rl_holder *holder);
/* In the order of the keys. */
void cli_table_print(struct cli_table *table, FILE *to);
void cli_table_clear(struct cli_table *table);

#endif
