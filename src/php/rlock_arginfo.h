/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 888209b9d6d113b163a9be014a39c24402fc321f */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, servers, MAY_BE_STRING|MAY_BE_ARRAY|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRenew, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, interrupt, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, retry, RLock\\RetryStrategy, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, replicas, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, durable, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_getLock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, policy, IS_LONG, 0, "RLock::POLICY_WAIT")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_getSharedLock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, policy, IS_LONG, 0, "RLock::POLICY_WAIT")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_downgrade, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_releaseLock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, delayAfter, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, confirm, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_prolongate, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_getLocks, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_releaseAll, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_synchronized, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, critical, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_isLocking arginfo_class_RLock_downgrade

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_ttl, 0, 1, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_check, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_lease, 0, 1, RLock\\Lease, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_holder, 0, 1, RLock\\Holder, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_sharers, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_holders, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pattern, IS_STRING, 0, "\'*\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "1000")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_handOver, 0, 1, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_adopt, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_breakLock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, fence, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_detached, 0, 2, RLock\\DetachedLock, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_requestLock, 0, 1, RLock\\Pending, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "INF")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, shared, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_waitUntilFree, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "INF")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_totals arginfo_class_RLock_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_close, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_Locker_getLock arginfo_class_RLock_getLock

#define arginfo_class_RLock_Locker_getSharedLock arginfo_class_RLock_getSharedLock

#define arginfo_class_RLock_Locker_downgrade arginfo_class_RLock_downgrade

#define arginfo_class_RLock_Locker_releaseLock arginfo_class_RLock_releaseLock

#define arginfo_class_RLock_Locker_prolongate arginfo_class_RLock_prolongate

#define arginfo_class_RLock_Locker_getLocks arginfo_class_RLock_getLocks

#define arginfo_class_RLock_Locker_releaseAll arginfo_class_RLock_releaseAll

#define arginfo_class_RLock_Locker_synchronized arginfo_class_RLock_synchronized

#define arginfo_class_RLock_Locker_isLocking arginfo_class_RLock_downgrade

#define arginfo_class_RLock_Locker_ttl arginfo_class_RLock_ttl

#define arginfo_class_RLock_Locker_check arginfo_class_RLock_check

#define arginfo_class_RLock_Locker_lease arginfo_class_RLock_lease

#define arginfo_class_RLock_Locker_holder arginfo_class_RLock_holder

#define arginfo_class_RLock_Locker_sharers arginfo_class_RLock_sharers

#define arginfo_class_RLock_Locker_holders arginfo_class_RLock_holders

#define arginfo_class_RLock_Locker_handOver arginfo_class_RLock_handOver

#define arginfo_class_RLock_Locker_adopt arginfo_class_RLock_adopt

#define arginfo_class_RLock_Locker_breakLock arginfo_class_RLock_breakLock

#define arginfo_class_RLock_Locker_detached arginfo_class_RLock_detached

#define arginfo_class_RLock_Locker_requestLock arginfo_class_RLock_requestLock

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_key, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_getLock, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, policy, IS_LONG, 0, "RLock::POLICY_WAIT")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRenew, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_getSharedLock, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, policy, IS_LONG, 0, "RLock::POLICY_WAIT")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_DetachedLock_downgrade arginfo_class_RLock_releaseAll

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_prolongate, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_releaseLock, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, delayAfter, IS_DOUBLE, 0, "0.0")
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_DetachedLock_isLocking arginfo_class_RLock_releaseAll

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_ttl, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_DetachedLock_fence, 0, 0, IS_LONG, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_NamedLock___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_NamedLock_key arginfo_class_RLock_DetachedLock_key

#define arginfo_class_RLock_NamedLock_getLock arginfo_class_RLock_DetachedLock_getLock

#define arginfo_class_RLock_NamedLock_getSharedLock arginfo_class_RLock_DetachedLock_getSharedLock

#define arginfo_class_RLock_NamedLock_downgrade arginfo_class_RLock_releaseAll

