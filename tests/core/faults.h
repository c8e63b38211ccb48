/*
 * Faults of the system that tests can switch on: the program is linked so that the core's
 * calls come here first.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The allocation after `count` more of them fails, once. Negative: none does. */
void faults_memory(long count);
/* Not while this is on: for what a test does in between. */
void faults_memory_pause(bool on);
/* True if it has failed since. */
bool faults_memory_struck(void);

/* From now on, looks for this text in all that is freed. NULL: no more. */
void faults_watch_freed(const char *secret);
/* How often it was found. */
unsigned faults_found_freed(void);

/*
 * The clock that clock_gettime() was last asked for: where nothing was ever suspended, times do not
 * tell.
 */
clockid_t faults_last_clock(void);

/* getentropy() is not there. */
void faults_no_getentropy(bool on);
/* What gethostname() says; NULL: the truth; "": it fails. */
void faults_hostname(const char *name);

/* Every name has these addresses, in this order, up to NULL. NULL: those that the system knows. */
void faults_resolve(const char *const *addresses);
/* While this is on, the look-up of a name does not end. */
void faults_silence_names(bool on);
/* How many names were looked up. */
unsigned faults_names_looked_up(void);

/*
 * Of what is sent next the system takes this many bytes, and then says that the connection is
 * broken, unless that was all. Negative: it takes all. Not while a thread of the core's sends.
 */
void faults_break_sending(long after);
/* True if it has said so. */
bool faults_sending_broke(void);
/* While this is on, the system takes nothing of what is sent: the peer does not read. */
void faults_fill_sockets(bool on);

/*
 * Runs `body` in a forked child and returns what it returned, or false if it did not return.
 * It must not use cmocka's assertions, which would go on with the parent's tests.
 */
bool in_child(bool (*body)(void *context), void *context);

#endif
