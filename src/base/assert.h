/*
 * Invariants that the tests' builds check: with RL_ASSERTIONS, a program in which one does not hold
 * aborts and says which. Other builds do not even evaluate it. The heads of files number their
 * invariants, and an assertion names the number.
 */
#ifndef RL_ASSERT_H
#define RL_ASSERT_H

#ifdef RL_ASSERTIONS
# undef NDEBUG
# include <assert.h>
# define rl_assert(invariant) assert(invariant)
#else
# define rl_assert(invariant) ((void)sizeof(invariant))
#endif

#endif
