/*
 * The ini settings: defaults for what a constructor does not name.
 */
#ifndef PHP_RLOCK_INI_H
#define PHP_RLOCK_INI_H

void php_rlock_register_ini(int type, int module_number);
void php_rlock_unregister_ini(int type, int module_number);

#endif