#define arginfo_class_RLock_NamedLock_prolongate arginfo_class_RLock_DetachedLock_prolongate

#define arginfo_class_RLock_NamedLock_releaseLock arginfo_class_RLock_DetachedLock_releaseLock

#define arginfo_class_RLock_NamedLock_isLocking arginfo_class_RLock_releaseAll

#define arginfo_class_RLock_NamedLock_ttl arginfo_class_RLock_DetachedLock_ttl

#define arginfo_class_RLock_NamedLock_fence arginfo_class_RLock_DetachedLock_fence

#define arginfo_class_RLock_Pending_key arginfo_class_RLock_DetachedLock_key

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_Pending_stream, 0, 0, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_Pending_poll, 0, 0, _IS_BOOL, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_Pending_cancel arginfo_class_RLock_close

#define arginfo_class_RLock_PendingLock___construct arginfo_class_RLock_NamedLock___construct

#define arginfo_class_RLock_PendingLock_key arginfo_class_RLock_DetachedLock_key

#define arginfo_class_RLock_PendingLock_stream arginfo_class_RLock_Pending_stream

#define arginfo_class_RLock_PendingLock_poll arginfo_class_RLock_Pending_poll

#define arginfo_class_RLock_PendingLock_cancel arginfo_class_RLock_close

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_Lease___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, fence, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, depth, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, shared, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, waited, IS_DOUBLE, 0, "0.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_Holder___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, owner, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, fence, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, contended, _IS_BOOL, 0, "false")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, kind, RLock\\Kind, 0, "RLock\\Kind::Lease")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, shared, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RLock_RetryStrategy_nextBackoff, 0, 1, IS_DOUBLE, 1)
	ZEND_ARG_TYPE_INFO(0, attempt, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_Retry___construct arginfo_class_RLock_NamedLock___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_Retry_none, 0, 0, RLock\\Retry, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_Retry_linear, 0, 1, RLock\\Retry, 0)
	ZEND_ARG_TYPE_INFO(0, delay, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_Retry_exponential, 0, 2, RLock\\Retry, 0)
	ZEND_ARG_TYPE_INFO(0, min, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO(0, max, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RLock_Retry_limit, 0, 1, RLock\\Retry, 0)
	ZEND_ARG_TYPE_INFO(0, retries, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RLock_Retry_nextBackoff arginfo_class_RLock_RetryStrategy_nextBackoff

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_RLockException___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, previous, Throwable, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_TimeoutException___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lateBy, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, held, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, result, IS_MIXED, 0, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, previous, Throwable, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_LostLockException___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lateBy, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, held, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, result, IS_MIXED, 0, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, holder, RLock\\Holder, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, previous, Throwable, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_NotAcquiredException___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, holder, RLock\\Holder, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, previous, Throwable, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RLock_ServerException___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, error, IS_STRING, 0, "\"\"")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, previous, Throwable, 1, "null")
ZEND_END_ARG_INFO()


