/*
 * The ini setting open_basedir, as the core asks for it whenever an address's socket or file is
 * used (../base/bounds.h).
 */
#ifndef PHP_RLOCK_OPEN_BASEDIR_H
#define PHP_RLOCK_OPEN_BASEDIR_H

#include "../base/bounds.h"

/* Of this PHP thread's addresses. */
struct rl_bounds *php_rlock_bounds(void);
/* The renewal thread, which cannot ask, goes by the setting of this moment from now on. */
void php_rlock_open_basedir_tell(void);

#endif
