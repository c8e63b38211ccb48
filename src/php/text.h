/*
 * A zend_string as the core wants it.
 */
#ifndef PHP_RLOCK_TEXT_H
#define PHP_RLOCK_TEXT_H

#include "php.h"

#include "../base/text.h"

/* Points into the string. Without data if that is NULL. */
static inline struct rl_text php_rlock_text(const zend_string *string)
{
	return string ? (struct rl_text){ ZSTR_VAL(string), ZSTR_LEN(string) }
				  : (struct rl_text){ NULL, 0 };
}

#endif