ZEND_METHOD(RLock, __construct);
ZEND_METHOD(RLock, getLock);
ZEND_METHOD(RLock, getSharedLock);
ZEND_METHOD(RLock, downgrade);
ZEND_METHOD(RLock, releaseLock);
ZEND_METHOD(RLock, prolongate);
ZEND_METHOD(RLock, getLocks);
ZEND_METHOD(RLock, releaseAll);
ZEND_METHOD(RLock, synchronized);
ZEND_METHOD(RLock, isLocking);
ZEND_METHOD(RLock, ttl);
ZEND_METHOD(RLock, check);
ZEND_METHOD(RLock, lease);
ZEND_METHOD(RLock, holder);
ZEND_METHOD(RLock, sharers);
ZEND_METHOD(RLock, holders);
ZEND_METHOD(RLock, handOver);
ZEND_METHOD(RLock, adopt);
ZEND_METHOD(RLock, breakLock);
ZEND_METHOD(RLock, detached);
ZEND_METHOD(RLock, requestLock);
ZEND_METHOD(RLock, waitUntilFree);
ZEND_METHOD(RLock, stats);
ZEND_METHOD(RLock, totals);
ZEND_METHOD(RLock, close);
ZEND_METHOD(RLock_NamedLock, __construct);
ZEND_METHOD(RLock_NamedLock, key);
ZEND_METHOD(RLock_NamedLock, getLock);
ZEND_METHOD(RLock_NamedLock, getSharedLock);
ZEND_METHOD(RLock_NamedLock, downgrade);
ZEND_METHOD(RLock_NamedLock, prolongate);
ZEND_METHOD(RLock_NamedLock, releaseLock);
ZEND_METHOD(RLock_NamedLock, isLocking);
ZEND_METHOD(RLock_NamedLock, ttl);
ZEND_METHOD(RLock_NamedLock, fence);
ZEND_METHOD(RLock_PendingLock, __construct);
ZEND_METHOD(RLock_PendingLock, key);
ZEND_METHOD(RLock_PendingLock, stream);
ZEND_METHOD(RLock_PendingLock, poll);
ZEND_METHOD(RLock_PendingLock, cancel);
ZEND_METHOD(RLock_Lease, __construct);
ZEND_METHOD(RLock_Holder, __construct);
ZEND_METHOD(RLock_Retry, __construct);
ZEND_METHOD(RLock_Retry, none);
ZEND_METHOD(RLock_Retry, linear);
ZEND_METHOD(RLock_Retry, exponential);
ZEND_METHOD(RLock_Retry, limit);
ZEND_METHOD(RLock_Retry, nextBackoff);
ZEND_METHOD(RLock_RLockException, __construct);
ZEND_METHOD(RLock_TimeoutException, __construct);
ZEND_METHOD(RLock_LostLockException, __construct);
ZEND_METHOD(RLock_NotAcquiredException, __construct);
ZEND_METHOD(RLock_ServerException, __construct);


