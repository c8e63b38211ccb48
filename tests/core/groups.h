/* The groups of tests: one for every test_NAME.c; the table is made by the Makefile. */
#ifndef GROUPS_H
#define GROUPS_H

struct group {
	const char *name;
	int (*run)(void); /* returns how many failed */
};

extern const struct group groups[]; /* ends with a NULL name */

#endif
