/*
 * What the answers to the protocol's steps (step.h) mean.
 */
#ifndef RL_PROTOCOL_H
#define RL_PROTOCOL_H

#include "step.h"

/* The answer of acquire, open, enter and reenter. */
struct rl_grant {
	bool ours;
	int64_t fence; /* if ours */
	/* if ours: of the lease; otherwise how long the lock stays taken. -1: for ever */
	int64_t left_ms;
	enum {
		RL_PLACE_WAKE = 0, /* a waiter parks on the wake list */
		/* it parks on the room; and acquire: it is held shared, so that enter is to be asked */
		RL_PLACE_ROOM = 1,
		RL_PLACE_OWN = 2 /* the very token has a share, and can but upgrade that */
	} place;
	bool is_exclusive; /* enter for a share: the very token has the lock exclusively */
};
/*
 * The answer to a request for `lease_ms`. False: the scripts give no such answer; nor is a fence
 * that comes alone one of rl_answer.
 */
bool rl_protocol_parse_grant(
	const struct rl_reply *reply, int64_t lease_ms, struct rl_grant *grant);

enum rl_answer {
	RL_ANSWER_OTHER = 0,    /* upgrade: it is not the only share, and stays one */
	RL_ANSWER_OURS = 1,     /* done; or it is ours */
	RL_ANSWER_GONE = 2,     /* L is gone, and nobody was granted it since */
	RL_ANSWER_TAKEN = 3,    /* L is another's, or was since */
	RL_ANSWER_NO_FENCE = 4, /* the fence is gone: counts as taken */
	RL_ANSWER_BY_NAME = 5   /* longer: the name has it by another grant, or has released it */
};

/* The answer of every step but these, inspect, peek and sharers. */
struct rl_outcome {
	enum rl_answer answer;
	/* OURS: it had ended, and was set anew; or what was asked for had been done before */
	bool was_over;
	bool had_no_value; /* close: there was none any more to be written, touched or deleted */
	int64_t fence;     /* of the grant, if it is ours, or was; 0: the step tells none */
	int64_t left_ms;   /* with a fence: of the lease; -1: for ever */
	uint32_t nodes;    /* of a majority: those that have said so */
};
/* False: the scripts give no such answer. */
bool rl_protocol_parse_outcome(const struct rl_reply *reply, struct rl_outcome *outcome);

#endif
