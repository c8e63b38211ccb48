/*
 * What the objects of this process have counted, for phpinfo().
 */
#ifndef PHP_RLOCK_STATS_H
#define PHP_RLOCK_STATS_H

void php_rlock_stats_print_totals(void);

#endif
