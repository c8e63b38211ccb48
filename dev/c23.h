/*
 * What C23 has that compilers before it, or their headers, lack: included by dev/check-standards
 * ahead of every source, so that a name of ours that C23 takes shows with them, too.
 */
#if __STDC_VERSION__ > 201710L && __STDC_VERSION__ < 202311L

# define _GNU_SOURCE /* as some of the sources say before they include anything */
# include <assert.h>
# include <stdalign.h>
# include <stdbool.h>
# include <stddef.h>
# include <threads.h>

# ifndef unreachable
#  define unreachable() __builtin_unreachable()
# endif
# define nullptr ((void *)0)
# define constexpr static const
# define typeof_unqual(type) __typeof__(type)

#endif
