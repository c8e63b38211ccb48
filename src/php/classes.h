/*
 * The declaration of all classes to PHP, as rlock.stub.php has them.
 */
#ifndef PHP_RLOCK_CLASSES_H
#define PHP_RLOCK_CLASSES_H

void php_rlock_classes_register(void);

#endif