static const zend_function_entry class_RLock_methods[] = {
	ZEND_ME(RLock, __construct, arginfo_class_RLock___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, getLock, arginfo_class_RLock_getLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, getSharedLock, arginfo_class_RLock_getSharedLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, downgrade, arginfo_class_RLock_downgrade, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, releaseLock, arginfo_class_RLock_releaseLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, prolongate, arginfo_class_RLock_prolongate, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, getLocks, arginfo_class_RLock_getLocks, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, releaseAll, arginfo_class_RLock_releaseAll, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, synchronized, arginfo_class_RLock_synchronized, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, isLocking, arginfo_class_RLock_isLocking, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, ttl, arginfo_class_RLock_ttl, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, check, arginfo_class_RLock_check, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, lease, arginfo_class_RLock_lease, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, holder, arginfo_class_RLock_holder, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, sharers, arginfo_class_RLock_sharers, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, holders, arginfo_class_RLock_holders, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, handOver, arginfo_class_RLock_handOver, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, adopt, arginfo_class_RLock_adopt, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, breakLock, arginfo_class_RLock_breakLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, detached, arginfo_class_RLock_detached, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, requestLock, arginfo_class_RLock_requestLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, waitUntilFree, arginfo_class_RLock_waitUntilFree, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, stats, arginfo_class_RLock_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock, totals, arginfo_class_RLock_totals, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RLock, close, arginfo_class_RLock_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Locker_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, getLock, arginfo_class_RLock_Locker_getLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, getSharedLock, arginfo_class_RLock_Locker_getSharedLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, downgrade, arginfo_class_RLock_Locker_downgrade, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, releaseLock, arginfo_class_RLock_Locker_releaseLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, prolongate, arginfo_class_RLock_Locker_prolongate, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, getLocks, arginfo_class_RLock_Locker_getLocks, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, releaseAll, arginfo_class_RLock_Locker_releaseAll, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, synchronized, arginfo_class_RLock_Locker_synchronized, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, isLocking, arginfo_class_RLock_Locker_isLocking, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, ttl, arginfo_class_RLock_Locker_ttl, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, check, arginfo_class_RLock_Locker_check, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, lease, arginfo_class_RLock_Locker_lease, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, holder, arginfo_class_RLock_Locker_holder, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, sharers, arginfo_class_RLock_Locker_sharers, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, holders, arginfo_class_RLock_Locker_holders, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, handOver, arginfo_class_RLock_Locker_handOver, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, adopt, arginfo_class_RLock_Locker_adopt, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, breakLock, arginfo_class_RLock_Locker_breakLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, detached, arginfo_class_RLock_Locker_detached, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Locker, requestLock, arginfo_class_RLock_Locker_requestLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_DetachedLock_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, key, arginfo_class_RLock_DetachedLock_key, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, getLock, arginfo_class_RLock_DetachedLock_getLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, getSharedLock, arginfo_class_RLock_DetachedLock_getSharedLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, downgrade, arginfo_class_RLock_DetachedLock_downgrade, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, prolongate, arginfo_class_RLock_DetachedLock_prolongate, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, releaseLock, arginfo_class_RLock_DetachedLock_releaseLock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, isLocking, arginfo_class_RLock_DetachedLock_isLocking, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, ttl, arginfo_class_RLock_DetachedLock_ttl, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_DetachedLock, fence, arginfo_class_RLock_DetachedLock_fence, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_NamedLock_methods[] = {
	ZEND_ME(RLock_NamedLock, __construct, arginfo_class_RLock_NamedLock___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RLock_NamedLock, key, arginfo_class_RLock_NamedLock_key, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, getLock, arginfo_class_RLock_NamedLock_getLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, getSharedLock, arginfo_class_RLock_NamedLock_getSharedLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, downgrade, arginfo_class_RLock_NamedLock_downgrade, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, prolongate, arginfo_class_RLock_NamedLock_prolongate, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, releaseLock, arginfo_class_RLock_NamedLock_releaseLock, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, isLocking, arginfo_class_RLock_NamedLock_isLocking, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, ttl, arginfo_class_RLock_NamedLock_ttl, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_NamedLock, fence, arginfo_class_RLock_NamedLock_fence, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Pending_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Pending, key, arginfo_class_RLock_Pending_key, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Pending, stream, arginfo_class_RLock_Pending_stream, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Pending, poll, arginfo_class_RLock_Pending_poll, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_Pending, cancel, arginfo_class_RLock_Pending_cancel, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_PendingLock_methods[] = {
	ZEND_ME(RLock_PendingLock, __construct, arginfo_class_RLock_PendingLock___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RLock_PendingLock, key, arginfo_class_RLock_PendingLock_key, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_PendingLock, stream, arginfo_class_RLock_PendingLock_stream, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_PendingLock, poll, arginfo_class_RLock_PendingLock_poll, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_PendingLock, cancel, arginfo_class_RLock_PendingLock_cancel, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Lease_methods[] = {
	ZEND_ME(RLock_Lease, __construct, arginfo_class_RLock_Lease___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Kind_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Holder_methods[] = {
	ZEND_ME(RLock_Holder, __construct, arginfo_class_RLock_Holder___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_RetryStrategy_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RLock_RetryStrategy, nextBackoff, arginfo_class_RLock_RetryStrategy_nextBackoff, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_Retry_methods[] = {
	ZEND_ME(RLock_Retry, __construct, arginfo_class_RLock_Retry___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RLock_Retry, none, arginfo_class_RLock_Retry_none, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RLock_Retry, linear, arginfo_class_RLock_Retry_linear, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RLock_Retry, exponential, arginfo_class_RLock_Retry_exponential, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RLock_Retry, limit, arginfo_class_RLock_Retry_limit, ZEND_ACC_PUBLIC)
	ZEND_ME(RLock_Retry, nextBackoff, arginfo_class_RLock_Retry_nextBackoff, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_RLockException_methods[] = {
	ZEND_ME(RLock_RLockException, __construct, arginfo_class_RLock_RLockException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_TimeoutException_methods[] = {
	ZEND_ME(RLock_TimeoutException, __construct, arginfo_class_RLock_TimeoutException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_LostLockException_methods[] = {
	ZEND_ME(RLock_LostLockException, __construct, arginfo_class_RLock_LostLockException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_NotAcquiredException_methods[] = {
	ZEND_ME(RLock_NotAcquiredException, __construct, arginfo_class_RLock_NotAcquiredException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RLock_ConnectionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RLock_ServerException_methods[] = {
	ZEND_ME(RLock_ServerException, __construct, arginfo_class_RLock_ServerException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RLock(zend_class_entry *class_entry_RLock_Locker)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RLock", class_RLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RLock_Locker);

	zval const_POLICY_FAIL_FAST_value;
	ZVAL_LONG(&const_POLICY_FAIL_FAST_value, 0);
	zend_string *const_POLICY_FAIL_FAST_name = zend_string_init_interned("POLICY_FAIL_FAST", sizeof("POLICY_FAIL_FAST") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_POLICY_FAIL_FAST_name, &const_POLICY_FAIL_FAST_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_POLICY_FAIL_FAST_name);

	zval const_POLICY_WAIT_value;
	ZVAL_LONG(&const_POLICY_WAIT_value, 1);
	zend_string *const_POLICY_WAIT_name = zend_string_init_interned("POLICY_WAIT", sizeof("POLICY_WAIT") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_POLICY_WAIT_name, &const_POLICY_WAIT_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_POLICY_WAIT_name);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "adopt", sizeof("adopt") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "detached", sizeof("detached") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Locker(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "Locker", class_RLock_Locker_methods);
	class_entry = zend_register_internal_interface(&ce);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "adopt", sizeof("adopt") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "detached", sizeof("detached") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RLock_DetachedLock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "DetachedLock", class_RLock_DetachedLock_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_RLock_NamedLock(zend_class_entry *class_entry_RLock_DetachedLock)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "NamedLock", class_RLock_NamedLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RLock_DetachedLock);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Pending(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "Pending", class_RLock_Pending_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_RLock_PendingLock(zend_class_entry *class_entry_RLock_Pending)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "PendingLock", class_RLock_PendingLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RLock_Pending);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Lease(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "Lease", class_RLock_Lease_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_key_default_value;
	ZVAL_UNDEF(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_key_name);

	zval property_token_default_value;
	ZVAL_UNDEF(&property_token_default_value);
	zend_string *property_token_name = zend_string_init("token", sizeof("token") - 1, 1);
	zend_declare_typed_property(class_entry, property_token_name, &property_token_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_token_name);

	zval property_fence_default_value;
	ZVAL_UNDEF(&property_fence_default_value);
	zend_string *property_fence_name = zend_string_init("fence", sizeof("fence") - 1, 1);
	zend_declare_typed_property(class_entry, property_fence_name, &property_fence_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_fence_name);

	zval property_depth_default_value;
	ZVAL_UNDEF(&property_depth_default_value);
	zend_string *property_depth_name = zend_string_init("depth", sizeof("depth") - 1, 1);
	zend_declare_typed_property(class_entry, property_depth_name, &property_depth_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_depth_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_ttl_name);

	zval property_metadata_default_value;
	ZVAL_UNDEF(&property_metadata_default_value);
	zend_string *property_metadata_name = zend_string_init("metadata", sizeof("metadata") - 1, 1);
	zend_declare_typed_property(class_entry, property_metadata_name, &property_metadata_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_metadata_name);

	zval property_shared_default_value;
	ZVAL_UNDEF(&property_shared_default_value);
	zend_string *property_shared_name = zend_string_init("shared", sizeof("shared") - 1, 1);
	zend_declare_typed_property(class_entry, property_shared_name, &property_shared_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_shared_name);

	zval property_waited_default_value;
	ZVAL_UNDEF(&property_waited_default_value);
	zend_string *property_waited_name = zend_string_init("waited", sizeof("waited") - 1, 1);
	zend_declare_typed_property(class_entry, property_waited_name, &property_waited_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_waited_name);


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Kind(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("RLock\\Kind", IS_STRING, class_RLock_Kind_methods);

	zval enum_case_Lease_value;
	zend_string *enum_case_Lease_value_str = zend_string_init("lease", strlen("lease"), 1);
	ZVAL_STR(&enum_case_Lease_value, enum_case_Lease_value_str);
	zend_enum_add_case_cstr(class_entry, "Lease", &enum_case_Lease_value);

	zval enum_case_Detached_value;
	zend_string *enum_case_Detached_value_str = zend_string_init("detached", strlen("detached"), 1);
	ZVAL_STR(&enum_case_Detached_value, enum_case_Detached_value_str);
	zend_enum_add_case_cstr(class_entry, "Detached", &enum_case_Detached_value);

	zval enum_case_HandOver_value;
	zend_string *enum_case_HandOver_value_str = zend_string_init("hand-over", strlen("hand-over"), 1);
	ZVAL_STR(&enum_case_HandOver_value, enum_case_HandOver_value_str);
	zend_enum_add_case_cstr(class_entry, "HandOver", &enum_case_HandOver_value);

	zval enum_case_Cooldown_value;
	zend_string *enum_case_Cooldown_value_str = zend_string_init("cooldown", strlen("cooldown"), 1);
	ZVAL_STR(&enum_case_Cooldown_value, enum_case_Cooldown_value_str);
	zend_enum_add_case_cstr(class_entry, "Cooldown", &enum_case_Cooldown_value);

	zval enum_case_Foreign_value;
	zend_string *enum_case_Foreign_value_str = zend_string_init("foreign", strlen("foreign"), 1);
	ZVAL_STR(&enum_case_Foreign_value, enum_case_Foreign_value_str);
	zend_enum_add_case_cstr(class_entry, "Foreign", &enum_case_Foreign_value);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Holder(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "Holder", class_RLock_Holder_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_key_default_value;
	ZVAL_UNDEF(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_key_name);

	zval property_owner_default_value;
	ZVAL_UNDEF(&property_owner_default_value);
	zend_string *property_owner_name = zend_string_init("owner", sizeof("owner") - 1, 1);
	zend_declare_typed_property(class_entry, property_owner_name, &property_owner_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_owner_name);

	zval property_fence_default_value;
	ZVAL_UNDEF(&property_fence_default_value);
	zend_string *property_fence_name = zend_string_init("fence", sizeof("fence") - 1, 1);
	zend_declare_typed_property(class_entry, property_fence_name, &property_fence_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_fence_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_ttl_name);

	zval property_metadata_default_value;
	ZVAL_UNDEF(&property_metadata_default_value);
	zend_string *property_metadata_name = zend_string_init("metadata", sizeof("metadata") - 1, 1);
	zend_declare_typed_property(class_entry, property_metadata_name, &property_metadata_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_metadata_name);

	zval property_contended_default_value;
	ZVAL_UNDEF(&property_contended_default_value);
	zend_string *property_contended_name = zend_string_init("contended", sizeof("contended") - 1, 1);
	zend_declare_typed_property(class_entry, property_contended_name, &property_contended_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_contended_name);

	zend_string *property_kind_class_RLock_Kind = zend_string_init("RLock\\Kind", sizeof("RLock\\Kind")-1, 1);
	zval property_kind_default_value;
	ZVAL_UNDEF(&property_kind_default_value);
	zend_string *property_kind_name = zend_string_init("kind", sizeof("kind") - 1, 1);
	zend_declare_typed_property(class_entry, property_kind_name, &property_kind_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_kind_class_RLock_Kind, 0, 0));
	zend_string_release(property_kind_name);

	zval property_shared_default_value;
	ZVAL_UNDEF(&property_shared_default_value);
	zend_string *property_shared_name = zend_string_init("shared", sizeof("shared") - 1, 1);
	zend_declare_typed_property(class_entry, property_shared_name, &property_shared_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_shared_name);

	return class_entry;
}

static zend_class_entry *register_class_RLock_RetryStrategy(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "RetryStrategy", class_RLock_RetryStrategy_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_RLock_Retry(zend_class_entry *class_entry_RLock_RetryStrategy)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "Retry", class_RLock_Retry_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RLock_RetryStrategy);

	return class_entry;
}

static zend_class_entry *register_class_RLock_RLockException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "RLockException", class_RLock_RLockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	zval property_key_default_value;
	ZVAL_UNDEF(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_key_name);

	return class_entry;
}

static zend_class_entry *register_class_RLock_TimeoutException(zend_class_entry *class_entry_RLock_RLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "TimeoutException", class_RLock_TimeoutException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RLock_RLockException);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	zval property_lateBy_default_value;
	ZVAL_UNDEF(&property_lateBy_default_value);
	zend_string *property_lateBy_name = zend_string_init("lateBy", sizeof("lateBy") - 1, 1);
	zend_declare_typed_property(class_entry, property_lateBy_name, &property_lateBy_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_lateBy_name);

	zval property_held_default_value;
	ZVAL_UNDEF(&property_held_default_value);
	zend_string *property_held_name = zend_string_init("held", sizeof("held") - 1, 1);
	zend_declare_typed_property(class_entry, property_held_name, &property_held_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_held_name);

	zval property_result_default_value;
	ZVAL_UNDEF(&property_result_default_value);
	zend_string *property_result_name = zend_string_init("result", sizeof("result") - 1, 1);
	zend_declare_typed_property(class_entry, property_result_name, &property_result_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_result_name);

	return class_entry;
}

static zend_class_entry *register_class_RLock_LostLockException(zend_class_entry *class_entry_RLock_TimeoutException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "LostLockException", class_RLock_LostLockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RLock_TimeoutException);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_holder_class_RLock_Holder = zend_string_init("RLock\\Holder", sizeof("RLock\\Holder")-1, 1);
	zval property_holder_default_value;
	ZVAL_UNDEF(&property_holder_default_value);
	zend_string *property_holder_name = zend_string_init("holder", sizeof("holder") - 1, 1);
	zend_declare_typed_property(class_entry, property_holder_name, &property_holder_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_holder_class_RLock_Holder, 0, MAY_BE_NULL));
	zend_string_release(property_holder_name);

	return class_entry;
}

static zend_class_entry *register_class_RLock_NotAcquiredException(zend_class_entry *class_entry_RLock_RLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "NotAcquiredException", class_RLock_NotAcquiredException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RLock_RLockException);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_holder_class_RLock_Holder = zend_string_init("RLock\\Holder", sizeof("RLock\\Holder")-1, 1);
	zval property_holder_default_value;
	ZVAL_UNDEF(&property_holder_default_value);
	zend_string *property_holder_name = zend_string_init("holder", sizeof("holder") - 1, 1);
	zend_declare_typed_property(class_entry, property_holder_name, &property_holder_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_holder_class_RLock_Holder, 0, MAY_BE_NULL));
	zend_string_release(property_holder_name);

	return class_entry;
}

static zend_class_entry *register_class_RLock_ConnectionException(zend_class_entry *class_entry_RLock_RLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "ConnectionException", class_RLock_ConnectionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RLock_RLockException);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_RLock_ServerException(zend_class_entry *class_entry_RLock_RLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RLock", "ServerException", class_RLock_ServerException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RLock_RLockException);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;

	zval property_error_default_value;
	ZVAL_UNDEF(&property_error_default_value);
	zend_string *property_error_name = zend_string_init("error", sizeof("error") - 1, 1);
	zend_declare_typed_property(class_entry, property_error_name, &property_error_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_error_name);

	return class_entry;
}
