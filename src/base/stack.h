#ifndef RL_STACK_H
#define RL_STACK_H
#include "poll.h"
struct rl_stack_question { bool (*ask)(void *context, unsigned number, rl_time *time); void *context; unsigned number; bool yes; rl_time time; };
struct rl_stack;
static inline struct rl_stack *rl_stack_current(void) { return NULL; }
static inline enum rl_wanted rl_stack_wanted(void) { return RL_WANTED; }
static inline void rl_stack_serve_others(void) {}
static inline enum rl_wanted rl_stack_ask(struct rl_stack_question *q) { q->yes = q->ask(q->context, q->number, &q->time); return RL_WANTED; }
#endif
