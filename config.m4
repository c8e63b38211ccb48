dnl bare ./configure builds it, against the hiredis that pkg-config knows

PHP_ARG_ENABLE([rlock],
  [whether to enable rlock, locks on Redis],
  [AS_HELP_STRING([--disable-rlock], [Disable rlock, locks on Redis])],
  [yes])

PHP_ARG_WITH([hiredis],
  [for hiredis, rlock's Redis client],
  [AS_HELP_STRING([[--with-hiredis[=DIR|static]]],
    [rlock: where hiredis was installed to, if pkg-config does not know; static: put it into rlock.so])],
  [yes],
  [no])

PHP_ARG_ENABLE([rlock-tls],
  [for TLS in rlock, by OpenSSL],
  [AS_HELP_STRING([--enable-rlock-tls],
    [rlock: addresses rediss://, by OpenSSL; by default if it is there])],
  [auto],
  [no])

PHP_ARG_ENABLE([rlock-cli],
  [whether to build the command rlock],
  [AS_HELP_STRING([--enable-rlock-cli],
    [rlock: build and install the command rlock, too])],
  [no],
  [no])

if test "$PHP_RLOCK" != "no"; then
  AC_MSG_CHECKING([for a 64-bit PHP])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[typedef char is_64_bit[sizeof(void *) >= 8 ? 1 : -1];]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([rlock needs a 64-bit PHP: the number of a grant, its fence, does not fit into an int of 32 bits])])

  RLOCK_HIREDIS_MISSING="Install its development package: libhiredis-dev (Debian, Ubuntu), hiredis-devel (Fedora, RHEL), hiredis-dev (Alpine), \`brew install hiredis\` (macOS); or say --with-hiredis=DIR"

  if test "$PHP_HIREDIS" != "yes" && test "$PHP_HIREDIS" != "no" && test "$PHP_HIREDIS" != "static"; then
    AC_MSG_CHECKING([for hiredis in $PHP_HIREDIS])
    if test ! -f "$PHP_HIREDIS/include/hiredis/hiredis.h"; then
      AC_MSG_RESULT([no])
      AC_MSG_ERROR([$PHP_HIREDIS/include/hiredis/hiredis.h not found. $RLOCK_HIREDIS_MISSING])
    fi
    AC_MSG_RESULT([yes])
    HIREDIS_CFLAGS="-I$PHP_HIREDIS/include"
    HIREDIS_LIBS="-L$PHP_HIREDIS/$PHP_LIBDIR -lhiredis"
  else
    PKG_CHECK_MODULES([HIREDIS], [hiredis >= 0.14], [
      dnl its own -I leads into the folder hiredis; we include <hiredis/hiredis.h>
      HIREDIS_CFLAGS="$HIREDIS_CFLAGS -I`$PKG_CONFIG --variable=prefix hiredis`/include"
    ], [AC_MSG_ERROR([hiredis 0.14 or later not found. $RLOCK_HIREDIS_MISSING])])
  fi

  if test "$PHP_HIREDIS" = "static"; then
    dnl Then one rlock.so runs on all distributions, whose hiredis differ by version and name. Its symbols are hidden, since
    dnl it and a libhiredis that another extension brought must not call each other.
    dnl OpenSSL stays shared, see docs/install.md: the process has it already, and there must be no second one.
    RLOCK_HIREDIS_ARCHIVE="-Wl,-l:libhiredis.a -Wl,--exclude-libs,libhiredis.a"
    HIREDIS_LIBS=`echo "$HIREDIS_LIBS" | sed "s/-lhiredis/$RLOCK_HIREDIS_ARCHIVE/"`
    RLOCK_SHARED_LIBADD="$RLOCK_SHARED_LIBADD $RLOCK_HIREDIS_ARCHIVE"
  fi

  PHP_CHECK_LIBRARY([hiredis], [redisReaderCreateWithFunctions], [],
    [AC_MSG_ERROR([hiredis does not link, see config.log. $RLOCK_HIREDIS_MISSING])],
    [$HIREDIS_LIBS])
  PHP_EVAL_INCLINE([$HIREDIS_CFLAGS])
  PHP_EVAL_LIBLINE([$HIREDIS_LIBS], [RLOCK_SHARED_LIBADD])

  if test "$PHP_RLOCK_TLS" != "no"; then
    PKG_CHECK_MODULES([RLOCK_OPENSSL], [openssl >= 1.1.1], [
      PHP_EVAL_INCLINE([$RLOCK_OPENSSL_CFLAGS])
      PHP_EVAL_LIBLINE([$RLOCK_OPENSSL_LIBS], [RLOCK_SHARED_LIBADD])
      RLOCK_CFLAGS="-DRLOCK_TLS=1"
    ], [
      RLOCK_OPENSSL_MISSING="OpenSSL 1.1.1 or later not found: libssl-dev (Debian, Ubuntu), openssl-devel (Fedora, RHEL), openssl-dev (Alpine)"
      if test "$PHP_RLOCK_TLS" = "yes"; then
        AC_MSG_ERROR([$RLOCK_OPENSSL_MISSING])
      fi
      AC_MSG_WARN([rlock will refuse addresses rediss://. $RLOCK_OPENSSL_MISSING])
    ])
  fi

  dnl pthread_atfork
  PHP_ADD_LIBRARY([pthread],, [RLOCK_SHARED_LIBADD])

  dnl then symbols are bound when the module is loaded, by PHP-FPM's master, and not by each process at its first lock
  RLOCK_SAVED_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -Wl,-z,now"
  AC_MSG_CHECKING([whether the linker knows -z now])
  AC_LINK_IFELSE([AC_LANG_PROGRAM()], [
    AC_MSG_RESULT([yes])
    RLOCK_SHARED_LIBADD="$RLOCK_SHARED_LIBADD -Wl,-z,now"
  ], [AC_MSG_RESULT([no])])
  LDFLAGS=$RLOCK_SAVED_LDFLAGS
  PHP_SUBST([RLOCK_SHARED_LIBADD])

  PHP_NEW_EXTENSION([rlock], m4_normalize([
    rlock.c
    src/base/bounds.c
    src/base/descriptor_posix.c
    src/base/error.c
    src/base/hook.c
    src/base/nearest.c
    src/base/number.c
    src/base/path_posix.c
    src/base/pin_posix.c
    src/base/poll_posix.c
    src/base/polls.c
    src/base/process_name.c
    src/base/machine.c
    src/base/random_posix.c
    src/base/sleeper_posix.c
    src/base/socket_posix.c
    src/base/stack.c
    src/base/system_posix.c
    src/base/table.c
    src/base/text.c
    src/base/thread_posix.c
    src/base/waitset.c
    src/redis/address.c
    src/redis/address_syntax.c
    src/redis/cache.c
    src/redis/connection.c
    src/redis/dial.c
    src/redis/environment.c
    src/redis/exchange.c
    src/redis/handshake.c
    src/redis/lookup.c
    src/redis/output.c
    src/redis/refusal.c
    src/redis/reply.c
    src/redis/server.c
    src/redis/tls.c
    src/redis/transport.c
    src/route/advice.c
    src/route/cluster.c
    src/route/deployment.c
    src/route/direct.c
    src/route/independent.c
    src/route/inquiry.c
    src/route/route.c
    src/route/sentinel.c
    src/route/slot.c
    src/route/topology.c
    src/call/broadcast.c
    src/call/call.c
    src/call/query.c
    src/call/replicas.c
    src/call/scan.c
    src/lock/guarded.c
    src/lock/keys.c
    src/lock/lease.c
    src/lock/lock_state.c
    src/lock/protocol.c
    src/lock/scripts.c
    src/lock/shown_name.c
    src/lock/step.c
    src/lock/token.c
    src/lock/votes.c
    src/lock/waiter.c
    src/lock/owner/alarm.c
    src/lock/owner/change.c
    src/lock/owner/detached_grant.c
    src/lock/owner/ended_leases.c
    src/lock/owner/held_leases.c
    src/lock/owner/past_verdicts.c
    src/lock/owner/regrant.c
    src/lock/owner/release.c
    src/lock/owner/run.c
    src/lock/owner/verdict.c
    src/lock/renewal/task.c
    src/lock/renewal/thread.c
    src/lock/renewal/watch.c
    src/lock/extend/adopt.c
    src/lock/extend/hand_over.c
    src/lock/extend/mode.c
    src/lock/extend/prolongate.c
    src/lock/extend/upgrade.c
    src/lock/release/release_all.c
    src/lock/release/release_lock.c
    src/lock/inspect/break.c
    src/lock/inspect/held.c
    src/lock/inspect/holder.c
    src/lock/inspect/holders.c
    src/lock/inspect/peek.c
    src/lock/inspect/sharers.c
    src/lock/inspect/stats.c
    src/lock/inspect/waiters.c
    src/lock/acquire/acquire.c
    src/lock/acquire/acquire_all.c
    src/lock/acquire/ask.c
    src/lock/acquire/detached.c
    src/lock/acquire/pending.c
    src/lock/acquire/pending_unwanted.c
    src/lock/acquire/place.c
    src/lock/acquire/schedule.c
    src/lock/acquire/wait.c
    src/lock/single/ask.c
    src/lock/single/backend.c
    src/lock/single/discarded.c
    src/lock/single/run.c
    src/lock/majority/ask.c
    src/lock/majority/backend.c
    src/lock/majority/ballot.c
    src/lock/majority/discarded.c
    src/lock/majority/holding.c
    src/lock/majority/inspect.c
    src/lock/majority/late.c
    src/lock/majority/release.c
    src/lock/top/end_all.c
    src/lock/top/owner.c
    src/php/acquire.c
    src/php/argument.c
    src/php/classes.c
    src/php/constructor.c
    src/php/detached_class.c
    src/php/engine_faults.c
    src/php/exception.c
    src/php/get_locks.c
    src/php/globals.c
    src/php/holder_class.c
    src/php/holder_words.c
    src/php/holders.c
    src/php/ini.c
    src/php/interrupt.c
    src/php/lease_class.c
    src/php/object.c
    src/php/open_basedir.c
    src/php/pending_class.c
    src/php/property.c
    src/php/request_end.c
    src/php/retry_class.c
    src/php/rlock_class.c
    src/php/seconds.c
    src/php/servers.c
    src/php/session.c
    src/php/session_engine.c
    src/php/session_path.c
    src/php/session_words.c
    src/php/stack.c
    src/php/stats.c
    src/php/strategy.c
    src/php/synchronized.c
    src/php/upload.c
    src/php/wait_hook.c
    src/php/warn.c
    src/php/worker.c
  ]), [$ext_shared],, [-fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 $RLOCK_CFLAGS])

  if test "$PHP_RLOCK_CLI" != "no"; then
    PHP_ADD_MAKEFILE_FRAGMENT([$ext_srcdir/cli/Makefile.frag])
  fi

  PHP_ADD_BUILD_DIR([$ext_builddir/src/base])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/redis])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/route])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/call])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/owner])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/renewal])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/extend])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/release])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/inspect])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/acquire])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/single])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/majority])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/lock/top])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/php])
fi
