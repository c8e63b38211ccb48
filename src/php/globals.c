#include "globals.h"

ZEND_DECLARE_MODULE_GLOBALS(rlock)

#if defined(ZTS) && defined(COMPILE_DL_RLOCK)
ZEND_TSRMLS_CACHE_DEFINE()
#endif
