/*
 * The ini settings: defaults for what is not passed to a constructor.
 */
#ifndef PHP_RLOCK_INI_H
#define PHP_RLOCK_INI_H

void php_rlock_ini_register(int type, int module_number);
void php_rlock_ini_unregister(int type, int module_number);

#endif
